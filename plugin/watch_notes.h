/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hand-over of notes from the watcher to the job's thread: one writes, one
 * reads, neither waits for the other. The two ends lie in cache lines of their
 * own; each looks at the other's only when its own copy says full or empty.
 */
#ifndef TW_PLUGIN_WATCH_NOTES_H
#define TW_PLUGIN_WATCH_NOTES_H

#include <stdatomic.h>
#include <stddef.h>

#include "watch_proof.h"

/* Two lines of 64: neighbours are fetched together. */
#define TW_WATCH_LINE	128

struct tw_watch_slot {
	struct tw_watch_note note;
	/* Set after the note was published, by the writer alone. */
	_Atomic(bool) fell;
};

struct tw_watch_notes {
	struct tw_watch_slot *slots;
	uint32_t mask;

	_Alignas(TW_WATCH_LINE) _Atomic(uint32_t) written;
	uint32_t read_before;	/* the writer's copy */
	uint64_t lost;		/* no slot was free */
	bool last_lost;

	_Alignas(TW_WATCH_LINE) _Atomic(uint32_t) read;
	uint32_t written_before;	/* the reader's copy */
};

/* At least @count notes fit; 0 or -ENOMEM. */
int tw_watch_notes_init(struct tw_watch_notes *notes, uint32_t count);
void tw_watch_notes_free(struct tw_watch_notes *notes);

/* The writer's: publish a note, or say that the last one's flag fell. */
void tw_watch_notes_add(struct tw_watch_notes *notes,
			const struct tw_watch_note *note);
void tw_watch_notes_fell(struct tw_watch_notes *notes);

/* The reader's: the @ahead-th note not yet dropped, NULL if there is none. */
const struct tw_watch_slot *tw_watch_notes_peek(struct tw_watch_notes *notes,
						uint32_t ahead);
/* And let go of the oldest, which has been peeked at. */
void tw_watch_notes_drop(struct tw_watch_notes *notes);

/**
 * tw_watch_notes_first - the stamp of the entry at the start of a batch
 * @notes: of mode taskrun
 * @note: out, if it is proved
 *
 * Older notes are dropped: batches come in the order of their places.
 */
enum tw_watch_proof tw_watch_notes_first(struct tw_watch_notes *notes,
					 const struct tw_watch_batch *batch,
					 uint64_t slack_ticks,
					 struct tw_watch_note *note);

/* Of the entry at @place, in mode cq; false: not noted. Places ascend. */
bool tw_watch_notes_at(struct tw_watch_notes *notes, uint32_t place,
		       struct tw_watch_note *note);

#endif
