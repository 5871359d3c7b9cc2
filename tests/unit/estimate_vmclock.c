/* SPDX-License-Identifier: MIT */
/*
 * The page that a host shows its guest, made by hand: its rate and error are
 * read right, and what is no such page, of another counter, being written, cut
 * short or unreliable is not believed. Fails if a field is taken from the wrong
 * place, or if garbage gives a rate.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "estimate/vmclock.h"
#include "tap.h"

static unsigned char page[4096];
static struct tw_vmclock vmclock;

static void put(size_t at, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		page[at + i] = (unsigned char)(value >> (8 * i));
}

/* 2.1 GHz: 2^(64 + 28) / 2.1e9 fits 64 bits; known to 40 ppb. */
static void good_page(void)
{
	uint64_t period = (uint64_t)(0x1p92L / 2.1e9L);

	memset(page, 0xee, sizeof(page));
	put(0, 0x4b4c4356, 4);
	put(4, 4096, 4);
	put(8, 1, 2);
	put(10, 1, 1);
	put(12, 8, 4);
	put(16, 0x1122334455667788, 8);
	put(24, 1 << 4, 8);
	put(34, 2, 1);
	put(39, 28, 1);
	put(48, period, 8);
	put(64, (uint64_t)((double)period * 40e-9), 8);
}

static int parse(size_t size)
{
	return tw_vmclock_parse(page, size, TW_VMCLOCK_X86_TSC, &vmclock);
}

static void changed(size_t at, uint64_t value, unsigned bytes, int wanted,
		    const char *what)
{
	good_page();
	put(at, value, bytes);
	tap_ok(parse(sizeof(page)) == wanted, "%s", what);
}

int main(void)
{
	uint64_t random = tap_seed();
	unsigned i, believed = 0;

	good_page();
	tap_ok(parse(sizeof(page)) == 0, "a good page");
	tap_ok(fabs(vmclock.hz / 2.1e9 - 1) < 1e-15, "its rate: %.3f Hz",
	       vmclock.hz);
	tap_ok(fabs(vmclock.error_ppb - 40) < 1e-6, "its error: %.3f ppb",
	       vmclock.error_ppb);
	tap_is_u64(vmclock.disruption_marker, 0x1122334455667788, "its marker");
	changed(24, 0, 8, 0, "an error that is not said");
	tap_ok(isinf(vmclock.error_ppb) && vmclock.hz > 0, "is unbounded");
	changed(48, 0, 8, 0, "no period");
	tap_ok(vmclock.hz == 0, "is no rate");
	changed(34, 4, 1, 0, "a clock that the host calls unreliable");
	tap_ok(vmclock.hz == 0, "is no rate");
	changed(0, 0x4b4c4357, 4, -EINVAL, "another magic: -EINVAL");
	changed(4, 64, 4, -EINVAL, "a smaller structure: -EINVAL");
	changed(8, 2, 2, -EINVAL, "another version: -EINVAL");
	changed(10, 0, 1, -ENOTSUP, "another counter: -ENOTSUP");
	changed(10, 0xff, 1, -ENOTSUP, "no counter: -ENOTSUP");
	changed(12, 9, 4, -EAGAIN, "being written: -EAGAIN");
	good_page();
	for (i = 0; i < 104; i++)
		believed += parse(i) != -EINVAL;
	tap_is_u64(believed, 0, "cut short anywhere: -EINVAL");
	for (i = 0; i < 100000; i++) {
		for (unsigned at = 0; at < 104; at += 8)
			put(at, tap_random(&random), 8);
		believed += parse(sizeof(page)) == 0;
	}
	tap_is_u64(believed, 0, "100000 pages of noise: none is believed");
	return tap_done();
}
