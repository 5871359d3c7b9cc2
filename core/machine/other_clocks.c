/* SPDX-License-Identifier: MIT */
/*
 * Reads the time that the machine slept, and a PTP device, by the kernel's
 * PTP_SYS_OFFSET_PRECISE: the hardware or the hypervisor reads it and
 * CLOCK_MONOTONIC_RAW at one moment.
 */
#include "other_clocks.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/ptp_clock.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "timespec.h"

#define DEVICES			8
/* Hypervisors convert through their own clocks. Each reading is good to a
 * microsecond. */
#define READING_ERROR_NS	1000.0
#define MIN_SPAN_NS		4e6

/* The two clocks differ by the time that the machine slept, and by a constant
 * in a time namespace. The smallest difference is the least disturbed one. */
int64_t tw_suspended_ns(void)
{
	int64_t least = INT64_MAX;

	for (unsigned tries = 0; tries < 5; tries++) {
		uint64_t monotonic_ns = tw_clock_id_ns(CLOCK_MONOTONIC);
		int64_t apart = (int64_t)(tw_clock_id_ns(CLOCK_BOOTTIME) -
					  monotonic_ns);

		if (apart < least)
			least = apart;
	}
	return least;
}

static int64_t ptp_ns(const struct ptp_clock_time *time)
{
	return (int64_t)time->sec * 1000000000 + (int64_t)time->nsec;
}

static int read_device(const char *name, struct tw_independent *now)
{
	struct ptp_sys_offset_precise offset;
	int fd, ret;

	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	memset(&offset, 0, sizeof(offset));
	ret = ioctl(fd, PTP_SYS_OFFSET_PRECISE, &offset) ? -errno : 0;
	close(fd);
	if (ret)
		return ret;
	snprintf(now->name, sizeof(now->name), "%s", name);
	now->device_ns = ptp_ns(&offset.device);
	now->raw_ns = (uint64_t)ptp_ns(&offset.sys_monoraw);
	return 0;
}

void tw_independent_read(struct tw_independent *now)
{
	int saved = errno;

	*now = (struct tw_independent) { "", 0, 0 };
	for (unsigned i = 0; i < DEVICES; i++) {
		char name[32];

		snprintf(name, sizeof(name), "/dev/ptp%u", i);
		if (!read_device(name, now))
			break;
	}
	errno = saved;
}

int tw_independent_rate(const struct tw_independent *start,
			const struct tw_independent *now, double *ppb,
			double *error_ppb)
{
	double device_ns = (double)(now->device_ns - start->device_ns);
	double raw_ns = (double)(int64_t)(now->raw_ns - start->raw_ns);

	if (!start->name[0] || strcmp(start->name, now->name) != 0 ||
	    raw_ns < MIN_SPAN_NS)
		return -EAGAIN;
	/* A device that stands still, or was set back, is no evidence. */
	if (!(device_ns > 0))
		return -EAGAIN;
	*ppb = (raw_ns / device_ns - 1) * 1e9;
	*error_ppb = 2 * READING_ERROR_NS / raw_ns * 1e9;
	return 0;
}
