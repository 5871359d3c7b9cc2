/* SPDX-License-Identifier: MIT */
/*
 * What a report says of tw_watch_cpu: of how many I/Os somebody saw when they
 * were done. Read, added up, said.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "command/format.h"
#include "command/report/report.h"
#include "command/report/want.h"
#include "latency/histogram_json.h"

static void read_directions(uint64_t *counts, const json_t *json,
			    const char *key, const char *where,
			    struct tw_report_problem *problem)
{
	const json_t *object = tw_want_object(json, "watch.", key, problem);

	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++)
		counts[i] = tw_want_u64(object, where, tw_report_directions[i],
					problem);
}

void tw_report_read_watch(struct tw_report_watch *watch, const json_t *root,
			  struct tw_report_problem *problem)
{
	const json_t *json;

	if (!json_object_get(root, "watch"))
		return;
	json = tw_want_object(root, "", "watch", problem);
	watch->jobs = 1;
	watch->differs = json_is_true(json_object_get(json, "ring_differs"));
	watch->unwatched = json_object_get(json, "why_not") != NULL;
	if (watch->unwatched)
		watch->why_not = tw_want_string(json, "watch.", "why_not",
						problem);
	read_directions(watch->stamped, json, "stamped", "watch.stamped.",
			problem);
	read_directions(watch->of, json, "of", "watch.of.", problem);
	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++)
		if (watch->stamped[i] > watch->of[i])
			tw_report_refuse(problem, "watch.stamped.%s is more "
					 "than watch.of.%s",
					 tw_report_directions[i],
					 tw_report_directions[i]);
	watch->unproved = tw_want_u64(json, "watch.", "unproved", problem);
	watch->late = tw_want_u64(json, "watch.", "late", problem);
	watch->disordered = tw_want_u64(json, "watch.", "disordered", problem);
	if (watch->unwatched)
		return;
	watch->away_ns = tw_want_u64(json, "watch.", "away_ns", problem);
	watch->counter_ns = tw_want_positive(json, "watch.",
					     "counter_uncertainty_ns", problem);
}

int tw_report_add_watch(struct tw_report_watch *into,
			const struct tw_report_watch *from)
{
	int over = 0;

	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++) {
		over |= __builtin_add_overflow(into->stamped[i],
					       from->stamped[i],
					       &into->stamped[i]);
		over |= __builtin_add_overflow(into->of[i], from->of[i],
					       &into->of[i]);
	}
	over |= __builtin_add_overflow(into->unproved, from->unproved,
				       &into->unproved);
	over |= __builtin_add_overflow(into->late, from->late, &into->late);
	over |= __builtin_add_overflow(into->away_ns, from->away_ns,
				       &into->away_ns);
	over |= __builtin_add_overflow(into->disordered, from->disordered,
				       &into->disordered);
	into->jobs += from->jobs;
	into->differs += from->differs;
	into->unwatched += from->unwatched;
	if (from->why_not)
		into->why_not = from->why_not;
	if (from->counter_ns > into->counter_ns)
		into->counter_ns = from->counter_ns;
	return over;
}

static int append(char *text, size_t size, int used, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

static int append(char *text, size_t size, int used, const char *format, ...)
{
	va_list args;
	int more;

	if ((size_t)used >= size)
		return used;
	va_start(args, format);
	more = vsnprintf(text + used, size - (size_t)used, format, args);
	va_end(args);
	return used + (more < 0 ? 0 : more);
}

static int say_coverage(const struct tw_report_watch *watch, char *text,
			size_t size)
{
	double stamped = 0, of = 0;
	char away[TW_FORMAT_SIZE];
	int used;

	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++) {
		stamped += (double)watch->stamped[i];
		of += (double)watch->of[i];
	}
	/* Never "100 %" of some that are not all. */
	used = append(text, size, 0, "when it was done is known of %.1f %% of "
		      "%.0f I/Os (reap_delay)", of > 0 ?
		      floor(1000 * stamped / of) / 10 : 0, of);
	if (watch->unproved)
		used = append(text, size, used, "; of %llu it was not certain "
			      "whose end was seen",
			      (unsigned long long)watch->unproved);
	if (watch->away_ns)
		used = append(text, size, used, "; for %s something else had "
			      "the watcher's CPU", tw_format_ns(away,
			      (double)watch->away_ns));
	if (watch->late)
		used = append(text, size, used, " (then, %llu had their end)",
			      (unsigned long long)watch->late);
	if (watch->disordered)
		used = append(text, size, used, "; %llu were out of order",
			      (unsigned long long)watch->disordered);
	return append(text, size, used, "; the CPUs' counters differ by at "
		      "most %.0f ns", watch->counter_ns);
}

int tw_report_watch_text(const struct tw_report_watch *watch, char *text,
			 size_t size)
{
	int used = 0;

	if (!watch->jobs)
		return 0;
	if (watch->jobs > watch->unwatched)
		used = say_coverage(watch, text, size);
	if (watch->differs)
		used = append(text, size, used, "; the ring is not the one "
			      "fio's engine sets up (tw_watch_mode=cq)");
	if (watch->unwatched)
		used = append(text, size, used, "%snobody watched: %s",
			      used ? "; in one job or more " : "",
			      watch->why_not ? watch->why_not : "");
	return 1;
}

static json_t *directions_to_json(const uint64_t *counts)
{
	json_t *object = json_object();

	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++)
		json_object_set_new(object, tw_report_directions[i],
				    tw_json_of_u64(counts[i]));
	return object;
}

json_t *tw_report_watch_to_json(const struct tw_report_watch *watch)
{
	if (!watch->jobs)
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:f}",
			 "jobs", tw_json_of_u64(watch->jobs),
			 "jobs_unwatched", tw_json_of_u64(watch->unwatched),
			 "jobs_ring_differs", tw_json_of_u64(watch->differs),
			 "stamped", directions_to_json(watch->stamped),
			 "of", directions_to_json(watch->of),
			 "unproved", tw_json_of_u64(watch->unproved),
			 "late", tw_json_of_u64(watch->late),
			 "disordered", tw_json_of_u64(watch->disordered),
			 "away_ns", tw_json_of_u64(watch->away_ns),
			 "counter_uncertainty_ns", watch->counter_ns);
}
