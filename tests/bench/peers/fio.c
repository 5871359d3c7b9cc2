/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fio's gettime with clocksource=cpu for peers.sh: fio's own files gettime.c,
 * fio_sem.c and pshared.c, set up in the order in which fio does it when that option
 * is given. What they need of the rest of fio is below. The cost of a reading includes
 * turning the timespec into nanoseconds.
 */
#include <stdarg.h>

#include "fio.h"
#include "starts.h"

int arch_random;
struct fio_ts *fio_ts;
unsigned long fio_debug;

ssize_t log_err(const char *format, ...)
{
	va_list arguments;
	ssize_t ret;

	va_start(arguments, format);
	ret = vfprintf(stderr, format, arguments);
	va_end(arguments);
	return ret;
}

ssize_t log_info(const char *format, ...) __attribute__((alias("log_err")));

void __dprint(int type, const char *format, ...)
{
	(void)type;
	(void)format;
}

static void peer_start(const char *variant)
{
	(void)variant;
	arch_init(environ);
	fio_clock_source = CS_CPUCLOCK;
	fio_clock_source_set = 1;
	fio_clock_init();
}

static inline uint64_t peer_ns(void)
{
	struct timespec now;

	fio_gettime(&now, NULL);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}
