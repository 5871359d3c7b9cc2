/* SPDX-License-Identifier: MIT */
/*
 * tw_counter_check(): may the counter be read, what does a read cost, and how does
 * this program get the system clock? The kernel is asked before anything is read:
 * where the counter is disabled, one rdtsc would end the process.
 */
#include "state.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sized.h"
#include "step.h"
#include "text_file.h"
#include "timespec.h"

/* A trap costs a microsecond and more. The slowest counter that is read directly
 * costs some 50 ns. */
#define TRAPPED_NS	500.0
/* One tick of 10 MHz, the slowest counter that tw_scale_init() takes. */
#define COARSE_NS	100.0
/* If clock_gettime() costs this share of the system call, it is a system call.
 * The vDSO's takes a fifth of it. A vDSO that falls back to the call takes more
 * than the call alone. */
#define CALL_RATIO	0.7

#define LOOPS		8
#define LOOP_CALLS	64
#define LOOK_READS	16
#define STEP_CHANGES	64
#define STEP_READS	4096

enum tw_counter_state tw_counter_permission(void)
{
	int allowed = PR_TSC_ENABLE;

	if (!prctl(PR_GET_TSC, &allowed, 0, 0, 0) && allowed == PR_TSC_SIGSEGV)
		return TW_COUNTER_DISABLED;
	return tw_processor_has_counter() ? TW_COUNTER_OK : TW_COUNTER_ABSENT;
}

int tw_system_clock_call(clockid_t clock_id, struct timespec *now)
{
	return syscall(SYS_clock_gettime, clock_id, now) ? -1 : 0;
}

/* Return 1 if two links differ; 0 if not; -1 if one of them can't be read. */
static int links_differ(const char *one_path, const char *other_path)
{
	char one[PATH_MAX], other[PATH_MAX];
	const ssize_t length = readlink(one_path, one, sizeof(one));
	const ssize_t other_length = readlink(other_path, other, sizeof(other));

	if (length <= 0 || other_length <= 0)
		return -1;
	return length != other_length || memcmp(one, other, (size_t)length) != 0;
}

/* For /proc/self/exe qemu-user answers with the program that it runs. The same link by way of
 * the thread still shows qemu. */
int tw_counter_is_emulated(void)
{
	const int saved_errno = errno;
	const int differ = links_differ("/proc/self/exe", "/proc/thread-self/exe");

	errno = saved_errno;
	return differ == 1;
}

int tw_parse_timens_offsets(const char *text, int64_t *monotonic_ns,
			    int64_t *boottime_ns)
{
	int64_t offset_ns[2];
	unsigned seen = 0;

	while (*text) {
		int64_t seconds, ns;
		char name[16];
		int is_boottime;

		if (sscanf(text, "%15s %" SCNd64 " %" SCNd64, name, &seconds,
			   &ns) != 3)
			return -EINVAL;
		is_boottime = !strcmp(name, "boottime");
		if (!is_boottime && strcmp(name, "monotonic"))
			return -EINVAL;
		if (ns < 0 || ns >= (int64_t)TW_NS_PER_SECOND ||
		    __builtin_mul_overflow(seconds, (int64_t)TW_NS_PER_SECOND,
					   &seconds) ||
		    __builtin_add_overflow(seconds, ns, &offset_ns[is_boottime]))
			return -EINVAL;
		seen |= 1u << is_boottime;
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	if (seen != 3)
		return -EINVAL;
	*monotonic_ns = offset_ns[0];
	*boottime_ns = offset_ns[1];
	return 0;
}

static void look_at_namespace(struct tw_counter_facts *facts)
{
	char text[256];
	const ssize_t length = tw_text_file_begin("/proc/self/timens_offsets", text, sizeof(text));

	facts->time_namespace = -1;
	/* A kernel without time namespaces shifts no clock. */
	if (length == -ENOENT)
		facts->time_namespace = 0;
	if (length < 0)
		return;
	/* The file is about the children: after unshare() not about us. */
	if (links_differ("/proc/self/ns/time", "/proc/self/ns/time_for_children") ||
	    tw_parse_timens_offsets(text, &facts->monotonic_offset_ns,
				    &facts->boottime_offset_ns))
		return;
	facts->time_namespace = facts->monotonic_offset_ns != 0 ||
				facts->boottime_offset_ns != 0;
}

static double loop_of_reads_ns(unsigned reads)
{
	uint64_t begin_ns = tw_clock_id_ns(CLOCK_MONOTONIC);

	for (unsigned i = 0; i < reads; i++)
		tw_ticks();
	return (double)(tw_clock_id_ns(CLOCK_MONOTONIC) - begin_ns) / reads;
}

/* The first loop is short, since a trapped read takes microseconds. */
static double read_cost_ns(void)
{
	double min_ns = loop_of_reads_ns(LOOK_READS);

	for (unsigned i = 0; i < LOOPS; i++) {
		double ns = loop_of_reads_ns(min_ns > TRAPPED_NS ?
					     LOOK_READS : 4 * LOOP_CALLS);

		if (ns < min_ns)
			min_ns = ns;
	}
	return min_ns;
}

/* What a loop of ordered reads took, for each change and for each tick. */
struct changes {
	double ns_per_change;
	double ns_per_tick;
};

static struct changes loop_of_changes(void)
{
	uint64_t begin_ns = tw_clock_id_ns(CLOCK_MONOTONIC), first_ticks, ticks;
	unsigned changes = 0;
	double ns;

	first_ticks = ticks = tw_ticks_begin();
	for (unsigned reads = 0; reads < STEP_READS && changes < STEP_CHANGES; reads++) {
		uint64_t before = ticks;

		ticks = tw_ticks_begin();
		changes += ticks != before;
	}
	ns = (double)(tw_clock_id_ns(CLOCK_MONOTONIC) - begin_ns);
	return (struct changes) {
		ns / (changes ? changes : 1),
		ns / (ticks > first_ticks ? (double)(ticks - first_ticks) : 1),
	};
}

/* Return the cost of CLOCK_MONOTONIC by libc, and thus the vDSO, or by the
 * system call. */
static double clock_cost_ns(int (*read_clock)(clockid_t, struct timespec *))
{
	uint64_t min_ns = UINT64_MAX;

	for (unsigned loop = 0; loop < LOOPS; loop++) {
		struct timespec begin, now;
		uint64_t ns;

		tw_system_clock_call(CLOCK_MONOTONIC, &begin);
		for (unsigned i = 0; i < LOOP_CALLS; i++)
			read_clock(CLOCK_MONOTONIC, &now);
		ns = tw_timespec_ns(&now) - tw_timespec_ns(&begin);
		if (ns < min_ns)
			min_ns = ns;
	}
	return (double)min_ns / LOOP_CALLS;
}

static void look_at_costs(struct tw_counter_facts *facts)
{
	struct changes changes = { 0, 0 };

	facts->call_cost_ns = clock_cost_ns(tw_system_clock_call);
	if (facts->state != TW_COUNTER_OK) {
		facts->clock_is_call = -1;
		return;
	}
	facts->clock_cost_ns = clock_cost_ns(clock_gettime);
	facts->clock_is_call = !getauxval(AT_SYSINFO_EHDR) ||
		facts->clock_cost_ns > CALL_RATIO * facts->call_cost_ns;
	facts->read_cost_ns = read_cost_ns();
	for (unsigned i = 0; i < LOOPS / 2; i++) {
		struct changes one = loop_of_changes();

		if (i == 0 || one.ns_per_change < changes.ns_per_change)
			changes = one;
	}
	facts->step_ns = tw_step_read() * changes.ns_per_tick;
	if (facts->read_cost_ns > TRAPPED_NS) {
		facts->state = TW_COUNTER_TRAPPED;
	} else if (changes.ns_per_change > COARSE_NS &&
		   changes.ns_per_change > 2 * facts->read_cost_ns) {
		facts->state = TW_COUNTER_COARSE;
		facts->step_ns = changes.ns_per_change;
	}
}

int tw_counter_check(struct tw_counter_facts *facts)
{
	int ret = tw_sized_check(facts->size, TW_FIRST_COUNTER_FACTS);
	struct tw_counter_facts out = { 0 };
	int saved_errno = errno;

	if (ret)
		return ret;
	out.state = tw_counter_permission();
	out.emulated = tw_counter_is_emulated();
	look_at_namespace(&out);
	look_at_costs(&out);
	errno = saved_errno;
	tw_sized_give(facts, &out, sizeof(out));
	return 0;
}
