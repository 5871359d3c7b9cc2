/* SPDX-License-Identifier: MIT */
/*
 * `tickwise compare` preloads this into fio, to read fio's own clock from
 * inside. It works with any version of fio: it needs no header of fio's, only
 * that the program exports fio_gettime(), as it does for external engines.
 *
 * fio's main process gets a job that starts late. Then it waits with usleep(),
 * and its clock is calibrated by then. The probe reports how long that took,
 * and compares the clock at two moments, a window apart. It measures what a
 * reading costs in a child, because a job would be one. Then it ends the
 * process.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../clock_probe.h"
#include "timespec.h"

typedef void fio_gettime_function(struct timespec *, void *);

static fio_gettime_function *fio_gettime;
static tw_probe_gettime *real_gettime;

static uint64_t read_fio(void *context)
{
	struct timespec now;

	(void)context;
	fio_gettime(&now, NULL);
	return tw_timespec_ns(&now);
}

static const struct tw_probe_reader fio_reader = { .read_ns = read_fio };

static double cost_in_child(double ns_per_tick)
{
	double cost = 0;
	int ends[2];
	pid_t child;

	if (pipe(ends))
		return 0;
	child = fork();
	if (child == 0) {
		cost = tw_probe_read_cost(ns_per_tick, &fio_reader);
		_exit(write(ends[1], &cost, sizeof(cost)) != sizeof(cost));
	}
	close(ends[1]);
	if (child < 0 || read(ends[0], &cost, sizeof(cost)) != sizeof(cost))
		cost = 0;
	close(ends[0]);
	if (child > 0)
		waitpid(child, NULL, 0);
	return cost;
}

static double number(const char *name)
{
	const char *text = getenv(name);

	return text ? strtod(text, NULL) : 0;
}

static void probe(int fd)
{
	double ns_per_tick = number(TW_PROBE_SLOPE);
	struct tw_probe_report report = { 0 };
	struct timespec now = { 0 };
	/* The function of libc, not one of another preloaded library. */
	void *libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);

	fio_gettime = (fio_gettime_function *)dlsym(RTLD_DEFAULT, "fio_gettime");
	real_gettime = libc ? (tw_probe_gettime *)dlsym(libc, "clock_gettime") : NULL;
	if (!fio_gettime || !real_gettime)
		_exit(3);
	real_gettime(CLOCK_MONOTONIC, &now);
	report.startup_ns = (double)tw_timespec_ns(&now) - number(TW_PROBE_BEGIN);
	report.read_ns = cost_in_child(ns_per_tick);
	tw_probe_moment_take(report.moment[0], ns_per_tick, real_gettime,
			     &fio_reader);
	tw_probe_send(fd, &report);
	real_gettime(CLOCK_MONOTONIC, &now);
	now = tw_timespec_of(tw_timespec_ns(&now) + (uint64_t)number(TW_PROBE_WINDOW));
	/* A signal asks this process to end. */
	if (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &now, NULL))
		_exit(1);
	tw_probe_moment_take(report.moment[1], ns_per_tick, real_gettime,
			     &fio_reader);
	_exit(tw_probe_send(fd, &report) != 0);
}

/* Probe instead of waiting: fio waits with this function. */
__attribute__((visibility("default")))
int usleep(useconds_t microseconds)
{
	const char *fd = getenv(TW_PROBE_FD);
	struct timespec time = {
		.tv_sec = (time_t)(microseconds / 1000000),
		.tv_nsec = (long)(microseconds % 1000000) * 1000,
	};

	if (fd)
		probe(atoi(fd));
	return nanosleep(&time, NULL);
}
