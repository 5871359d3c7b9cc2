/* SPDX-License-Identifier: MIT */
/*
 * Behaviour: in mode cq each entry gets the stamp of the look that first showed
 * it; a stamp lies between the I/O's other two, or there is none.
 * Defect: the stamp of a neighbour or of the look before, places that wrap at
 * 2^32, a stamp after the entry was seen (a negative stage), a watcher that
 * looked away taken for a slow device.
 *
 * Looks 50 ns apart, at 2.6 GHz: each stamp is at most 50 ns after the truth,
 * and never before it.
 */
#include "tap.h"
#include "tickwise.h"
#include "watch_notes.h"

#define LOOK_TICKS	130
#define EVENTS		8

static struct tw_watch_notes notes;

static void looks(uint32_t first_place, const uint64_t *events)
{
	struct tw_watch_look look = { .tail = first_place, .ticks = 1000 };
	struct tw_watch_note note;
	struct tw_watch_eye eye;

	tw_watch_eye_init(&eye, TW_WATCH_CQ, &look);
	for (unsigned seen = 0; look.ticks < 3000000;) {
		uint64_t ticks = look.ticks + LOOK_TICKS;

		while (seen < EVENTS && events[seen] <= ticks)
			seen++;
		look = (struct tw_watch_look) {
			.tail = first_place + seen, .ticks = ticks,
		};
		if (tw_watch_eye_look(&eye, &look, &note) == TW_WATCH_NOTED)
			tw_watch_notes_add(&notes, &note);
	}
}

static void check_places(uint32_t first_place)
{
	/* Due at 100 to 800 us; the last two between the same two looks. */
	uint64_t events[EVENTS], worst_ns = 0;
	struct tw_rate rate = { .hz = 2.6e9 };
	struct tw_watch_note note;
	struct tw_scale scale;
	int found = 0, early = 0;

	tw_scale_init(&scale, &rate, 0);
	for (unsigned i = 0; i < EVENTS; i++)
		events[i] = 260000 * (i + 1) + 17 * i;
	events[7] = events[6] + 20;
	tw_watch_notes_init(&notes, EVENTS);
	looks(first_place, events);
	for (unsigned i = 0; i < EVENTS; i++) {
		int64_t ns;

		if (!tw_watch_notes_at(&notes, first_place + i, &note))
			continue;
		found++;
		ns = tw_ticks_delta_to_ns(&scale,
					  (int64_t)(note.ticks - events[i]));
		early |= ns < 0 || note.before_ticks >= events[i];
		if (ns > (int64_t)worst_ns)
			worst_ns = (uint64_t)ns;
	}
	tap_ok(found == EVENTS && !early, "from place %u: all are stamped, "
	       "none too early", first_place);
	tap_ok(worst_ns <= 50, "and at most 50 ns late: %" PRIu64, worst_ns);
	tap_ok(!tw_watch_notes_at(&notes, first_place + EVENTS, &note),
	       "an entry not noted yet has none");
	tw_watch_notes_free(&notes);
}

static void check_order(void)
{
	static const struct {
		uint64_t before, ticks, enter, seen, is;
		enum tw_watch_order order;
		const char *what;
	} cases[] = {
		{ 900, 1000, 500, 2000, 1000, TW_WATCH_IN_ORDER, "between" },
		{ 900, 1000, 990, 995, 995, TW_WATCH_IN_ORDER,
		  "seen by the job's thread first: then" },
		{ 900, 1000, 1005, 2000, 1005, TW_WATCH_IN_ORDER,
		  "before submission by less than the counters differ" },
		{ 900, 1000, 500, 895, 895, TW_WATCH_IN_ORDER,
		  "after seen by less than the counters differ" },
		{ 900, 1000, 1011, 2000, 0, TW_WATCH_DISORDERED,
		  "before submission" },
		{ 900, 1000, 500, 889, 0, TW_WATCH_DISORDERED, "after seen" },
		{ 900, 1401, 500, 2000, 0, TW_WATCH_LATE,
		  "looks too far apart" },
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct tw_watch_note note = {
			.before_ticks = cases[i].before,
			.ticks = cases[i].ticks,
		};
		uint64_t is = 0;
		enum tw_watch_order order =
			tw_watch_stamp(&note, cases[i].enter, cases[i].seen,
				       10, 500, &is);

		tap_ok(order == cases[i].order && is == cases[i].is, "%s",
		       cases[i].what);
	}
}

int main(void)
{
	check_places(0);
	check_places(UINT32_MAX - 3);
	check_order();
	return tap_done();
}
