/* SPDX-License-Identifier: MIT */
/*
 * The processes of `tickwise compare`. No program runs: each process has written
 * all its output into a pipe when it begins. See recorded.h.
 *
 *	fio		a fio whose cpu clock is 7439 ppb fast
 *	fio-patched	a fio with our clock source
 *	fio-dies	a fio that ends before its clock could be read
 *	no-fio		another program
 *	missing		no such program
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command/compare/compare_parts.h"
#include "recorded.h"

#define WINDOW_NS	((uint64_t)2000000000)

/* Each start differs a little from the one before. */
static unsigned starts;

static int open_pipe(struct tw_compare_process *process, int *fd)
{
	int ends[2];

	if (pipe(ends))
		return -errno;
	process->pid = 1;
	process->says = fdopen(ends[0], "r");
	*fd = ends[1];
	return process->says ? 0 : -ENOMEM;
}

/* Write one start of a clock that is @ppb fast and takes @read_ns to be read. */
static void write_start(int fd, double ppb, double startup_ns, double read_ns)
{
	struct tw_probe_report report = {
		.startup_ns = startup_ns + 1000.0 * (starts % 7),
		.read_ns = read_ns + 0.125 * (starts % 3),
	};
	int i, which;

	ppb += 0.25 * (starts % 4);
	for (i = 0; i < 2; i++)
		for (which = 0; which < TW_PROBE_CLOCKS; which++) {
			double fast = which == TW_PROBE_TESTED ? ppb :
				      which == TW_PROBE_MONOTONIC ? 12.5 : 0;

			report.moment[i][which] = (struct tw_anchor_at) {
				.ticks = 1000000 + (uint64_t)i * 5200000000,
				.ns = TW_NS_PER_SECOND + (uint64_t)i * WINDOW_NS,
				.high_ns = 2.5 + i * 2 * fast,
				.low_ns = -1.5 + i * 2 * fast,
			};
		}
	starts++;
	tw_probe_send(fd, &report);
	tw_probe_send(fd, &report);
}

static const char *option(const char *const *argv, const char *name)
{
	for (; *argv; argv++)
		if (!strncmp(*argv, name, strlen(name)))
			return *argv + strlen(name);
	return NULL;
}

/* True if @set has the preload clock. */
static int has_preload(const char *const *set)
{
	for (; *set; set++)
		if (strstr(*set, "libtickwise-preload.so"))
			return 1;
	return 0;
}

static void write_clock(int fd, const char *source, const char *const *set)
{
	if (has_preload(set))
		write_start(fd, 0.5, 41e6, 19.5);
	else if (!strcmp(source, "cpu"))
		write_start(fd, 7439, 230e6, 24);
	else if (!strcmp(source, "tickwise"))
		write_start(fd, 1.25, 61e6, 14);
	else
		write_start(fd, 12.5, 11e6, 27);
}

static void write_null(int fd, const char *source, const char *const *set)
{
	double iops = !strcmp(source, "tickwise") ? 7100000.5 :
		      !strcmp(source, "cpu") ? 6000000.5 : 5000000.5;

	if (has_preload(set))
		iops += 1000000;
	dprintf(fd, "words of fio\n{\"jobs\": [{\"read\": {\"iops\": %.1f}}]}\n", iops);
}

REPLACE(tw_compare_spawn);
int __wrap_tw_compare_spawn(struct tw_compare_process *process,
			    const char *const *argv, const char *const *set,
			    int fd_read)
{
	const char *source = option(argv, "--clocksource=");
	int fd = -1, ret;

	(void)fd_read;
	if (!strcmp(argv[0], "missing"))
		return -ENOENT;
	ret = open_pipe(process, &fd);
	if (ret)
		return ret;
	if (!strcmp(argv[0], "no-fio"))
		dprintf(fd, "another program 1.0\n");
	else if (option(argv, "--version"))
		dprintf(fd, "fio-3.39\n");
	else if (option(argv, "--cmdhelp"))
		dprintf(fd, "valid values: gettimeofday cpu%s\n",
			strcmp(argv[0], "fio-patched") ? "" : " tickwise");
	else if (option(argv, "--startdelay=") && strcmp(argv[0], "fio-dies"))
		write_clock(fd, source, set);
	else if (!option(argv, "--startdelay="))
		write_null(fd, source, set);
	close(fd);
	return 0;
}

/* Without a context: start a busy loop. Else: start one of our clocks. */
REPLACE(tw_compare_fork);
int __wrap_tw_compare_fork(struct tw_compare_process *process,
			   void (*run)(void *context, int fd), void *context)
{
	int fd = -1, ret = open_pipe(process, &fd);

	(void)run;
	if (ret)
		return ret;
	if (context)
		write_start(fd, 0.75, 22e6, 9.5);
	close(fd);
	return 0;
}

REPLACE(tw_compare_wait);
int __wrap_tw_compare_wait(struct tw_compare_process *process, uint64_t patience_ns,
			   struct tw_compare_result *result)
{
	(void)patience_ns;
	(void)result;
	return process->says ? 0 : -1;
}

REPLACE(tw_compare_end);
int __wrap_tw_compare_end(struct tw_compare_process *process, int by_signal)
{
	(void)by_signal;
	if (process->says)
		fclose(process->says);
	*process = (struct tw_compare_process) { 0 };
	return 0;
}
