/* SPDX-License-Identifier: MIT */
/*
 * Reads the VMClock page. Parsing is arithmetic on bytes, reading is a mapping
 * and a sequence lock. The page is little-endian on any processor.
 */
#include "vmclock.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define DEVICE		"/dev/vmclock0"

#define MAGIC		0x4b4c4356	/* "VCLK" */
#define VERSION		1

/* The offsets in the page. */
#define AT_MAGIC	0
#define AT_SIZE		4
#define AT_VERSION	8
#define AT_COUNTER_ID	10
#define AT_SEQUENCE	12
#define AT_DISRUPTION	16
#define AT_FLAGS	24
#define AT_STATUS	34
#define AT_SHIFT	39
#define AT_PERIOD	48
#define AT_MAXERROR	64

#define FLAG_MAXERROR	(1 << 4)

/* The number that virtio-rtc gives this counter. */
#if defined(__x86_64__)
#define OUR_COUNTER	1
#elif defined(__aarch64__)
#define OUR_COUNTER	0
#else
#define OUR_COUNTER	0xfe	/* no counter's: this one has no number */
#endif

/* A writer takes well under a microsecond, but may be preempted. */
#define COPY_TRIES	1000

static uint64_t number_at(const unsigned char *bytes, size_t at, size_t length)
{
	uint64_t number = 0;

	while (length--)
		number = number << 8 | bytes[at + length];
	return number;
}

int tw_vmclock_parse(const unsigned char *bytes, size_t size,
		     struct tw_vmclock *vmclock)
{
	struct tw_vmclock out = { 0 };
	double period;

	if (size < TW_VMCLOCK_BYTES)
		return -EMSGSIZE;
	if (number_at(bytes, AT_MAGIC, 4) != MAGIC ||
	    number_at(bytes, AT_VERSION, 2) != VERSION)
		return -EINVAL;
	if (number_at(bytes, AT_SIZE, 4) < TW_VMCLOCK_BYTES)
		return -EMSGSIZE;
	if (number_at(bytes, AT_SEQUENCE, 4) & 1)
		return -EAGAIN;

	out.disruption_marker = number_at(bytes, AT_DISRUPTION, 8);
	/* The period and its error are in units of 2^-(64 + shift) s. */
	period = (double)number_at(bytes, AT_PERIOD, 8);
	if (bytes[AT_COUNTER_ID] == OUR_COUNTER && period != 0 &&
	    (bytes[AT_STATUS] == TW_VMCLOCK_SYNCHRONIZED ||
	     bytes[AT_STATUS] == TW_VMCLOCK_FREERUNNING)) {
		out.hz = ldexp(1, 64 + bytes[AT_SHIFT]) / period;
		if (number_at(bytes, AT_FLAGS, 8) & FLAG_MAXERROR)
			out.maxerror_ppb = 1e9 / period *
					   (double)number_at(bytes, AT_MAXERROR, 8);
	}
	*vmclock = out;
	return 0;
}

static uint32_t sequence_of(const void *page)
{
	const unsigned char *bytes = page;

	/* The value does not matter, only whether it changes and whether it is odd.
	 * The page is little-endian, so the first byte shows whether it is odd. */
	return __atomic_load_n((const uint32_t *)(const void *)
			       (bytes + AT_SEQUENCE), __ATOMIC_ACQUIRE);
}

int tw_vmclock_copy(const void *page, unsigned char *bytes)
{
	const volatile uint64_t *words = page;
	unsigned tries, i;

	for (tries = 0; tries < COPY_TRIES; tries++) {
		uint32_t sequence = sequence_of(page);

		for (i = 0; i < TW_VMCLOCK_BYTES / 8; i++) {
			uint64_t word = words[i];

			memcpy(bytes + 8 * i, &word, 8);
		}
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (!(bytes[AT_SEQUENCE] & 1) && sequence == sequence_of(page))
			return 0;
	}
	return -EAGAIN;
}

int tw_vmclock_read(struct tw_vmclock *vmclock)
{
	unsigned char bytes[TW_VMCLOCK_BYTES];
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	void *page;
	int fd, ret;

	fd = open(DEVICE, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	page = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	ret = page == MAP_FAILED ? -errno : 0;
	close(fd);
	if (ret)
		return ret;
	ret = tw_vmclock_copy(page, bytes);
	munmap(page, size);
	return ret ? ret : tw_vmclock_parse(bytes, sizeof(bytes), vmclock);
}
