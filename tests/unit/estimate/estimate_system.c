/* SPDX-License-Identifier: MIT */
/*
 * A measurement and the system around it, by either method. It leaves the caller's
 * affinity, signal mask, threads, descriptors and errno as they were, also if it fails.
 * A thread that can't be started or kept on its CPU ends in an error or in fewer CPUs
 * judged, which is reported. Options outside their range are refused, and a goal that
 * can't be met ends at the time limit. Progress is told, and can end it. Signals that
 * flood the caller end it neither early nor late. The collector's memory is touched before
 * the readings that go there, and never written beyond its end; the words that order the
 * probes are alone on their cache lines.
 *
 * Fails if the others wait for a thread that never comes, or if readings count for the
 * CPU that was asked for in place of the one they were made on. Fails if the last
 * remaining CPU is given up for a single stray check, if a handler runs in a thread of
 * ours, if what was collected before a judgement is lost after it, or if a burst begins on
 * memory that has yet to be mapped.
 */
#include <dirent.h>
#include <errno.h>
#include <malloc.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "estimate/probe.h"
#include "machine/cpus.h"
#include "tap.h"
#include "trust.h"

#define PATIENT_NS	(600 * TW_NS_PER_SECOND)

static unsigned allowed, kept_cpu, other_cpu;

/* ---- the caller is as before ---- */

struct state {
	unsigned char cpus[8192];
	sigset_t signals;
	unsigned threads, descriptors;
};

static unsigned entries(const char *path)
{
	DIR *dir = opendir(path);
	unsigned count = 0;

	while (dir && readdir(dir))
		count++;
	if (dir)
		closedir(dir);
	return count;
}

static void look(struct state *state)
{
	memset(state, 0, sizeof(*state));
	sched_getaffinity(0, sizeof(state->cpus), (cpu_set_t *)state->cpus);
	pthread_sigmask(SIG_SETMASK, NULL, &state->signals);
	state->threads = entries("/proc/self/task");
	state->descriptors = entries("/proc/self/fd");
}

/* A joined thread can still be listed for a moment. */
static int same_threads(const struct state *before)
{
	struct timespec pause = { .tv_nsec = 1000000 };

	for (unsigned tries = 0; tries < 1000; tries++, nanosleep(&pause, NULL))
		if (entries("/proc/self/task") == before->threads)
			return 1;
	return 0;
}

static int measure(struct tw_reliability *result,
		   const struct tw_reliability_options *options,
		   const struct tw_probe_system *system, const char *what)
{
	struct state before, after;
	int error, same_signals = 1, same_errno;

	*result = TW_SIZED(struct tw_reliability);
	look(&before);
	errno = 4711;
	error = tw_reliability_measure_on(result, options, system);
	same_errno = errno == 4711;
	look(&after);
	for (int number = 1; number < NSIG; number++)
		same_signals &= sigismember(&before.signals, number) ==
				sigismember(&after.signals, number);
	tap_ok(same_errno && same_signals && same_threads(&before) &&
	       !memcmp(before.cpus, after.cpus, sizeof(before.cpus)) &&
	       before.descriptors == after.descriptors,
	       "%s (%d): the caller's errno (%d), signals (%d), threads, CPUs and "
	       "descriptors are as before", what, error, same_errno, same_signals);
	return error;
}

/* ---- threads that fail ---- */

static unsigned calls, good_calls;
static cpu_set_t strayed;

static int no_thread(pthread_t *thread, const pthread_attr_t *attributes,
		     void *(*start)(void *), void *argument)
{
	(void)thread, (void)attributes, (void)start, (void)argument;
	return EPERM;
}

static int first_thread_only(pthread_t *thread, const pthread_attr_t *attributes,
			     void *(*start)(void *), void *argument)
{
	return calls++ ? EAGAIN : pthread_create(thread, attributes, start, argument);
}

static int no_cpu(unsigned cpu)
{
	(void)cpu;
	return -EINVAL;
}

static int one_cpu_only(unsigned cpu)
{
	return cpu == kept_cpu ? tw_probe_system_real.pin(cpu) : -EINVAL;
}

/* Report success for all, and stay. */
static int wrong_cpu(unsigned cpu)
{
	(void)cpu;
	return tw_probe_system_real.pin(kept_cpu);
}

/* All succeed at first; then every CPU but one is taken away. */
static int taken_away(unsigned cpu)
{
	return calls++ < good_calls ? tw_probe_system_real.pin(cpu) : one_cpu_only(cpu);
}

/* Once for each CPU: report success, and be on another. */
static int stray_once(unsigned cpu)
{
	if (calls++ < good_calls || CPU_ISSET(cpu, &strayed))
		return tw_probe_system_real.pin(cpu);
	CPU_SET(cpu, &strayed);
	return tw_probe_system_real.pin(cpu == kept_cpu ? other_cpu : kept_cpu);
}

#define CAS	(1 << TW_METHOD_CAS)
#define SWITCH	(1 << TW_METHOD_SWITCH)

static const struct failure {
	const char *what;
	struct tw_probe_system system;
	unsigned methods;
	int is_error;
	unsigned good_calls;
} failures[] = {
	{ "no thread", { no_thread, tw_pin_to_cpu }, CAS | SWITCH, 1, 0 },
	{ "no CPU", { pthread_create, no_cpu }, CAS | SWITCH, 1, 0 },
	{ "one thread", { first_thread_only, tw_pin_to_cpu }, CAS, 0, 0 },
	{ "one CPU", { pthread_create, one_cpu_only }, CAS | SWITCH, 0, 0 },
	{ "a wrong CPU", { pthread_create, wrong_cpu }, CAS | SWITCH, 0, 0 },
	{ "CPUs taken away", { pthread_create, taken_away }, SWITCH, 0, 1 },
	{ "CPUs taken away", { pthread_create, taken_away }, SWITCH, 0, 34 },
	{ "CPUs taken away", { pthread_create, taken_away }, SWITCH, 0, 67 },
	{ "each astray once", { pthread_create, stray_once }, SWITCH, 0, 0 },
	{ "each astray once", { pthread_create, stray_once }, SWITCH, 0, 33 },
	{ "each astray once", { pthread_create, stray_once }, SWITCH, 0, 66 },
	{ "each astray once", { pthread_create, stray_once }, SWITCH, 0, 99 },
};

/* How many warnings tell of CPUs that are not judged. */
static unsigned warnings;

static void hear(void *context, int level, const char *message)
{
	(void)context;
	warnings += level == TW_SAY_WARNING && strstr(message, "not judged");
}

static void try_failure(const struct failure *failure, enum tw_reliability_method method)
{
	const struct tw_reliability_options options = {
		.size = sizeof(options), .method = method, .time_limit_ns = PATIENT_NS,
	};
	struct tw_reliability result;
	int error;

	if (!failure->is_error && allowed < 2) {
		tap_skip("only one CPU is allowed: none can be missing");
		return;
	}
	calls = 0;
	good_calls = failure->good_calls;
	CPU_ZERO(&strayed);
	warnings = 0;
	tw_set_diagnostics(hear, NULL);
	error = measure(&result, &options, &failure->system, failure->what);
	tw_set_diagnostics(NULL, NULL);
	if (failure->is_error) {
		tap_ok(error == -EAGAIN, "%s: -EAGAIN", failure->what);
		return;
	}
	tap_ok(!error && result.cpus == 1 && result.cpus_skipped == allowed - 1 &&
	       result.pairs == 0 && warnings == 1,
	       "%s: one CPU is judged, the others are missing, and a warning tells so",
	       failure->what);
	tap_ok((result.reasons & TW_REASON_CPUS_SKIPPED) &&
	       !(result.reasons & TW_REASON_ONE_CPU) && result.verdict == TW_UNDECIDED &&
	       result.elapsed_ns < PATIENT_NS / 2,
	       "undecided for that and not for there being one, without waiting");
	tw_reliability_free(&result);
}

static atomic_uint pins;

static int only_at_first(unsigned cpu)
{
	return atomic_fetch_add(&pins, 1) < allowed ? tw_pin_to_cpu(cpu) : -EINVAL;
}

/* The threads end every 250 ms. No CPU can be had for the next ones: what was read before is
 * not judged. */
static void all_taken(void)
{
	const struct tw_reliability_options options = {
		.size = sizeof(options), .time_limit_ns = PATIENT_NS,
		.least_time_ns = 2 * TW_NS_PER_SECOND,
	};
	const struct tw_probe_system system = { pthread_create, only_at_first };
	struct tw_reliability result;

	tap_ok(measure(&result, &options, &system, "all taken away") == -EAGAIN,
	       "no CPU is left: -EAGAIN");
}

/* Of a turn the first and the last reading stay, and one that is smaller than the one before. */
static void recorded(void)
{
	static const uint64_t ticks[] = { 10, 10, 10, 12, 9 };
	struct tw_sample samples[8];
	struct tw_probe_worker worker = { .samples = samples, .next_sequence = 77 };

	for (uint64_t i = 0; i < 5; i++)
		tw_probe_record(&worker, i, ticks[i]);
	tap_ok(worker.count == 3 && worker.probes == 5 && worker.switches == 1 &&
	       samples[0].sequence == 0 && samples[1].sequence == 3 && samples[2].ticks == 9,
	       "five readings of a turn: %zu samples", worker.count);
}

/* ---- good runs: the threads' number and turns ---- */

/* Threads may follow each other, but by moving there is one at a time. */
static atomic_uint running, most_running;
static void *(*_Atomic real_start)(void *);
static atomic_ullong longest_ns;

static void *count_running(void *argument)
{
	unsigned now = atomic_fetch_add(&running, 1) + 1;
	void *result;

	if (now > atomic_load(&most_running))
		atomic_store(&most_running, now);
	result = real_start(argument);
	atomic_fetch_sub(&running, 1);
	return result;
}

static int count_threads(pthread_t *thread, const pthread_attr_t *attributes,
			 void *(*start)(void *), void *argument)
{
	real_start = start;
	return pthread_create(thread, attributes, count_running, argument);
}

/* Return the length of the calling thread's turns; 0 if it is not known, or must not be
 * changed, as in some containers. */
static uint64_t own_turns_ns(void)
{
	struct {
		uint32_t size, policy;
		uint64_t flags;
		int32_t nice;
		uint32_t priority;
		uint64_t runtime, deadline, period;
	} turns = { 0 };

	if (syscall(SYS_sched_getattr, 0L, &turns, sizeof(turns), 0) ||
	    syscall(SYS_sched_setattr, 0L, &turns, 0))
		return 0;
	return turns.runtime;
}

static int pin_and_look(unsigned cpu)
{
	uint64_t now_ns = own_turns_ns();

	if (now_ns > atomic_load(&longest_ns))
		atomic_store(&longest_ns, now_ns);
	return tw_pin_to_cpu(cpu);
}

/* What the readings show depends on this machine: machine/estimate. */
static void try_good(enum tw_reliability_method method)
{
	const struct tw_probe_system system = { count_threads, pin_and_look };
	struct tw_reliability_options options = { .size = sizeof(options), .method = method };
	uint64_t before_ns = own_turns_ns();
	struct tw_reliability result;

	atomic_store(&longest_ns, 0);
	atomic_store(&most_running, 0);
	tap_ok(!measure(&result, &options, &system, "a good run") &&
	       result.method == method, "measured by method %d", (int)method);
	if (method == TW_METHOD_SWITCH)
		/* How many moves there are in its time depends on what else runs. */
		tap_ok(most_running == 1 && (result.cpus == 1 || result.switches),
		       "by one thread at a time, in %" PRIu64 " moves", result.switches);
	/* Among many busy threads, a thread with turns of the usual length gets too few
	 * moves into its time. */
	if (sched_getscheduler(0) != SCHED_OTHER || before_ns <= 100000)
		tap_skip("this kernel has no turns of a thread's own, or ours are the "
			 "shortest");
	else
		tap_ok(atomic_load(&longest_ns) < before_ns && own_turns_ns() == before_ns,
		       "in turns of %llu us, of the caller's %llu", longest_ns / 1000,
		       (unsigned long long)before_ns / 1000);
	tw_reliability_free(&result);
	options.tolerance_ns = 1;
	/* With switching the first judgement is after 40 ms. */
	options.time_limit_ns = method == TW_METHOD_SWITCH ? 100000000 : 20000000;
	measure(&result, &options, NULL, "a run that collects again");
	tw_reliability_free(&result);
}

/* ---- limits ---- */

/* Sleeping threads on busy CPUs come late, by some turns of the scheduler. For ever is
 * longer. */
#define LATE_NS		(300 * TW_NS_PER_SECOND)

static void unreachable(uint64_t tolerance_ns, uint64_t least_switches, unsigned reason)
{
	struct tw_reliability_options options = {
		.size = sizeof(options), .time_limit_ns = 30000000,
		.tolerance_ns = tolerance_ns, .least_switches = least_switches,
	};
	struct tw_reliability result = TW_SIZED(struct tw_reliability);

	tap_ok(!tw_reliability_measure(&result, &options) &&
	       result.elapsed_ns < options.time_limit_ns + LATE_NS,
	       "ended after %.1f ms of %.1f", (double)result.elapsed_ns / 1e6,
	       (double)options.time_limit_ns / 1e6);
	/* With one CPU there are no offsets and no switches. A fault of this machine is
	 * not for this test. */
	tap_ok(result.cpus == 1 || result.verdict == TW_UNRELIABLE ||
	       (result.verdict == TW_UNDECIDED && (result.reasons & reason)),
	       "undecided: %s", tw_text(TW_ENUM_REASON, reason));
	tw_reliability_free(&result);
}

/* ---- progress ---- */

static struct told {
	pthread_t thread;
	unsigned times, end_at;
	int answer;
	uint64_t probes, elapsed_ns;
	int forwards;
} told;

static int tell(void *context, const struct tw_reliability_progress *progress)
{
	(void)context;
	told.times++;
	told.forwards &= pthread_equal(told.thread, pthread_self()) &&
			 progress->probes >= told.probes &&
			 progress->elapsed_ns > told.elapsed_ns && progress->cpus > 0;
	told.probes = progress->probes;
	told.elapsed_ns = progress->elapsed_ns;
	return told.times == told.end_at ? told.answer : 0;
}

static int measure_and_tell(struct tw_reliability *result,
			    const struct tw_reliability_options *options, unsigned end_at,
			    int answer)
{
	told = (struct told) {
		.thread = pthread_self(), .end_at = end_at, .answer = answer,
		.forwards = 1,
	};
	*result = (struct tw_reliability) { .size = sizeof(*result), .cpus = 4711 };
	return tw_reliability_measure(result, options);
}

static void progress(enum tw_reliability_method method)
{
	struct tw_reliability_options options = {
		.size = sizeof(options), .method = method, .least_time_ns = 1200000000,
		.time_limit_ns = PATIENT_NS, .progress = tell,
	};
	struct tw_reliability result;
	int error = measure_and_tell(&result, &options, 0, 0);

	/* The caller is told between two slices of 250 ms. They last longer where others
	 * have the CPUs: then it measures for four times as long. */
	while (!error && told.times < 3 &&
	       options.least_time_ns <= 60 * TW_NS_PER_SECOND) {
		tw_reliability_free(&result);
		options.least_time_ns *= 4;
		error = measure_and_tell(&result, &options, 0, 0);
	}
	tap_ok(!error && told.times >= 3 && told.forwards,
	       "told %u times, never less than before", told.times);
	tap_ok(result.probes >= told.probes && result.elapsed_ns >= options.least_time_ns,
	       "all of that was judged, and it took as long as asked");
	tw_reliability_free(&result);
	tap_ok(!measure_and_tell(&result, &options, 2, TW_ENOUGH) && told.times == 2 &&
	       result.probes >= told.probes && result.cpus,
	       "what was measured was enough: judged");
	tw_reliability_free(&result);
	tap_ok(measure_and_tell(&result, &options, 2, 1) == -ECANCELED &&
	       result.cpus == 4711 && told.times == 2, "ended when asked to");
}

/* ---- signals ---- */

static atomic_uint here, elsewhere;
static pid_t caller;

static void handler(int number)
{
	(void)number;
	atomic_fetch_add((pid_t)syscall(SYS_gettid) == caller ? &here : &elsewhere, 1);
}

/* Long enough for this: a busy machine's timer overruns, and a caller that gets no turn
 * gets no signal. */
#define MIN_SIGNALS	100

static void signals(enum tw_reliability_method method)
{
	struct sigaction action = { .sa_handler = handler };
	const struct itimerval rain = { { 0, 100 }, { 0, 100 } };
	struct tw_reliability_options options = {
		.size = sizeof(options), .method = method, .least_time_ns = 25000000,
		.time_limit_ns = PATIENT_NS,
	};
	struct tw_reliability result = TW_SIZED(struct tw_reliability);

	caller = (pid_t)syscall(SYS_gettid);
	sigaction(SIGALRM, &action, NULL);
	atomic_store(&elsewhere, 0);
	do {
		int error;

		options.least_time_ns *= 4;
		atomic_store(&here, 0);
		setitimer(ITIMER_REAL, &rain, NULL);
		error = tw_reliability_measure(&result, &options);
		setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL);
		tap_ok(!error && result.elapsed_ns >= options.least_time_ns,
		       "method %d: measured (%d), not cut short", (int)method, error);
		tw_reliability_free(&result);
	} while (here < MIN_SIGNALS && options.least_time_ns < 60 * TW_NS_PER_SECOND);
	tap_is_u64(elsewhere, 0, "handlers in other threads");
	tap_ok(here >= MIN_SIGNALS, "while %u signals rained", here);
}

/* ---- memory ---- */

static struct tw_probe_run *collect(uint64_t room_ns, uint64_t run_ns,
				    enum tw_reliability_method method)
{
	struct tw_probe_goal goal = {
		.deadline_ns = tw_probe_now_ns() + run_ns,
		.least_switches = UINT64_MAX,
		.min_span_ns = UINT64_MAX / 2,
	};
	struct tw_probe_run *run = NULL;
	unsigned *cpus;
	unsigned count;

	if (tw_allowed_cpus(&cpus, &count) ||
	    tw_probe_new(&run, method, cpus, count, room_ns, NULL))
		exit(1);
	tap_ok(tw_probe_collect(run, &goal) >= 0, "collected");
	free(cpus);
	return run;
}

/*
 * For this test, fresh memory is not filled with 0. So the memory that a burst left
 * unused behind its last sample was touched before.
 */
static void try_touched(void)
{
	static const struct tw_sample none;
	struct tw_probe_run *run;
	unsigned seen = 0, touched = 0;

	mallopt(M_PERTURB, 0x5a);
	run = collect(2000000, 8000000, TW_METHOD_CAS);
	mallopt(M_PERTURB, 0);
	for (unsigned i = 0; i < run->count; i++) {
		const struct tw_probe_worker *worker = &run->workers[i];

		if (!worker->count || worker->count == run->capacity)
			continue;
		seen++;
		touched += !memcmp(&worker->samples[worker->count], &none,
				   sizeof(none));
	}
	tap_is_u64(touched, seen, "CPUs whose memory was touched before");
	tw_probe_free(run);
}

static void try_full(enum tw_reliability_method method, const char *what)
{
	struct tw_probe_run *run = collect(1000000, 60000000, method);
	int within = 1;

	for (unsigned i = 0; i < run->count; i++)
		within &= run->workers[i].count <= run->capacity;
	tap_ok(within, "%s: no more than there is room for", what);
	tw_probe_free(run);
}

/* ---- the caller's own mask ---- */

/* Judge the CPUs in it and no others. Undecided on a busy machine; with one CPU nothing
 * proves a fault. */
static void pinned(unsigned cpu)
{
	struct tw_reliability result = TW_SIZED(struct tw_reliability);
	struct tw_machine machine = TW_SIZED(struct tw_machine);
	unsigned seen = ~0u, count = 0, *cpus = NULL;

	tap_ok(!tw_pin_to_cpu(cpu) && !tw_allowed_cpus(&cpus, &count) && count == 1 &&
	       cpus[0] == cpu, "CPU %u is the only one allowed", cpu);
	free(cpus);
	tw_machine_read(&machine);
	tap_ok(machine.cpus_allowed == 1 && machine.cpus_online >= 1 &&
	       machine.cpus_configured >= machine.cpus_online, "and is counted so");
	tap_ok(tw_ticks_cpu(&seen) && seen == cpu && tw_ticks_cpu(NULL),
	       "the counter is read on it, also when nobody asks where");
	tap_ok(!tw_reliability_measure(&result, NULL) && result.cpus == 1 &&
	       result.pairs == 0 && (result.reasons & TW_REASON_ONE_CPU) &&
	       result.verdict != TW_UNRELIABLE, "judged alone, and not unreliable");
	tw_reliability_free(&result);
}

static void *nothing(void *argument)
{
	return argument;
}

int main(void)
{
	const struct tw_reliability_options wrong = { .size = sizeof(wrong), .hz = -1 };
	const struct tw_reliability untouched = TW_SIZED(struct tw_reliability);
	enum tw_reliability_method method;
	struct tw_reliability result;
	unsigned *cpus;
	pthread_t thread;
	sigset_t some;

	/* ThreadSanitizer starts a thread of its own with the first one. */
	if (!pthread_create(&thread, NULL, nothing, NULL))
		pthread_join(thread, NULL);
	sigemptyset(&some);
	sigaddset(&some, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &some, NULL);
	if (!tap_ok(!tw_allowed_cpus(&cpus, &allowed) && allowed, "CPUs allowed"))
		return tap_done();
	kept_cpu = (unsigned)sched_getcpu();
	other_cpu = cpus[allowed > 1 && cpus[0] == kept_cpu];
	tap_ok(!measure(&result, NULL, NULL, "no options"), "the defaults do");
	tw_reliability_free(&result);
	/* tests/unit/core/trust.c has all options that are refused. */
	tap_ok(measure(&result, &wrong, NULL, "wrong options") == -EINVAL &&
	       !memcmp(&result, &untouched, sizeof(result)), "refused, nothing written");
	recorded();
	all_taken();
	unreachable(1, 0, TW_REASON_TOLERANCE);
	unreachable(0, 1000000000, TW_REASON_STATISTICS);
	for (method = TW_METHOD_CAS; method <= TW_METHOD_SWITCH; method++) {
		try_good(method);
		for (unsigned i = 0; i < sizeof(failures) / sizeof(*failures); i++)
			if (failures[i].methods >> method & 1)
				try_failure(&failures[i], method);
		progress(method);
		signals(method);
	}
	tap_ok(sizeof(struct tw_probe_word) == 128 && _Alignof(struct tw_probe_word) == 128 &&
	       sizeof(struct tw_probe_worker) % 128 == 0 &&
	       _Alignof(struct tw_probe_worker) == 128,
	       "each word is alone, and so is each thread's own");
	try_touched();
	try_full(TW_METHOD_CAS, "threads on all CPUs");
	try_full(TW_METHOD_SWITCH, "one thread moved");
	for (unsigned i = 0; i < allowed && i < 4; i++)
		pinned(cpus[i]);
	free(cpus);
	return tap_done();
}
