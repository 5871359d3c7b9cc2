/* SPDX-License-Identifier: MIT */
/*
 * Reading /dev/vmclock0. The host writes the page while we look at it: its
 * sequence number is odd meanwhile, and another one afterwards.
 */
#include "vmclock.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAGIC		0x4b4c4356	/* "VCLK" */
#define VERSION		1
#define MAXERROR_VALID	(1 << 4)
#define UNRELIABLE	4
#define PAGE_BYTES	4096
#define TRIES		1000

/* Where things lie in the page; all numbers have their lowest byte first. */
enum {
	AT_MAGIC = 0,		/* 32 bits */
	AT_SIZE = 4,		/* 32 */
	AT_VERSION = 8,		/* 16 */
	AT_COUNTER = 10,	/* 8 */
	AT_SEQUENCE = 12,	/* 32 */
	AT_MARKER = 16,
	AT_FLAGS = 24,
	AT_STATUS = 34,		/* 8 */
	AT_SHIFT = 39,		/* 8 */
	AT_PERIOD = 48,
	AT_MAXERROR = 64,
	LEAST_BYTES = 104,
};

static uint32_t get32(const unsigned char *page, size_t at)
{
	uint32_t value;

	memcpy(&value, page + at, sizeof(value));
	return le32toh(value);
}

static uint64_t get64(const unsigned char *page, size_t at)
{
	uint64_t value;

	memcpy(&value, page + at, sizeof(value));
	return le64toh(value);
}

static void parse_period(const unsigned char *page, struct tw_vmclock *vmclock)
{
	uint64_t period = get64(page, AT_PERIOD);

	if (!period || page[AT_STATUS] == UNRELIABLE)
		return;
	/* The period is in seconds of 2^-(64 + shift). */
	vmclock->hz = ldexp(1 / (double)period, 64 + page[AT_SHIFT]);
	if (get64(page, AT_FLAGS) & MAXERROR_VALID)
		vmclock->error_ppb = (double)get64(page, AT_MAXERROR) /
				     (double)period * 1e9;
}

int tw_vmclock_parse(const void *page, size_t size, unsigned counter,
		     struct tw_vmclock *vmclock)
{
	const unsigned char *bytes = page;
	uint16_t version;

	if (size < LEAST_BYTES || get32(bytes, AT_MAGIC) != MAGIC ||
	    get32(bytes, AT_SIZE) < LEAST_BYTES)
		return -EINVAL;
	memcpy(&version, bytes + AT_VERSION, sizeof(version));
	if (le16toh(version) != VERSION)
		return -EINVAL;
	if (bytes[AT_COUNTER] != counter)
		return -ENOTSUP;
	if (get32(bytes, AT_SEQUENCE) & 1)
		return -EAGAIN;
	*vmclock = (struct tw_vmclock) {
		.disruption_marker = get64(bytes, AT_MARKER),
		.error_ppb = INFINITY,
	};
	parse_period(bytes, vmclock);
	return 0;
}

static unsigned our_counter(void)
{
#if defined(__x86_64__)
	return TW_VMCLOCK_X86_TSC;
#elif defined(__aarch64__)
	return TW_VMCLOCK_ARM_VCNT;
#else
	return TW_VMCLOCK_NONE;
#endif
}

/* A copy that nobody wrote to meanwhile. */
static int copy_page(const volatile unsigned char *page, unsigned char *copy)
{
	const volatile uint32_t *sequence =
		(const volatile uint32_t *)(page + AT_SEQUENCE);
	unsigned tries;

	for (tries = 0; tries < TRIES; tries++) {
		uint32_t before = __atomic_load_n(sequence, __ATOMIC_ACQUIRE);

		for (size_t i = 0; i < LEAST_BYTES; i++)
			copy[i] = page[i];
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (!(le32toh(before) & 1) &&
		    __atomic_load_n(sequence, __ATOMIC_RELAXED) == before)
			return 0;
	}
	return -EAGAIN;
}

int tw_vmclock_read(struct tw_vmclock *vmclock)
{
	unsigned char copy[LEAST_BYTES];
	int fd, ret, saved = errno;
	void *page;

	if (our_counter() == TW_VMCLOCK_NONE)
		return -ENOENT;
	fd = open(TW_VMCLOCK, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		ret = -errno;
		errno = saved;
		return ret;
	}
	page = mmap(NULL, PAGE_BYTES, PROT_READ, MAP_SHARED, fd, 0);
	ret = page == MAP_FAILED ? -errno : 0;
	close(fd);
	errno = saved;
	if (ret)
		return ret;
	ret = copy_page(page, copy);
	munmap(page, PAGE_BYTES);
	return ret ? ret : tw_vmclock_parse(copy, sizeof(copy), our_counter(),
					    vmclock);
}
