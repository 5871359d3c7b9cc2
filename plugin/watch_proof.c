/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What looking at a ring from another CPU proves: see watch_proof.h.
 */
#include "watch_proof.h"

/* Counters may wrap, stamps of one job are close together. */
static bool is_before(uint64_t earlier, uint64_t later, uint64_t slack_ticks)
{
	return (int64_t)(later - earlier) > (int64_t)slack_ticks;
}

void tw_watch_eye_init(struct tw_watch_eye *eye, enum tw_watch_mode mode,
		       const struct tw_watch_look *look)
{
	*eye = (struct tw_watch_eye) {
		.mode = mode,
		.last = *look,
		.before_ticks = look->ticks,
	};
}

enum tw_watch_proof tw_watch_prove(const struct tw_watch_note *note, bool fell,
				   const struct tw_watch_batch *batch,
				   uint64_t slack_ticks)
{
	if (note->from != batch->place ||
	    !is_before(batch->left_ticks, note->before_ticks, slack_ticks))
		return TW_WATCH_UNPROVED;
	if (fell)
		return TW_WATCH_FELL;
	if (batch->entering_ticks &&
	    is_before(note->ticks, batch->entering_ticks, slack_ticks) &&
	    is_before(batch->enter_ticks, note->ticks, slack_ticks))
		return TW_WATCH_ASIDE;
	return batch->alone ? TW_WATCH_ALONE : TW_WATCH_UNPROVED;
}

enum tw_watch_order tw_watch_stamp(const struct tw_watch_note *note,
				   uint64_t enter_ticks, uint64_t seen_ticks,
				   uint64_t slack_ticks, uint64_t late_ticks,
				   uint64_t *watched_ticks)
{
	uint64_t ticks = note->ticks;

	if (note->ticks - note->before_ticks > late_ticks)
		return TW_WATCH_LATE;
	if (is_before(ticks, enter_ticks, slack_ticks) ||
	    is_before(seen_ticks, note->before_ticks, slack_ticks))
		return TW_WATCH_DISORDERED;
	if ((int64_t)(ticks - seen_ticks) > 0)
		ticks = seen_ticks;
	if ((int64_t)(ticks - enter_ticks) < 0)
		ticks = enter_ticks;
	*watched_ticks = ticks;
	return TW_WATCH_IN_ORDER;
}
