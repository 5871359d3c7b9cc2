/* SPDX-License-Identifier: MIT */
/*
 * A fio that does no I/O, for command_compare.t. It exports a clock that is off by
 * FAKE_PPB, waits as fio does for a job that starts late, and reports a null
 * engine's I/Os.
 *
 * FAKE_DIES=FILE: it ends before its clock could be read, unless it makes this file.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct timespec zero;
static double ppb;

__attribute__((visibility("default")))
void fio_gettime(struct timespec *now, void *caller);

void fio_gettime(struct timespec *now, void *caller)
{
	long long ns;

	(void)caller;
	clock_gettime(CLOCK_MONOTONIC, now);
	ns = (long long)(now->tv_sec - zero.tv_sec) * 1000000000 +
	     now->tv_nsec - zero.tv_nsec;
	ns += (long long)((double)ns * ppb * 1e-9);
	now->tv_sec = ns / 1000000000;
	now->tv_nsec = ns % 1000000000;
}

static void null_engine(const char *source)
{
	printf("fio: words before it\n{ \"jobs\": [ { \"read\": { \"iops\": %d.5 } } ] }\n",
	       strstr(source, "tickwise") ? 7000 :
	       strstr(source, "cpu") ? 6000 : 5000);
}

int main(int argc, char **argv)
{
	const char *text = getenv("FAKE_PPB");
	const char *source = "";
	int is_late = 0;

	ppb = text ? strtod(text, NULL) : 0;
	clock_gettime(CLOCK_MONOTONIC, &zero);
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--version")) {
			puts("fio-9.99");
			return 0;
		}
		if (!strcmp(argv[i], "--cmdhelp=clocksource")) {
			puts("     valid values: cpu\n\ttickwise");
			return 0;
		}
		if (!strncmp(argv[i], "--clocksource=", 14))
			source = argv[i] + 14;
		is_late |= !strncmp(argv[i], "--startdelay=", 13);
	}
	text = getenv("FAKE_DIES");
	if (text && open(text, O_WRONLY | O_CREAT | O_EXCL, 0600) < 0)
		return 1;
	if (!is_late)
		null_engine(source);
	while (is_late)
		usleep(100000);
	return 0;
}
