/* SPDX-License-Identifier: MIT */
/*
 * Behaviour: notes go from one thread to another in order and whole, none twice;
 * where there is no room they are counted as lost and none is overwritten.
 * Defect: a note published before it is filled, a slot reused before it was
 * read, a fall told of the wrong note. With SAN=thread: any data race.
 */
#include <pthread.h>
#include <sched.h>

#include "tap.h"
#include "watch_notes.h"

#define NOTES	2000000U

static struct tw_watch_notes notes;
static _Atomic(int) done;

static void *write_notes(void *unused)
{
	(void)unused;
	for (uint32_t i = 0; i < NOTES; i++) {
		struct tw_watch_note note = {
			.before_ticks = 3 * (uint64_t)i, .ticks = 5ULL * i,
			.from = i, .to = i + 1,
		};

		tw_watch_notes_add(&notes, &note);
		if (i % 4 == 0)
			tw_watch_notes_fell(&notes);
		/* One CPU for both: the other one's turn. */
		if (i % 1024 == 0)
			sched_yield();
	}
	atomic_store(&done, 1);
	return NULL;
}

int main(void)
{
	uint32_t received = 0, next = 0;
	int whole = 1, ordered = 1, fell_right = 1, ended = 0;
	pthread_t writer;

	tw_watch_notes_init(&notes, 100);
	pthread_create(&writer, NULL, write_notes, NULL);
	while (!ended) {
		const struct tw_watch_slot *slot;

		ended = atomic_load(&done);
		while ((slot = tw_watch_notes_peek(&notes, 0))) {
			const struct tw_watch_note *note = &slot->note;

			ordered &= note->from >= next;
			whole &= note->to == note->from + 1 &&
				 note->before_ticks == 3ULL * note->from &&
				 note->ticks == 5ULL * note->from;
			if (atomic_load(&slot->fell))
				fell_right &= note->from % 4 == 0;
			next = note->to;
			received++;
			tw_watch_notes_drop(&notes);
		}
	}
	pthread_join(writer, NULL);
	tap_ok(ordered, "in order, none twice");
	tap_ok(whole, "each is whole");
	tap_ok(fell_right, "falls are of the right notes");
	tap_ok(received + notes.lost == NOTES && received >= 128,
	       "%u came, %" PRIu64 " had no room: that is all of them",
	       received, notes.lost);
	tap_ok(notes.mask == 127, "100 notes fit: 128");
	tw_watch_notes_free(&notes);
	return tap_done();
}
