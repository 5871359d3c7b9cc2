/* SPDX-License-Identifier: MIT */
/*
 * Behaviour: a stamp from the watched flag is given only to the I/O whose it
 * is. A ring is simulated step by step as the kernel works it - list, flag,
 * drains with and without leftovers, I/Os completed by the call that submits
 * them, several drains in one call - beside a thread that submits and a
 * watcher that looks, sometimes away; whatever is proved is held against what
 * was so.
 * Defect: a missing condition of the proof: the flag that a drain raises for
 * its leftovers, an entry of the submitting call in front, a rise inside a
 * drain, one that the watcher missed.
 *
 * One tick is one step. What is proved must hold exactly: the I/O was queued
 * between the note's two stamps, give or take what the two counters differ by.
 */
#include <stdbool.h>
#include <string.h>

#include "tap.h"
#include "watch_notes.h"

#define ENTRIES		64
#define ROUNDS		1000000
#define SKEW_TICKS	3

struct io {
	uint64_t enter_ticks;
	uint64_t due;		/* 0: not in flight */
	uint64_t queued;	/* put on the list */
	bool at_once;
};

/* A list that is taken from its front. */
struct list {
	unsigned io[ENTRIES];
	unsigned count;
};

struct ring {
	struct io ios[ENTRIES];
	struct list work, left, posted;	/* posted: not yet published */
	unsigned order[ENTRIES];	/* whose entry is at a place */
	uint32_t tail, submitted;
	bool raised;
	unsigned most;		/* a drain runs */
};

enum step { OUTSIDE, SUBMITTED, LOWER, TAKE, PUBLISH, LEFTOVERS, WAIT };

struct job {
	enum step step;
	uint64_t next;
	unsigned wait;		/* entries wanted before the call returns */
	uint32_t seen_tail;
	uint64_t left_ticks, entering_ticks;
	struct tw_watch_batch batch;
	bool has_batch;
	unsigned depth;
};

struct watcher {
	struct tw_watch_eye eye;
	struct tw_watch_look look;
	unsigned part;
	uint64_t next;
	unsigned gap;
};

static uint64_t state;
static struct tw_watch_notes notes;
static uint64_t proved[4], wrong, batches;
static int64_t skew;

static unsigned below(unsigned n)
{
	return (unsigned)(tap_random(&state) % n);
}

static unsigned take_front(struct list *list)
{
	unsigned io = list->io[0];

	memmove(list->io, list->io + 1, --list->count * sizeof(*list->io));
	return io;
}

static void arrive(struct ring *ring, uint64_t now)
{
	for (unsigned i = 0; i < ENTRIES; i++) {
		struct io *io = &ring->ios[i];

		if (!io->due || io->due > now)
			continue;
		io->due = 0;
		io->queued = now;
		if (!ring->work.count)
			ring->raised = true;
		ring->work.io[ring->work.count++] = i;
	}
}

static void submit(struct ring *ring, struct job *job, uint64_t now)
{
	unsigned in_flight = ring->submitted - job->seen_tail;
	unsigned count = in_flight < job->depth ?
			 1 + below(job->depth - in_flight) : 0;

	while (count--) {
		unsigned place = ring->submitted++ % ENTRIES;
		unsigned i;

		/* Any slot whose I/O is over. */
		for (i = place; ring->ios[i].enter_ticks; i = (i + 1) % ENTRIES)
			;
		ring->ios[i] = (struct io) {
			.enter_ticks = now,
			.at_once = below(8) == 0,
			.due = now + 1 + below(below(2) ? 60 : 400),
		};
		if (ring->ios[i].at_once) {
			ring->ios[i].due = 0;
			ring->posted.io[ring->posted.count++] = i;
		}
	}
}

static void publish(struct ring *ring)
{
	while (ring->posted.count)
		ring->order[ring->tail++ % ENTRIES] = take_front(&ring->posted);
}

static void run_work(struct ring *ring)
{
	unsigned run = 0;

	while (run < ring->most && ring->left.count) {
		ring->posted.io[ring->posted.count++] = take_front(&ring->left);
		run++;
	}
	if (ring->left.count)
		return;
	ring->left = ring->work;
	ring->work.count = 0;
	while (run < ring->most && ring->left.count) {
		ring->posted.io[ring->posted.count++] = take_front(&ring->left);
		run++;
	}
}

/* As at the start of the next getevents: what has been noted by now. */
static void settle(struct ring *ring, struct job *job)
{
	const struct io *io = &ring->ios[ring->order[job->batch.place %
						     ENTRIES]];
	struct tw_watch_note note;
	enum tw_watch_proof proof;

	if (!job->has_batch)
		return;
	job->has_batch = false;
	batches++;
	proof = tw_watch_notes_first(&notes, &job->batch, SKEW_TICKS, &note);
	proved[proof]++;
	if (proof != TW_WATCH_UNPROVED &&
	    (io->at_once || io->queued > note.ticks + SKEW_TICKS ||
	     io->queued + SKEW_TICKS <= note.before_ticks))
		wrong++;
}

static void free_seen(struct ring *ring, struct job *job, uint32_t until)
{
	for (uint32_t place = job->seen_tail; place != until; place++)
		ring->ios[ring->order[place % ENTRIES]].enter_ticks = 0;
}

/* Outside the kernel: look, settle, and go in again. */
static void outside(struct ring *ring, struct job *job, uint64_t now)
{
	if (ring->tail != job->seen_tail) {
		job->batch = (struct tw_watch_batch) {
			.place = job->seen_tail,
			.alone = ring->submitted - job->seen_tail == 1,
			.left_ticks = job->left_ticks,
			.entering_ticks = job->entering_ticks,
			.enter_ticks = ring->ios[ring->order[job->seen_tail %
							 ENTRIES]].enter_ticks,
		};
		job->has_batch = true;
		job->left_ticks = now;
		job->entering_ticks = 0;
		settle(ring, job);
		free_seen(ring, job, ring->tail);
		job->seen_tail = ring->tail;
		job->next = now + 1 + below(below(2) ? 10 : 300);
		return;
	}
	job->entering_ticks = now;
	job->wait = below(3);
	if (ring->submitted == job->seen_tail || below(2)) {
		submit(ring, job, now);
		job->wait = 0;
	}
	job->step = SUBMITTED;
}

static void step(struct ring *ring, struct job *job, uint64_t now)
{
	job->next = now + 1 + below(6);
	switch (job->step) {
	case OUTSIDE:
		outside(ring, job, now);
		break;
	case SUBMITTED:
		publish(ring);
		job->step = ring->work.count || ring->left.count ? LOWER :
								   WAIT;
		break;
	case LOWER:
		ring->raised = false;
		job->step = TAKE;
		break;
	case TAKE:
		run_work(ring);
		/* Again at once, without lowering the flag. */
		job->step = ring->work.count && below(2) ? TAKE : PUBLISH;
		break;
	case PUBLISH:
		publish(ring);
		job->step = LEFTOVERS;
		break;
	case LEFTOVERS:
		if (ring->work.count || ring->left.count)
			ring->raised = true;
		job->step = WAIT;
		break;
	case WAIT:
		if (ring->work.count || ring->left.count)
			job->step = below(2) ? LOWER : WAIT;
		if (ring->tail - job->seen_tail >= job->wait ||
		    ring->submitted - job->seen_tail < job->wait)
			job->step = OUTSIDE;
		break;
	}
}

static void look(struct ring *ring, struct watcher *watcher, uint64_t now)
{
	struct tw_watch_note note;

	switch (watcher->part++) {
	case 0:
		watcher->look.raised = ring->raised;
		break;
	case 1:
		watcher->look.tail = ring->tail;
		break;
	default:
		watcher->look.ticks = now + (uint64_t)skew;
		watcher->part = 0;
		switch (tw_watch_eye_look(&watcher->eye, &watcher->look,
					  &note)) {
		case TW_WATCH_NOTED:
			tw_watch_notes_add(&notes, &note);
			break;
		case TW_WATCH_NOTE_FELL:
			tw_watch_notes_fell(&notes);
			break;
		case TW_WATCH_NOTHING:
			break;
		}
	}
	watcher->next = now + below(watcher->gap) + (below(500) ? 0 : 100);
}

static void simulate(unsigned depth, unsigned most, unsigned gap)
{
	struct ring ring = { .most = most };
	struct job job = { .depth = depth, .next = 1000 };
	struct watcher watcher = { .next = 900, .gap = gap };
	struct tw_watch_look first = { .ticks = 899 };

	tw_watch_notes_init(&notes, 2 * ENTRIES);
	memset(proved, 0, sizeof(proved));
	wrong = batches = 0;
	skew = (int64_t)below(2 * SKEW_TICKS - 1) - (SKEW_TICKS - 1);
	tw_watch_eye_init(&watcher.eye, TW_WATCH_TASKRUN, &first);
	job.left_ticks = 1;
	for (uint64_t now = 900; now < ROUNDS; now++) {
		arrive(&ring, now);
		/* Neither always comes first. */
		if (now & 1 && now >= watcher.next)
			look(&ring, &watcher, now);
		if (now >= job.next)
			step(&ring, &job, now);
		if (!(now & 1) && now >= watcher.next)
			look(&ring, &watcher, now);
	}
	tap_ok(wrong == 0, "depth %u, drains of %u, looks %u apart: none of "
	       "%" PRIu64 " stamps is another's", depth, most, gap,
	       proved[1] + proved[2] + proved[3]);
	tap_note("%" PRIu64 " batches: alone %" PRIu64 ", aside %" PRIu64
		 ", fell %" PRIu64 ", wrong %" PRIu64, batches, proved[1],
		 proved[2], proved[3], wrong);
	if (depth == 1)
		tap_ok(proved[TW_WATCH_ALONE] + proved[TW_WATCH_ASIDE] +
		       proved[TW_WATCH_FELL] > batches / 4,
		       "one at a time: many are stamped");
	else
		tap_ok(proved[TW_WATCH_ASIDE] && proved[TW_WATCH_FELL],
		       "each way to prove it occurs");
	tw_watch_notes_free(&notes);
}

int main(void)
{
	state = tap_seed();
	simulate(1, 20, 2);
	simulate(2, 20, 2);
	simulate(8, 20, 2);
	simulate(8, 2, 2);
	simulate(32, 3, 2);
	simulate(32, 20, 8);
	return tap_done();
}
