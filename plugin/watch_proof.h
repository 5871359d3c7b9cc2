/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What looking at a ring from another CPU proves about its completions. Only
 * arithmetic: no clock, no ring, no thread, and nothing of fio.
 *
 * Each look reads the ring and then the counter, so that a change seen in a look
 * came after the stamp before the last look that did not show it, and before
 * the stamp of the first that did. That interval is what is known; the stamp
 * is its end.
 *
 * In a ring whose completions are visible at once (mode cq) the change is the
 * completion ring's tail, and the place of an entry says whose it is. All that
 * appears between two looks has one stamp.
 *
 * In a ring as fio sets it up (DEFER_TASKRUN, Linux 6.1) a finished I/O is put
 * on a list, and its entry appears when the job's thread, inside
 * io_uring_enter(), works that list off, oldest first: a drain. All that shows
 * outside is a flag: raised by what is put on an empty list, lowered by the
 * thread before it takes the list. Hence one stamp for the first I/O after each
 * drain; and whose stamp it is has to be proved:
 *
 * Let the next entry be the one at @place, and let the job's thread have been
 * outside the kernel at left_ticks, when all entries before @place had been
 * seen. Let a look after that show the flag down: the list is empty then, as no
 * drain can be under way that has taken anything - it would publish an entry -
 * and what a drain leaves over keeps the flag up. Let the next look show the
 * flag up: something is on the list, first. It stays first, and the flag stays
 * up, until a drain takes it; and the first that a drain takes is the first
 * entry that it publishes. So the entry at @place is its own if no drain has
 * published anything between the two, and if what did publish it was a drain.
 * Either of these shows that:
 *
 *  TW_WATCH_FELL  a later look shows the flag down and, read after that, the
 *	tail still at @place. The drain that lowered it had published nothing
 *	yet, nor had any before.
 *  TW_WATCH_ASIDE  the flag was seen up before the thread's last way into the
 *	kernel, at whose start the tail still was at @place; and the I/O at
 *	@place had been submitted before, so it was not completed by the very
 *	call that submitted it.
 *
 * And there is no need for either where no other I/O can have been meant:
 *
 *  TW_WATCH_ALONE  just one I/O was in flight. The last rise is its own.
 *
 * What is taken for granted of the kernel: that list and flag are changed
 * within an instant of each other, that the list is worked off oldest first
 * (tried when a job starts), and that work on it is the end of an I/O. The last
 * is not so for buffered reads, which wait for one page after the other.
 */
#ifndef TW_PLUGIN_WATCH_PROOF_H
#define TW_PLUGIN_WATCH_PROOF_H

#include <stdbool.h>
#include <stdint.h>

enum tw_watch_mode {
	TW_WATCH_TASKRUN,	/* the flag, of a ring like fio's own */
	TW_WATCH_CQ,		/* the tail, of a ring that does not defer */
};

/* What one look found. */
struct tw_watch_look {
	uint64_t ticks;		/* the counter, read after the ring */
	uint32_t tail;		/* of the completion ring */
	bool raised;		/* the flag; read before the tail */
};

/* A change that was seen. */
struct tw_watch_note {
	uint64_t before_ticks;	/* it came after this */
	uint64_t ticks;		/* and before this */
	uint32_t from;		/* the first place it is about */
	uint32_t to;		/* cq: behind the last; else the same */
};

/* What the watcher remembers between looks. */
struct tw_watch_eye {
	enum tw_watch_mode mode;
	struct tw_watch_look last;
	uint64_t before_ticks;	/* the stamp before the last look */
	uint32_t noted_tail;	/* where the last note was made */
	bool is_open;		/* the noted rise has not been seen to fall */
};

enum tw_watch_change {
	TW_WATCH_NOTHING,
	TW_WATCH_NOTED,		/* the note is filled */
	TW_WATCH_NOTE_FELL,	/* of the last note: TW_WATCH_FELL is shown */
};

/* Begins with a look, at a ring in which nothing has been submitted. */
void tw_watch_eye_init(struct tw_watch_eye *eye, enum tw_watch_mode mode,
		       const struct tw_watch_look *look);

/**
 * tw_watch_eye_look - what one more look shows
 * @eye: the looks before
 * @look: this one; its ticks are not before those of the last
 * @note: filled if TW_WATCH_NOTED
 *
 * Called for each look: inline.
 */
static inline enum tw_watch_change
tw_watch_eye_look(struct tw_watch_eye *eye, const struct tw_watch_look *look,
		  struct tw_watch_note *note)
{
	const struct tw_watch_look last = eye->last;
	const uint64_t before_ticks = eye->before_ticks;

	eye->before_ticks = last.ticks;
	eye->last = *look;
	if (eye->mode == TW_WATCH_CQ ? look->tail != last.tail :
				       look->raised && !last.raised) {
		*note = (struct tw_watch_note) {
			.before_ticks = before_ticks,
			.ticks = look->ticks,
			.from = eye->mode == TW_WATCH_CQ ? last.tail :
							   look->tail,
			.to = look->tail,
		};
		eye->noted_tail = look->tail;
		/* An entry that came between the two is none of the next. */
		eye->is_open = look->tail == last.tail;
		return TW_WATCH_NOTED;
	}
	if (!eye->is_open || look->raised)
		return TW_WATCH_NOTHING;
	eye->is_open = false;
	return look->tail == eye->noted_tail ? TW_WATCH_NOTE_FELL :
					       TW_WATCH_NOTHING;
}

/* What the job's thread knows of the entry at the start of a batch. */
struct tw_watch_batch {
	uint32_t place;
	bool alone;		/* nothing else was in flight */
	uint64_t left_ticks;	/* out of the kernel, all before it seen */
	uint64_t entering_ticks;	/* last way in with the tail there; or 0 */
	uint64_t enter_ticks;	/* when this I/O was submitted */
};

enum tw_watch_proof {
	TW_WATCH_UNPROVED,
	TW_WATCH_ALONE,
	TW_WATCH_ASIDE,
	TW_WATCH_FELL,
};

/**
 * tw_watch_prove - is @note about the entry at the start of @batch?
 * @note: of mode taskrun
 * @fell: TW_WATCH_NOTE_FELL followed
 * @slack_ticks: what the two CPUs' counters may differ by
 */
enum tw_watch_proof tw_watch_prove(const struct tw_watch_note *note, bool fell,
				   const struct tw_watch_batch *batch,
				   uint64_t slack_ticks);

enum tw_watch_order {
	TW_WATCH_IN_ORDER,
	TW_WATCH_LATE,		/* the watcher looked away too long */
	TW_WATCH_DISORDERED,	/* not between submission and seen */
};

/**
 * tw_watch_stamp - the moment an I/O was done, between its other stamps
 * @watched_ticks: out, enter_ticks <= it <= seen_ticks
 * @late_ticks: two looks farther apart give no stamp
 *
 * A stamp up to @slack_ticks outside of them is moved to the nearer one; so is
 * the end of an interval that reaches past seen_ticks, as the job's thread may
 * see an entry before the watcher does.
 */
enum tw_watch_order tw_watch_stamp(const struct tw_watch_note *note,
				   uint64_t enter_ticks, uint64_t seen_ticks,
				   uint64_t slack_ticks, uint64_t late_ticks,
				   uint64_t *watched_ticks);

#endif
