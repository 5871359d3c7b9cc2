/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which I/Os are split inside the kernel: as many as cost a small share of the job's CPU
 * time; and what this costs, measured in the run. The hot path only counts down to the next
 * chosen I/O (choose.h). The rest is done at flushes.
 */
#include "job_record.h"
#include "timespec.h"

/* What splitting an I/O costs, by tests/bench/results.md: bodies of the programs, and the
 * rest of a flush. Entering the programs is not in it, since all I/Os pay that. */
#define SPLIT_DIRECT_NS		600
#define SPLIT_BUFFERED_NS	200
/* What each other I/O costs if the program compares its age with a limit. */
#define COMPARE_NS			60
/* What both may cost, of the job's CPU time; of a job that mostly sleeps, of this part of the time. */
#define PERCENT			2
#define ASLEEP_PART		10

/* A pair is two spans of 10 ms. A plain span of 90 ms is between two pairs. So for a tenth
 * of the time at most no I/O is chosen. After each plain span the chance is set anew: what
 * an I/O costs changes, as when a file gets into the page cache. The first span is about as long. */
#define PAIR_NS			10000000
#define PLAIN_PAIRS		9
#define FIRST_PAIRS		10
/* A span of a pair has this many times the I/Os that are in flight or not yet flushed, at
 * least: those belong to the span before. */
#define PAIR_IOS		16

void tw_sampling_limit(struct tw_job *job)
{
	const struct tw_slowest *slowest = &job->collected.slowest;
	const struct tw_sampling *sampling = &job->hot.sampling;
	const bool is_off = sampling->is_off || sampling->is_late_off || !slowest->most;
	uint64_t limit;

	if (!job->hot.kernel.stamps)
		return;
	limit = is_off ? 0 : tw_key_limit(slowest->least);
	job->hot.key = limit << TW_KEY_UPPER_SHIFT |
		       (uint64_t) job->hot.kernel.ring << TW_KEY_RING_SHIFT;
}

/* Begin a span. */
static void begin(struct tw_job *job, unsigned place, uint64_t now_ticks)
{
	struct tw_sampling *sampling = &job->hot.sampling;
	const bool was_off = sampling->is_off;

	sampling->place = place;
	/* Of the two spans of a pair one is on, so the chance is half of what it is there. */
	sampling->chance = sampling->chooser.shift + (place != 0);
	if (job->hot.kernel.stamps)
		sampling->every = max(sampling->every, (uint64_t) 1 << sampling->chance);
	sampling->is_off = place == 2 ? !was_off :
			   place == 1 && tw_choose_random(&sampling->chooser.random) >> 63;
	if (sampling->is_off)
		sampling->chooser.left = UINT64_MAX;
	else if (was_off)
		sampling->chooser.left = tw_choose_gap(&sampling->chooser);
	tw_sampling_limit(job);
	sampling->from_ticks = now_ticks;
	sampling->cpu_ns = tw_clock_id_ns(CLOCK_THREAD_CPUTIME_ID);
	sampling->ios = job->hot.generation;
	sampling->lats = sampling->lat_ns = 0;
}

void tw_sampling_start(const struct tw_options *o, struct tw_job *job)
{
	struct tw_sampling *sampling = &job->hot.sampling;
	const uint64_t now_ticks = job->collected.start.ticks;
	/* Only of an I/O that is split are all reasons known. */
	const bool each = o->kernel_every == 1 || (!o->kernel_every && o->causes &&
							 job->hot.kernel.has_parts);

	sampling->after_ticks = UINT64_MAX;
	sampling->chooser.left = UINT64_MAX;
	if (!job->hot.kernel.stamps)
		return;
	tw_choose_init(&sampling->chooser, o->kernel_every ? (unsigned)
		       __builtin_ctz(o->kernel_every) : 0, now_ticks);
	sampling->is_auto = !o->kernel_every && !each;
	sampling->pair_ticks = (uint64_t) (PAIR_NS * tw_job_ticks_per_ns(job));
	/* If each I/O is split, nothing is measured. */
	if (!each)
		sampling->after_ticks = FIRST_PAIRS * sampling->pair_ticks;
	begin(job, 0, now_ticks);
}

/* Set the chance anew from what the span cost. Every I/O carries its own chance. */
static void choose(struct tw_job *job, uint64_t now_ticks)
{
	struct tw_sampling *sampling = &job->hot.sampling;
	const double cost_ns = job->ring.direct ? SPLIT_DIRECT_NS : SPLIT_BUFFERED_NS;
	const double span_ns = (double) (now_ticks - sampling->from_ticks) / tw_job_ticks_per_ns(job);
	const uint64_t cpu_ns = max(tw_clock_id_ns(CLOCK_THREAD_CPUTIME_ID) - sampling->cpu_ns,
				    (uint64_t) (span_ns / ASLEEP_PART));
	const uint32_t ios = job->hot.generation - sampling->ios;
	unsigned shift;

	/* Half of it is for slow ones that are not chosen, if that is enough. */
	sampling->is_late_off = tw_choose_shift(COMPARE_NS, PERCENT / 2., cpu_ns, ios, 0);
	shift = tw_choose_shift(cost_ns, sampling->is_late_off ? PERCENT : PERCENT / 2.,
				cpu_ns, ios, sampling->chooser.shift);
	/* The shift falls by two steps or not at all, so that noise does not move it to and fro. */
	if (shift <= sampling->chooser.shift && shift + 2 > sampling->chooser.shift)
		return;
	tw_choose_init(&sampling->chooser, shift, now_ticks);
}

/* Note a span of a pair. Return false: it has to last longer. */
static bool measure(struct tw_job *job)
{
	struct tw_sampling *sampling = &job->hot.sampling;
	const uint32_t ios = job->hot.generation - sampling->ios;
	uint64_t cpu_ns;

	if (ios < PAIR_IOS * (job->ring.entries + TW_FINISHED_MAX) || !sampling->lats)
		return false;
	cpu_ns = tw_clock_id_ns(CLOCK_THREAD_CPUTIME_ID) - sampling->cpu_ns;
	sampling->cpu_ps[!sampling->is_off] = cpu_ns * 1000 / ios;
	sampling->latency_ps[!sampling->is_off] = sampling->lat_ns * 1000 / sampling->lats;
	return true;
}

void tw_sampling_go_on(struct tw_job *job, uint64_t now_ticks)
{
	struct tw_sampling *sampling = &job->hot.sampling;
	/* A span of a pair may have lasted longer. */
	const uint64_t short_ticks = sampling->place ?
		max(sampling->pair_ticks, now_ticks - sampling->from_ticks) :
		sampling->pair_ticks;

	if (sampling->place && !measure(job))
		return;
	if (!sampling->place && sampling->is_auto)
		choose(job, now_ticks);
	if (sampling->place == 2 && tw_pair_is_good(sampling->cpu_ps) &&
	    tw_pair_is_good(sampling->latency_ps)) {
		tw_pairs_add(&sampling->cpu, sampling->cpu_ps);
		tw_pairs_add(&sampling->latency, sampling->latency_ps);
		sampling->pairs++;
	}
	/* If all are split, as few cost little, there is no pair. */
	begin(job, sampling->chooser.shift ? (sampling->place + 1) % 3 : 0, now_ticks);
	sampling->after_ticks = sampling->place ? sampling->pair_ticks :
				PLAIN_PAIRS * short_ticks;
}

void tw_sampling_put(struct tw_sampling *sampling, struct tw_scalars *scalars)
{
	scalars->every = sampling->every;
	scalars->cost_pairs += sampling->pairs;
	scalars->cost_cpu_off_ps += sampling->cpu.off_ps;
	scalars->cost_cpu_on_ps += sampling->cpu.on_ps;
	scalars->cost_cpu_ns2 += sampling->cpu.squares_ns2;
	scalars->cost_lat_off_ps += sampling->latency.off_ps;
	scalars->cost_lat_on_ps += sampling->latency.on_ps;
	scalars->cost_lat_ns2 += sampling->latency.squares_ns2;
	sampling->pairs = 0;
	sampling->cpu = sampling->latency = (struct tw_pairs) { 0 };
}
