/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hand-over of notes from the watcher to the job's thread.
 */
#include <errno.h>
#include <stdlib.h>

#include "watch_notes.h"

int tw_watch_notes_init(struct tw_watch_notes *notes, uint32_t count)
{
	uint32_t slots = 64;

	while (slots < count && slots < 1U << 31)
		slots <<= 1;
	*notes = (struct tw_watch_notes) {
		.slots = calloc(slots, sizeof(*notes->slots)),
		.mask = slots - 1,
	};
	return notes->slots ? 0 : -ENOMEM;
}

void tw_watch_notes_free(struct tw_watch_notes *notes)
{
	free(notes->slots);
	notes->slots = NULL;
}

void tw_watch_notes_add(struct tw_watch_notes *notes,
			const struct tw_watch_note *note)
{
	uint32_t written = atomic_load_explicit(&notes->written,
						memory_order_relaxed);
	struct tw_watch_slot *slot = &notes->slots[written & notes->mask];

	if (written - notes->read_before > notes->mask)
		notes->read_before = atomic_load_explicit(&notes->read,
							  memory_order_acquire);
	notes->last_lost = written - notes->read_before > notes->mask;
	if (notes->last_lost) {
		notes->lost++;
		return;
	}
	slot->note = *note;
	atomic_store_explicit(&slot->fell, false, memory_order_relaxed);
	atomic_store_explicit(&notes->written, written + 1,
			      memory_order_release);
}

void tw_watch_notes_fell(struct tw_watch_notes *notes)
{
	uint32_t written = atomic_load_explicit(&notes->written,
						memory_order_relaxed);

	if (!notes->last_lost)
		atomic_store_explicit(
			&notes->slots[(written - 1) & notes->mask].fell, true,
			memory_order_relaxed);
}

const struct tw_watch_slot *tw_watch_notes_peek(struct tw_watch_notes *notes,
						uint32_t ahead)
{
	uint32_t read = atomic_load_explicit(&notes->read,
					     memory_order_relaxed);

	if (notes->written_before - read <= ahead)
		notes->written_before =
			atomic_load_explicit(&notes->written,
					     memory_order_acquire);
	if (notes->written_before - read <= ahead)
		return NULL;
	return &notes->slots[(read + ahead) & notes->mask];
}

void tw_watch_notes_drop(struct tw_watch_notes *notes)
{
	uint32_t read = atomic_load_explicit(&notes->read,
					     memory_order_relaxed);

	atomic_store_explicit(&notes->read, read + 1, memory_order_release);
}

enum tw_watch_proof tw_watch_notes_first(struct tw_watch_notes *notes,
					 const struct tw_watch_batch *batch,
					 uint64_t slack_ticks,
					 struct tw_watch_note *note)
{
	enum tw_watch_proof best = TW_WATCH_UNPROVED;
	const struct tw_watch_slot *slot;

	while ((slot = tw_watch_notes_peek(notes, 0)) &&
	       (int32_t)(slot->note.from - batch->place) <= 0) {
		bool fell = atomic_load_explicit(&slot->fell,
						 memory_order_relaxed);
		enum tw_watch_proof proof =
			tw_watch_prove(&slot->note, fell, batch, slack_ticks);

		/* Alone, the last counts; else there is only one. */
		if (proof != TW_WATCH_UNPROVED && proof >= best) {
			best = proof;
			*note = slot->note;
		}
		tw_watch_notes_drop(notes);
	}
	return best;
}

bool tw_watch_notes_at(struct tw_watch_notes *notes, uint32_t place,
		       struct tw_watch_note *note)
{
	const struct tw_watch_slot *slot;

	while ((slot = tw_watch_notes_peek(notes, 0))) {
		if ((int32_t)(slot->note.from - place) > 0)
			return false;
		if ((int32_t)(slot->note.to - place) > 0) {
			*note = slot->note;
			return true;
		}
		tw_watch_notes_drop(notes);
	}
	return false;
}
