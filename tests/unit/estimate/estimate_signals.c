/* SPDX-License-Identifier: MIT */
/*
 * Signals that flood the caller end a measurement neither early nor late, and no
 * handler runs in a thread of ours.
 *
 * Fails if a thread sleeps with signals open and an interrupted sleep (EINTR)
 * counts as one that is over, or as a failure.
 */
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "tap.h"
#include "tickwise.h"

static atomic_uint here, elsewhere;
static pid_t caller;

static void handler(int number)
{
	(void)number;
	if ((pid_t)syscall(SYS_gettid) == caller)
		atomic_fetch_add(&here, 1);
	else
		atomic_fetch_add(&elsewhere, 1);
}

static void storm(long distance_us)
{
	struct itimerval every = {
		.it_interval.tv_usec = distance_us,
		.it_value.tv_usec = distance_us,
	};

	if (setitimer(ITIMER_REAL, &every, NULL))
		exit(1);
}

/*
 * Long enough for this: a busy machine's timer overruns, and a caller that gets no
 * turn gets no signal.
 */
#define MIN_SIGNALS	100

static void try_method(enum tw_reliability_method method, const char *what)
{
	struct tw_reliability_options options = {
		.size = sizeof(options),
		.method = method, .least_time_ns = 100000000,
		.time_limit_ns = 600 * TW_NS_PER_SECOND,
	};
	struct tw_reliability result = TW_SIZED(struct tw_reliability);
	int error;

again:
	atomic_store(&here, 0);
	atomic_store(&elsewhere, 0);
	storm(100);
	error = tw_reliability_measure(&result, &options);
	storm(0);
	if (!tap_ok(error == 0, "%s: measured", what))
		return;
	tap_note("%u signals, %.1f ms, %s", atomic_load(&here),
		 (double)result.elapsed_ns / 1e6,
		 tw_name(TW_ENUM_VERDICT, result.verdict));
	tap_is_u64(atomic_load(&elsewhere), 0, "handlers in other threads");
	tap_ok(result.elapsed_ns >= options.least_time_ns, "not cut short");
	tw_reliability_free(&result);
	if (atomic_load(&here) < MIN_SIGNALS &&
	    options.least_time_ns < 60 * TW_NS_PER_SECOND) {
		options.least_time_ns *= 4;
		goto again;
	}
	tap_ok(atomic_load(&here) >= MIN_SIGNALS, "while signals rained");
}

int main(void)
{
	struct sigaction action = { .sa_handler = handler };

	caller = (pid_t)syscall(SYS_gettid);
	sigaction(SIGALRM, &action, NULL);
	try_method(TW_METHOD_CAS, "threads on all CPUs");
	try_method(TW_METHOD_SWITCH, "one thread moved");
	return tap_done();
}
