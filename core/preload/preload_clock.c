/* SPDX-License-Identifier: MIT */
/*
 * The slow half of the preload clock: reading in any state, renewing, falling
 * back. See clock.h. It runs within clock_gettime(): no memory, no errno, no
 * waiting.
 */
#include "preload_clock.h"

#include <stddef.h>

/* The brackets of an anchor: until it is narrow, but not more than this. */
#define MIN_BRACKETS	3
#define MAX_BRACKETS	16
#define NARROW_NS	40

/* If the ceiling is this far above the system's clock, it is that of another
 * clock: a child went to another time namespace. */
#define FOREIGN_NS	1000000000ULL

/* The time from a try that failed to the next one. While a segment holds, a
 * tenth of a millisecond is left for trying. */
#define RENEW_AGAIN_NS	10000
#define ENTER_AGAIN_NS	300000

/* Change the word only if it is still @from. @to has no number: it gets the
 * next one. */
static int change_word(struct tw_preload_clock *clock, uint64_t from,
		       uint64_t to)
{
	to |= (from & ~(TW_WORD_NUMBER - 1)) + TW_WORD_NUMBER;
	return __atomic_compare_exchange_n(&clock->word, &from, to, 0,
					   __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE);
}

static int is_still(const struct tw_preload_clock *clock, uint64_t word)
{
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return __atomic_load_n(&clock->word, __ATOMIC_RELAXED) == word;
}

static uint64_t next_place(uint64_t word)
{
	return (word + 1) & TW_WORD_PLACE;
}

/* Copy the first members of a segment, which other threads may read or write. */
static void copy_parts(uint64_t *to, const uint64_t *from, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		__atomic_store_n(&to[i], tw_preload_part(&from[i]), __ATOMIC_RELAXED);
}

#define PARTS		7	/* all members */
#define OWNERS_PARTS	5	/* those of the owner's copy, in the same order */
_Static_assert(offsetof(struct tw_line, after_system) == (PARTS - 1) * sizeof(uint64_t) &&
	       offsetof(struct tw_preload_clock, seconds) -
	       offsetof(struct tw_preload_clock, start) ==
	       offsetof(struct tw_line, seconds), "members in the same order");

/* Copy the segment at @place. The copy is valid only if the word is still the
 * same. */
static struct tw_line load_line(const struct tw_preload_clock *clock,
				uint64_t place)
{
	struct tw_line line;

	copy_parts(&line.start, &clock->line[place & TW_WORD_PLACE].start, PARTS);
	return line;
}

static uint64_t system_ns(const struct tw_preload_source *source,
			  uint64_t ceiling_ns)
{
	uint64_t ns = source->read_ns(source->context);

	return ns < ceiling_ns && ceiling_ns - ns < FOREIGN_NS ? ceiling_ns :
								 ns;
}

/* ---- renewing ---- */

static void take_anchor(const struct tw_preload_clock *clock,
			const struct tw_preload_source *source,
			struct tw_anchor_at *anchor)
{
	const double slope = clock->steer.slope;

	for (unsigned i = 0; i < MAX_BRACKETS; i++) {
		uint64_t before = source->read_ticks(source->context);
		uint64_t ns = source->read_ns(source->context);
		uint64_t after = source->read_ticks(source->context);

		/* A bracket after an interruption is not compared with an old one,
		 * because slopes change. */
		if (i == 0 || (double)(after - anchor->ticks) * slope >
			      TW_STEER_AHEAD_NS)
			*anchor = tw_anchor_at(before, ns);
		tw_anchor_narrow(anchor, slope, before, ns, after);
		if (i + 1 >= MIN_BRACKETS &&
		    anchor->high_ns - anchor->low_ns <= NARROW_NS)
			break;
	}
}

/*
 * Make @next the segment, by two changes of the word. Before the proposal was seen, other
 * threads may have answered from the system's clock, with no more than it shows after the
 * proposal. That must not be above the start. From then on earlier_ns() answers no more.
 */
static void propose(struct tw_preload_clock *clock,
		    const struct tw_preload_source *source, uint64_t word,
		    const struct tw_line *next)
{
	uint64_t proposed = (word & (TW_WORD_PLACE | TW_WORD_EXPIRED)) |
			    TW_WORD_PROPOSED;
	uint64_t margin = (uint64_t)(TW_STEER_MARGIN_NS /
				     clock->steer.ns_per_tick);

	/* A thread that reads this place for an older word must see that the
	 * word is old. */
	__atomic_thread_fence(__ATOMIC_RELEASE);
	copy_parts(&clock->line[next_place(word)].start, &next->start, PARTS);
	if (!change_word(clock, word, proposed))
		return;
	proposed |= (word & ~(TW_WORD_NUMBER - 1)) + TW_WORD_NUMBER;
	if ((!next->after_system ||
	     source->read_ns(source->context) <= tw_line_ns(next, 0)) &&
	    (int64_t)(next->start - margin -
		      source->read_ticks(source->context)) > 0 &&
	    change_word(clock, proposed, next_place(word))) {
		if (next->after_system)
			clock->counts.entered++;
		else
			clock->counts.renewed++;
		return;
	}
	/* Another thread may have rejected the proposal already. */
	clock->counts.late++;
	change_word(clock, proposed, word & (TW_WORD_PLACE | TW_WORD_EXPIRED));
}

/* Make the segment that follows the one of @word, which holds or has expired. No thread
 * waits for the lock: a handler may have interrupted the thread that has it. */
static void make_next(struct tw_preload_clock *clock,
		      const struct tw_preload_source *source, uint64_t me, uint64_t word)
{
	double again_ns = word & TW_WORD_EXPIRED ? ENTER_AGAIN_NS : RENEW_AGAIN_NS;
	struct tw_preload_counts *counts = &clock->counts;
	uint64_t nobody = 0, now, ceiling_ns;
	enum tw_steer_result result;
	struct tw_anchor_at anchor;
	struct tw_line line, next;
	double off_ns;

	if (!__atomic_load_n(&clock->enabled, __ATOMIC_ACQUIRE) ||
	    !__atomic_compare_exchange_n(&clock->lock, &nobody, me, 0,
					 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	line = load_line(clock, word);
	now = source->read_ticks(source->context);
	/* If a try has just failed, wait: each costs a microsecond. */
	if (!is_still(clock, word) ||
	    (double)(now - clock->tried_ticks) * clock->steer.ns_per_tick < again_ns)
		goto release;
	take_anchor(clock, source, &anchor);
	result = tw_steer_add(&clock->steer, &anchor);
	if (!(word & TW_WORD_EXPIRED)) {
		off_ns = (double)(int64_t)(tw_line_ns(&line, anchor.ticks - line.start) -
					   anchor.ns) - (anchor.low_ns + anchor.high_ns) / 2;
		off_ns = off_ns < 0 ? -off_ns : off_ns;
		if (result != TW_STEER_WIDE && off_ns > counts->worst_ns)
			counts->worst_ns = off_ns;
		if (result == TW_STEER_GOOD)
			result = tw_steer_follow(&clock->steer, &line,
				source->read_ticks(source->context), &next);
		/* Then the segment is left to expire. The last times that others answer
		 * from it must not be above what comes next. */
		if (result == TW_STEER_JUMPED)
			tw_steer_reset(&clock->steer);
	} else if (result == TW_STEER_GOOD) {
		ceiling_ns = tw_line_ceiling_ns(&line);
		if (ceiling_ns > anchor.ns && ceiling_ns - anchor.ns >= FOREIGN_NS)
			ceiling_ns = 0;
		result = tw_steer_enter(&clock->steer, ceiling_ns,
			source->read_ticks(source->context), &next);
	}
	counts->wide += result == TW_STEER_WIDE;
	counts->slewed += result == TW_STEER_SLEWED;
	counts->jumped += result == TW_STEER_JUMPED;
	if (result == TW_STEER_GOOD)
		propose(clock, source, word, &next);
	else
		clock->tried_ticks = now;
release:
	__atomic_store_n(&clock->lock, 0, __ATOMIC_RELEASE);
}

/* ---- reading ---- */

/* Set the time before @until, by what held before: @place, which was a segment or had
 * expired. Return 1; 0: that moment has come, or the word has changed. */
static int earlier_ns(struct tw_preload_clock *clock,
		      const struct tw_preload_source *source, uint64_t word,
		      uint64_t place, int expired, const struct tw_line *until,
		      uint64_t *ns)
{
	struct tw_line line = load_line(clock, place);
	uint64_t ticks, top_ns;

	if (!expired) {
		ticks = source->read_ticks(source->context);
		*ns = tw_line_ns(&line, ticks - line.start);
		return (int64_t)(ticks - until->start) < 0 &&
		       (int64_t)(ticks - line.start) >= 0 &&
		       ticks - line.start < line.hard && is_still(clock, word);
	}
	*ns = system_ns(source, tw_line_ceiling_ns(&line));
	/* Limit the time, whatever its slope is by now: not above what comes
	 * next. */
	top_ns = tw_line_ns(until, 0);
	if (*ns > top_ns)
		*ns = top_ns;
	ticks = source->read_ticks(source->context);
	return (int64_t)(ticks - until->start) < 0 && is_still(clock, word);
}

/*
 * Write the owner's copy. Meanwhile its signal handlers find no copy, and other
 * threads may take the ownership away.
 */
static void write_copy(struct tw_preload_clock *clock, uint64_t me,
		       const struct tw_line *line)
{
	uint64_t owner = me;

	if (__atomic_load_n(&clock->owner, __ATOMIC_RELAXED) != me ||
	    tw_preload_part(&clock->start) == line->start ||
	    !__atomic_compare_exchange_n(&clock->owner, &owner,
					 me | TW_PRELOAD_WRITES, 0,
					 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	copy_parts(&clock->start, &line->start, OWNERS_PARTS);
	owner = me | TW_PRELOAD_WRITES;
	__atomic_compare_exchange_n(&clock->owner, &owner, me, 0,
				    __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

static int segment_ns(struct tw_preload_clock *clock,
		      const struct tw_preload_source *source, uint64_t me,
		      uint64_t word, uint64_t *ns)
{
	struct tw_line line = load_line(clock, word);
	uint64_t ticks = source->read_ticks(source->context);
	uint64_t since = ticks - line.start;

	/* A counter on another CPU is only a little behind a start that is known to
	 * have come: then the start has come. */
	if ((int64_t)since < 0 && is_still(clock, word) &&
	    (double)(line.start - ticks) * clock->steer.ns_per_tick < TW_STEER_AHEAD_NS)
		return earlier_ns(clock, source, word, word - 1,
				  (int)line.after_system, &line, ns);
	*ns = tw_line_ns(&line, since);
	if (!is_still(clock, word))
		return 0;
	if (since >= line.hard) {
		change_word(clock, word,
			    (word & TW_WORD_PLACE) | TW_WORD_EXPIRED);
		return 0;
	}
	if (since < line.renew)
		write_copy(clock, me, &line);
	else
		make_next(clock, source, me, word);
	return 1;
}

uint64_t tw_preload_ns(struct tw_preload_clock *clock,
		       const struct tw_preload_source *source, uint64_t me)
{
	uint64_t owner = __atomic_load_n(&clock->owner, __ATOMIC_RELAXED), word, ns;
	struct tw_line line;
	int done;

	/* Note that this thread reads, sequentially consistent and before the counter is read:
	 * a thread that gets a time from this one finds that there are two readers. */
	if ((owner & ~TW_PRELOAD_WRITES) != me && owner != TW_PRELOAD_SHARED) {
		owner = 0;
		if (!__atomic_compare_exchange_n(&clock->owner, &owner, me, 0,
						 __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
			__atomic_store_n(&clock->owner, TW_PRELOAD_SHARED,
					 __ATOMIC_SEQ_CST);
	}
	do {
		word = __atomic_load_n(&clock->word, __ATOMIC_ACQUIRE);
		if (word & TW_WORD_PROPOSED) {
			line = load_line(clock, next_place(word));
			done = is_still(clock, word);
			if (done && !earlier_ns(clock, source, word, word,
						(word & TW_WORD_EXPIRED) != 0, &line, &ns)) {
				/* The start has come, and no thread has accepted it. */
				change_word(clock, word, word & (TW_WORD_PLACE | TW_WORD_EXPIRED));
				done = 0;
			}
		} else if (word & TW_WORD_EXPIRED) {
			line = load_line(clock, word);
			ns = system_ns(source, tw_line_ceiling_ns(&line));
			done = is_still(clock, word);
			if (done)
				make_next(clock, source, me, word);
		} else {
			done = segment_ns(clock, source, me, word, &ns);
		}
	} while (!done);
	return ns;
}

/* ---- the life of a clock ---- */

void tw_preload_enable(struct tw_preload_clock *clock, double ns_per_tick)
{
	tw_steer_init(&clock->steer, ns_per_tick);
	__atomic_store_n(&clock->enabled, 1, __ATOMIC_RELEASE);
}

/* Another thread of the parent may have been renewing, and will not finish that here.
 * So its proposal will be rejected, and its knowledge is not used. This thread may have
 * been renewing, too, if a signal handler forks: then it continues. */
void tw_preload_forked(struct tw_preload_clock *clock, uint64_t me)
{
	__atomic_store_n(&clock->owner, 0, __ATOMIC_RELAXED);
	if (clock->lock && clock->lock != me) {
		tw_steer_reset(&clock->steer);
		__atomic_store_n(&clock->lock, 0, __ATOMIC_RELEASE);
	}
}
