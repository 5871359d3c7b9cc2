/* SPDX-License-Identifier: MIT */
/*
 * Tests: core/clock
 *
 * A VMClock page is read as its ABI defines it. A page that is cut off, that is
 * something else, that is being rewritten, or that is about another counter gives
 * nothing.
 *
 * Fails if a field is read at another place or with another unit, if a page in
 * mid-update is believed, or if an invalid rate is.
 *
 * Also on other processors.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "machine/vmclock.h"
#include "tap.h"

#if defined(__x86_64__)
#define OUR_COUNTER	1
#else
#define OUR_COUNTER	0
#endif

static void put(unsigned char *bytes, size_t at, size_t length, uint64_t value)
{
	for (; length; length--, at++, value >>= 8)
		bytes[at] = (unsigned char)value;
}

/*
 * 2.6 GHz: 2^(64 + 30) / 2.6e9 = 7618092549448493999.4 units of a period, cut
 * off. Errors of 1/1000 and 1/100 ppm of it.
 */
#define PERIOD	7618092549448493999ULL

static void make_page(unsigned char *bytes)
{
	memset(bytes, 0xee, TW_VMCLOCK_BYTES);
	memcpy(bytes, "VCLK", 4);
	put(bytes, 4, 4, 4096);
	put(bytes, 8, 2, 1);
	bytes[10] = OUR_COUNTER;
	bytes[11] = 1;			/* TAI */
	put(bytes, 12, 4, 0x12345678);
	put(bytes, 16, 8, 0x0123456789abcdef);
	put(bytes, 24, 8, 1 << 3 | 1 << 4);
	bytes[34] = TW_VMCLOCK_SYNCHRONIZED;
	bytes[39] = 30;
	put(bytes, 48, 8, PERIOD);
	put(bytes, 56, 8, PERIOD / 1000000000);
	put(bytes, 64, 8, PERIOD / 100000000);
}

static const unsigned char *page_with(size_t at, size_t length, uint64_t value)
{
	static unsigned char bytes[TW_VMCLOCK_BYTES]
		__attribute__((aligned(8)));

	make_page(bytes);
	put(bytes, at, length, value);
	return bytes;
}

/* The page has everything but a rate. */
static int lacks_rate(size_t at, size_t length, uint64_t value)
{
	struct tw_vmclock vmclock = { .hz = -1 };

	return tw_vmclock_parse(page_with(at, length, value), TW_VMCLOCK_BYTES,
				&vmclock) == 0 &&
	       vmclock.disruption_marker == 0x0123456789abcdef &&
	       vmclock.hz == 0 && vmclock.maxerror_ppb == 0;
}

static int parses_to(size_t at, size_t length, uint64_t value)
{
	struct tw_vmclock vmclock = { .hz = 42 };
	int ret = tw_vmclock_parse(page_with(at, length, value),
				   TW_VMCLOCK_BYTES, &vmclock);

	return vmclock.hz == 42 ? ret : 0;
}

static void good(void)
{
	struct tw_vmclock vmclock = { 0 };

	tap_ok(tw_vmclock_parse(page_with(12, 4, 0x12345678), TW_VMCLOCK_BYTES,
				&vmclock) == 0 &&
	       fabs(vmclock.hz / 2.6e9 - 1) < 1e-15, "the rate");
	tap_ok(fabs(vmclock.maxerror_ppb - 10) < 1e-6 &&
	       vmclock.disruption_marker == 0x0123456789abcdef,
	       "its error, and the marker");
	tap_ok(tw_vmclock_parse(page_with(24, 8, 0), TW_VMCLOCK_BYTES,
				&vmclock) == 0 && vmclock.hz > 0 &&
	       vmclock.maxerror_ppb == 0, "an error that no flag vouches for is none");
	tap_ok(tw_vmclock_parse(page_with(34, 1, TW_VMCLOCK_FREERUNNING),
				TW_VMCLOCK_BYTES, &vmclock) == 0 &&
	       vmclock.hz > 0, "free-running: a rate");
	tap_ok(parses_to(4, 4, TW_VMCLOCK_BYTES) == 0, "no more than is read");
}

static void bad(void)
{
	struct tw_vmclock vmclock = { .hz = 42 };

	tap_ok(tw_vmclock_parse(page_with(4, 4, 4096), TW_VMCLOCK_BYTES - 1, &vmclock) ==
	       -EMSGSIZE && tw_vmclock_parse(page_with(4, 4, 4096), 0, &vmclock) ==
	       -EMSGSIZE && vmclock.hz == 42, "cut off: -EMSGSIZE, output untouched");
	tap_ok(parses_to(4, 4, TW_VMCLOCK_BYTES - 1) == -EMSGSIZE,
	       "cut off by its own word: the same");
	tap_ok(parses_to(0, 4, 0x56434c4b) == -EINVAL && parses_to(8, 2, 0) == -EINVAL &&
	       parses_to(8, 2, 2) == -EINVAL, "another magic or version: -EINVAL");
	tap_ok(parses_to(12, 4, 0x12345679) == -EAGAIN, "an odd sequence: -EAGAIN");
	tap_ok(lacks_rate(10, 1, 1 - OUR_COUNTER) && lacks_rate(10, 1, 0xff),
	       "another counter, or none: no rate");
	tap_ok(lacks_rate(34, 1, TW_VMCLOCK_UNKNOWN) &&
	       lacks_rate(34, 1, TW_VMCLOCK_INITIALIZING) &&
	       lacks_rate(34, 1, TW_VMCLOCK_UNRELIABLE) && lacks_rate(34, 1, 5),
	       "a clock that does not run: no rate");
	tap_ok(lacks_rate(48, 8, 0), "no period: no rate");
}

static void copies(void)
{
	unsigned char bytes[TW_VMCLOCK_BYTES];
	const unsigned char *page = page_with(12, 4, 0x12345678);

	tap_ok(tw_vmclock_copy(page, bytes) == 0 &&
	       memcmp(bytes, page, sizeof(bytes)) == 0, "copied");
	tap_ok(tw_vmclock_copy(page_with(12, 4, 7), bytes) == -EAGAIN,
	       "in an update that does not end: -EAGAIN");
}

int main(void)
{
#if !defined(__x86_64__) && !defined(__aarch64__)
	tap_skip("the ABI has no number for this counter");
	return tap_done();
#endif
	good();
	bad();
	copies();
	return tap_done();
}
