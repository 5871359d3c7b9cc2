/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tw_watch_cpu: from a job's ring to the stamps of its I/Os.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "taskrun.h"
#include "watch.h"

/*
 * Looks are some 0.1 us apart. Where the device interrupts the watcher's own CPU
 * it looks again when that is over, some 10 us later in a virtual machine; but a
 * watcher that lost its CPU is away for ms, and knows nothing of when.
 */
#define LATE_NS		50000U
/* By then the watcher has looked again, or it is too late. */
#define SETTLE_NS	100000U
#define LEAST_HELD	1024U

static int say(struct thread_data *td, int error, const char *why)
{
	fprintf(stderr, "tickwise: %s: tw_watch_cpu: %s\n", td->o.name, why);
	td_verror(td, error, "tw_watch_cpu");
	return -error;
}

static int say_no_flag(struct thread_data *td, int error)
{
	if (error == EILSEQ)
		return say(td, EOPNOTSUPP, "this kernel hands deferred "
			   "completions over newest first (before Linux 6.5), "
			   "so its flag is of none that is known; "
			   "tw_watch_mode=cq needs no flag");
	if (error == EPROTO)
		return say(td, error, "this kernel's flag for deferred "
			   "completions is not what is known of it; "
			   "tw_watch_mode=cq needs none");
	return say(td, error, strerror(error));
}

static const char *verdict_problem(const struct tw_timing *timing)
{
	if (timing->clock.system)
		return "times are the system clock's";
	if (!timing->checked)
		return "the CPUs' counters could not be compared";
	if (timing->verdict != TW_RELIABLE)
		return "it is not certain that the CPUs' counters agree";
	return NULL;
}

static int allocate(struct tw_job *job, struct tw_watch *watch)
{
	unsigned most = job->entries < LEAST_HELD / 2 ? LEAST_HELD :
							 2 * job->entries;

	watch->mask = most - 1;
	watch->room = job->entries;
	watch->batches = calloc(most, sizeof(*watch->batches));
	watch->ios = calloc(most, sizeof(*watch->ios));
	if (!watch->batches || !watch->ios ||
	    tw_histogram_init(&watch->look, 3))
		return -ENOMEM;
	return 0;
}

/* Stamps of two counters that may disagree prove nothing: then there are none,
 * and the job runs as if it had not asked. */
int tw_watch_init(struct thread_data *td, struct tw_job *job)
{
	const struct tw_timing *timing = job->timing;
	const struct tw_options *o = td->eo;
	struct tw_watch *watch;

	if (!o->watch_cpu_set)
		return 0;
	watch = calloc(1, sizeof(*watch));
	job->watch = watch;
	if (!watch || allocate(job, watch))
		return -ENOMEM;
	watch->mode = o->watch_mode == TW_WATCH_MODE_CQ ? TW_WATCH_CQ :
							  TW_WATCH_TASKRUN;
	watch->cpu = o->watch_cpu;
	watch->ring_differs = watch->mode == TW_WATCH_CQ && !o->sqthread_poll;
	watch->why_not = verdict_problem(timing);
	if (watch->why_not) {
		watch->ring_differs = false;
		fprintf(stderr, "tickwise: %s: nobody watches when its I/Os "
			"are done: %s\n", td->o.name, watch->why_not);
	}
	watch->slack_ticks = timing->apart_ticks;
	watch->late_ticks = (uint64_t) (LATE_NS * timing->clock.rate.hz / 1e9);
	watch->settle_ticks = (uint64_t)
		(SETTLE_NS * timing->clock.rate.hz / 1e9);
	if (!watch->why_not && td->o.numjobs > 1 && !td->subjob_number)
		fprintf(stderr, "tickwise: %s: %u watchers share CPU %u "
			"(numjobs): each is away most of the time\n",
			td->o.name, td->o.numjobs, watch->cpu);
	return 0;
}

/* On the watcher's CPU the job's thread would get only what is left. */
static int keep_off(struct tw_watch *watch)
{
	cpu_set_t others;

	if (sched_getaffinity(0, sizeof(watch->cpus_before),
			      &watch->cpus_before))
		return -errno;
	others = watch->cpus_before;
	if (!CPU_ISSET(watch->cpu, &others))
		return 0;
	CPU_CLR(watch->cpu, &others);
	if (sched_setaffinity(0, sizeof(others), &others))
		return -errno;
	watch->moved = true;
	return 0;
}

int tw_watch_start(struct thread_data *td, struct tw_job *job)
{
	struct tw_watch *watch = job->watch;
	int ret = 0;

	if (!watch || watch->why_not)
		return 0;
	if (watch->mode == TW_WATCH_TASKRUN)
		ret = tw_taskrun_try();
	if (ret)
		return say_no_flag(td, -ret);
	ret = keep_off(watch);
	if (!ret)
		ret = tw_watcher_start(&watch->watcher,
				       &(struct tw_watcher_options) {
			.mode = watch->mode,
			.cpu = watch->cpu,
			.entries = watch->mask + 1,
			.away_ticks = watch->late_ticks,
			.sq_flags = job->ring.sq.kflags,
			.sq_head = job->ring.sq.khead,
			.cq_tail = job->ring.cq.ktail,
		});
	if (ret)
		return say(td, -ret, ret == -EINVAL ?
			   "no thread may run on that CPU" : strerror(-ret));
	return 0;
}

void tw_watch_free(struct tw_job *job)
{
	struct tw_watch *watch = job->watch;

	if (!watch)
		return;
	tw_histogram_free(&watch->look);
	free(watch->batches);
	free(watch->ios);
	free(watch);
	job->watch = NULL;
}

void tw_watch_saw(struct tw_job *job)
{
	struct tw_watch *watch = job->watch;
	uint32_t place = job->seen_tail;

	watch->batches[place & watch->mask] = (struct tw_watch_batch) {
		.place = place,
		/* Every submission taken makes one entry. */
		.alone = job->pending_head - place == 1,
		.left_ticks = job->seen_ticks,
		.entering_ticks = watch->entering_ticks,
	};
	watch->entering_ticks = 0;
}

void tw_watch_entering(struct tw_job *job, uint64_t ticks)
{
	if (io_uring_smp_load_acquire(job->ring.cq.ktail) == job->seen_tail)
		job->watch->entering_ticks = ticks;
}

void tw_watch_event_begin(struct tw_job *job, int event)
{
	struct tw_watch *watch = job->watch;

	if (!watch->watcher)
		return;
	watch->now = &watch->ios[watch->next & watch->mask];
	watch->now->place = job->events_at + (uint32_t) event;
	watch->now->is_slow = false;
}

void tw_watch_event_end(struct tw_job *job)
{
	job->watch->now = NULL;
}

bool tw_watch_defers(struct tw_job *job, enum tw_direction direction,
		     const struct tw_io *io, uint64_t seen_ticks)
{
	struct tw_watch *watch = job->watch;

	if (!watch->now)
		return false;
	watch->now->direction = direction;
	watch->now->io = *io;
	watch->now->seen_ticks = seen_ticks;
	watch->next++;
	return true;
}

bool tw_watch_defers_slow(struct tw_job *job, const struct tw_slow_io *slow)
{
	struct tw_watched_io *now = job->watch->now;

	if (!now)
		return false;
	now->is_slow = true;
	now->slow = *slow;
	return true;
}

static bool find_note(struct tw_watch *watch, const struct tw_watched_io *io,
		      struct tw_watch_note *note)
{
	struct tw_watch_notes *notes = tw_watcher_notes(watch->watcher);
	struct tw_watch_batch *batch = &watch->batches[io->place & watch->mask];

	if (watch->mode == TW_WATCH_CQ)
		return tw_watch_notes_at(notes, io->place, note);
	if (batch->place != io->place)
		return false;
	batch->enter_ticks = io->io.enter_ticks;
	if (tw_watch_notes_first(notes, batch, watch->slack_ticks, note) !=
	    TW_WATCH_UNPROVED)
		return true;
	watch->unproved++;
	return false;
}

/* When it was done, as far as anybody saw; 0: nobody did. */
static uint64_t watched_ticks(struct tw_job *job,
			      const struct tw_watched_io *io)
{
	struct tw_watch *watch = job->watch;
	struct tw_watch_note note;
	uint64_t ticks = 0;

	watch->of[io->direction]++;
	if (!find_note(watch, io, &note))
		return 0;
	switch (tw_watch_stamp(&note, io->io.enter_ticks, io->seen_ticks,
			       watch->slack_ticks, watch->late_ticks, &ticks)) {
	case TW_WATCH_IN_ORDER:
		watch->stamped[io->direction]++;
		tw_histogram_add(&watch->look, (uint64_t)
			tw_job_ns(job, note.before_ticks, note.ticks));
		return ticks;
	case TW_WATCH_LATE:
		watch->late++;
		return 0;
	case TW_WATCH_DISORDERED:
		watch->disordered++;
		return 0;
	}
	return 0;
}

static uint64_t stage_ns(const struct tw_job *job, uint64_t from, uint64_t to)
{
	int64_t ns = tw_job_ns(job, from, to);

	return ns < 0 ? 0 : (uint64_t) ns;
}

static void settle(struct tw_job *job, struct tw_watched_io *io)
{
	uint64_t ticks = watched_ticks(job, io);

	if (ticks)
		tw_histogram_add(
			&job->record[TW_RECORD_REAP_DELAY][io->direction],
			stage_ns(job, ticks, io->seen_ticks));
	tw_histogram_add(&job->record[TW_RECORD_INFLIGHT][io->direction],
			 stage_ns(job, io->io.enter_ticks,
				  ticks ? ticks : io->seen_ticks));
	if (!io->is_slow)
		return;
	io->slow.watched_ticks = ticks;
	if (tw_slowest_wants(&job->slowest, io->slow.slow.value))
		tw_slowest_add(&job->slowest, &io->slow.slow);
}

void tw_watch_settle(struct tw_job *job)
{
	struct tw_watch *watch = job->watch;
	uint64_t now = tw_job_stamp(job);

	while (watch->oldest != watch->next) {
		struct tw_watched_io *io =
			&watch->ios[watch->oldest & watch->mask];

		if ((int64_t) (now - io->seen_ticks) <=
		    (int64_t) watch->settle_ticks &&
		    watch->next - watch->oldest + watch->room <= watch->mask)
			break;
		settle(job, io);
		watch->oldest++;
	}
}

/* The last ones too get the time that the others had. */
static void settle_all(struct tw_job *job)
{
	const struct timespec while_ns = { .tv_nsec = SETTLE_NS };
	struct tw_watch *watch = job->watch;

	nanosleep(&while_ns, NULL);
	for (; watch->oldest != watch->next; watch->oldest++)
		settle(job, &watch->ios[watch->oldest & watch->mask]);
}

void tw_watch_stop(struct tw_job *job)
{
	struct tw_watch *watch = job->watch;

	if (!watch)
		return;
	if (watch->watcher) {
		settle_all(job);
		watch->away_ns = (uint64_t) tw_job_ns(job, 0,
			tw_watcher_away_ticks(watch->watcher));
		tw_watcher_stop(watch->watcher);
		watch->watcher = NULL;
	}
	if (watch->moved)
		sched_setaffinity(0, sizeof(watch->cpus_before),
				  &watch->cpus_before);
	watch->moved = false;
}
