/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lines of intervals: see interval_line.h. The text is made here and not by the JSON
 * library: a line may have ten thousand bins, and as JSON objects they would take too
 * much CPU time.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "histogram.h"
#include "interval_line.h"
#include "kernel_job.h"
#include "timespec.h"

/* Bytes of a number or a name, with its punctuation. */
#define MAX_PIECE	64
/* Bytes of a line of most jobs with three digits. The buffer grows if necessary. */
#define FIRST_SIZE	(512U << 10)
#define PAGE		4096U

/* The range of most latencies. Up to USUAL_DIGITS its bins are few. */
#define USUAL_FROM_NS	1000U
#define USUAL_TO_NS	(1U << 24)
#define USUAL_DIGITS	3

/* Number of bins, of 8 bytes each, that are compared at once. */
#define AT_ONCE		64U

/*
 * Read a number that the job's thread writes by a plain store, without a lock. Both
 * accesses are of 64 aligned bits, which every supported processor moves as a whole.
 * The load is atomic, so the compiler makes one instruction of it. Nothing here depends
 * on which of two numbers the job stored first.
 */
static uint64_t load(const uint64_t *from)
{
	return __atomic_load_n(from, __ATOMIC_RELAXED);
}

/* ---- text --------------------------------------------------------------- */

static bool has_room(struct tw_interval_lines *lines)
{
	char *text;

	if (lines->size - lines->length >= MAX_PIECE)
		return true;
	if (lines->no_memory)
		return false;
	text = realloc(lines->text, 2 * lines->size);
	if (!text) {
		lines->no_memory = true;
		return false;
	}
	lines->text = text;
	lines->size *= 2;
	return true;
}

/* Append @piece, of less than MAX_PIECE bytes. */
static void put(struct tw_interval_lines *lines, const char *piece)
{
	const size_t length = strlen(piece);

	if (!has_room(lines))
		return;
	memcpy(&lines->text[lines->length], piece, length);
	lines->length += length;
}

/* Write the digits of @value. Return the place after them. */
static char *write_u64(char *to, uint64_t value)
{
	char digits[20], *first = &digits[sizeof(digits)];
	size_t length;

	/* Most counts of a bin have one digit. */
	if (value < 10) {
		*to = (char) ('0' + value);
		return to + 1;
	}
	do
		*--first = (char) ('0' + value % 10);
	while (value /= 10);
	length = (size_t) (&digits[sizeof(digits)] - first);
	memcpy(to, first, length);
	return to + length;
}

static void put_u64(struct tw_interval_lines *lines, uint64_t value)
{
	if (has_room(lines))
		lines->length = (size_t) (write_u64(&lines->text[lines->length],
						    value) - lines->text);
}

static bool is_empty(const struct tw_interval_lines *lines)
{
	return lines->text[lines->length - 1] == '{';
}

static void put_comma(struct tw_interval_lines *lines)
{
	if (!is_empty(lines))
		put(lines, ",");
}

static void put_key(struct tw_interval_lines *lines, const char *key)
{
	put_comma(lines);
	put(lines, "\"");
	put(lines, key);
	put(lines, "\":");
}

static void put_count(struct tw_interval_lines *lines, const char *key,
		      uint64_t count)
{
	put_key(lines, key);
	put_u64(lines, count);
}

/* Append a number as a string, because a double may not hold it. */
static void put_digits(struct tw_interval_lines *lines, const char *key,
		       uint64_t value)
{
	put_key(lines, key);
	put(lines, "\"");
	put_u64(lines, value);
	put(lines, "\"");
}

/* Begin an object. Return the place in the line where it begins. */
static size_t open_object(struct tw_interval_lines *lines, const char *key)
{
	const size_t at = lines->length;

	put_key(lines, key);
	put(lines, "{");
	return at;
}

static void close_object(struct tw_interval_lines *lines)
{
	put(lines, "}");
}

/* End the object that began at @at. Remove it if it is empty. */
static void close_if_any(struct tw_interval_lines *lines, size_t at)
{
	if (is_empty(lines))
		lines->length = at;
	else
		close_object(lines);
}

/* ---- histograms --------------------------------------------------------- */

static void put_bin(struct tw_interval_lines *lines, uint64_t high_ns,
		    uint64_t count)
{
	char *to;

	if (!has_room(lines))
		return;
	to = &lines->text[lines->length];
	if (!is_empty(lines))
		*to++ = ',';
	*to++ = '"';
	to = write_u64(to, high_ns);
	*to++ = '"';
	*to++ = ':';
	to = write_u64(to, count);
	lines->length = (size_t) (to - lines->text);
}

/* The bins of a histogram that a line contains. */
struct bins {
	uint64_t count;			/* 0: the others are not set */
	uint32_t first, last;
};

/* Append the bins from @bin to @end with a higher count than in @told, and copy these
 * counts to @told. */
static void put_some(struct tw_interval_lines *lines,
		     const struct tw_histogram *now, struct tw_histogram *told,
		     uint32_t bin, uint32_t end, struct bins *new)
{
	for (; bin < end; bin++) {
		const uint64_t all = load(&now->bins[bin]);
		const uint64_t more = all - told->bins[bin];

		if (!more)
			continue;
		told->bins[bin] = all;
		put_bin(lines, tw_histogram_bin_high(now, bin), more);
		if (!new->count)
			new->first = bin;
		new->last = bin;
		new->count += more;
	}
}

/* Append the bins that changed. Most did not, and comparing many at once is faster. A
 * bin that changes during the comparison may be missed. So may a value below the minimum
 * or above the maximum that were read. They are in the next line. Nothing changes any
 * more when the last line is made. */
static struct bins put_bins(struct tw_interval_lines *lines,
			    const struct tw_histogram *now,
			    struct tw_histogram *told)
{
	const uint64_t min_ns = load(&now->min_ns), max_ns = load(&now->max_ns);
	struct bins new = { 0 };
	uint32_t bin, next, end;

	if (min_ns > max_ns)
		return new;
	end = tw__histogram_bin(now, max_ns) + 1;
	for (bin = tw__histogram_bin(now, min_ns); bin < end; bin = next) {
		next = min(bin + AT_ONCE, end);
		if (memcmp(&now->bins[bin], &told->bins[bin],
			   (next - bin) * sizeof(*now->bins)) != 0)
			put_some(lines, now, told, bin, next, &new);
	}
	return new;
}

/* Append the minimum and maximum of the line's values, as far as they are known. Each is
 * the edge of a bin or the extreme of all values so far, whichever is closer. */
static void put_extremes(struct tw_interval_lines *lines,
			 const struct tw_histogram *now,
			 struct tw_histogram *told, const struct bins *new)
{
	uint64_t min_ns = load(&now->min_ns), max_ns = load(&now->max_ns);

	if (new->count) {
		min_ns = max(min_ns, tw_histogram_bin_low(now, new->first));
		max_ns = min(max_ns, tw_histogram_bin_high(now, new->last));
	}
	put_count(lines, "min_ns", min_ns);
	put_count(lines, "max_ns", max_ns);
	told->min_ns = min(told->min_ns, min_ns);
	told->max_ns = max(told->max_ns, max_ns);
}

/* True if the sum or an extreme changed. They may change when no bin has: the line
 * before may have read the bins of a value, but not yet its sum and extremes. */
static bool has_news(const struct tw_histogram *now, const struct tw_histogram *told)
{
	return load(&now->sum_ns) != told->sum_ns ||
	       load(&now->min_ns) < told->min_ns ||
	       load(&now->max_ns) > told->max_ns;
}

/* False until the histogram's first value is added completely. Its sum is set before
 * its extremes. */
static bool has_extremes(const struct tw_histogram *now)
{
	return load(&now->min_ns) <= load(&now->max_ns);
}

/* Append what changed in a histogram, or nothing if nothing did. Return the count, which
 * is that of the bins. The sum is read separately, so it may be of more or fewer I/Os. */
static uint64_t put_histogram(struct tw_interval_lines *lines, const char *key,
			      const struct tw_histogram *now,
			      struct tw_histogram *told)
{
	const size_t at = open_object(lines, key);
	struct bins new;
	uint64_t sum_ns;

	if (!has_extremes(now)) {
		lines->length = at;
		return 0;
	}
	open_object(lines, "bins");
	new = put_bins(lines, now, told);
	if (!new.count && !has_news(now, told)) {
		lines->length = at;
		return 0;
	}
	close_object(lines);
	put_count(lines, "count", new.count);
	put_extremes(lines, now, told, &new);
	sum_ns = load(&now->sum_ns);
	put_digits(lines, "sum_ns", sum_ns - told->sum_ns);
	told->sum_ns = sum_ns;
	close_object(lines);
	return new.count;
}

/* Append histograms by direction. @counts gets the number of new values in each. */
static void put_histograms(struct tw_interval_lines *lines, const char *key,
			   const struct tw_histogram *now,
			   struct tw_histogram *told,
			   uint64_t counts[TW_DIRECTIONS])
{
	const size_t at = open_object(lines, key);
	unsigned direction;

	for (direction = 0; direction < TW_DIRECTIONS; direction++)
		counts[direction] = put_histogram(lines,
			tw_direction_names[direction], &now[direction],
			&told[direction]);
	close_if_any(lines, at);
}

/* ---- counts ------------------------------------------------------------- */

static void put_counts(struct tw_interval_lines *lines, const char *key,
		       const uint64_t counts[TW_DIRECTIONS])
{
	unsigned direction;

	open_object(lines, key);
	for (direction = 0; direction < TW_DIRECTIONS; direction++)
		put_count(lines, tw_direction_names[direction],
			  counts[direction]);
	close_object(lines);
}

/* Set @new to what @now has more than @told, and copy @now to @told. */
static void take_new(uint64_t *new, uint64_t *told, const uint64_t *now,
		     size_t size)
{
	size_t i;

	for (i = 0; i < size / sizeof(*now); i++) {
		const uint64_t all = load(&now[i]);

		new[i] = all - told[i];
		told[i] = all;
	}
}

static void take_tallies(struct tw_tallies *new, struct tw_interval_lines *lines)
{
	const struct tw_job *job = lines->job;
	struct tw_tallies *told = &lines->told;

	compiletime_assert(sizeof(struct tw_counts) == 8 * sizeof(uint64_t),
			   "counts are uint64_t");
	take_new((uint64_t *) new->counts, (uint64_t *) told->counts,
		 (const uint64_t *) job->counts, sizeof(job->counts));
	take_new(new->inside[0], told->inside[0], job->inside[0],
		 sizeof(job->inside));
	take_new(&new->requests, &told->requests, &job->requests,
		 sizeof(job->requests));
	take_new(&new->retries, &told->retries, &job->retries,
		 sizeof(job->retries));
}

/* Append all counts except recorded, which is the count of lat. */
static void put_members(struct tw_interval_lines *lines,
			const struct tw_tallies *new)
{
	static const struct {
		const char *name;
		size_t member;
	} members[] = {
		{ "bytes", offsetof(struct tw_counts, bytes) },
		{ "errors", offsetof(struct tw_counts, errors) },
		{ "short", offsetof(struct tw_counts, shorts) },
		{ "empty", offsetof(struct tw_counts, empty) },
		{ "requeued", offsetof(struct tw_counts, requeues) },
		{ "unaccounted", offsetof(struct tw_counts, unaccounted) },
		{ "backwards", offsetof(struct tw_counts, backwards) },
	};
	uint64_t counts[TW_DIRECTIONS];
	unsigned i, direction;

	for (i = 0; i < FIO_ARRAY_SIZE(members); i++) {
		for (direction = 0; direction < TW_DIRECTIONS; direction++)
			memcpy(&counts[direction],
			       (const char *) &new->counts[direction] +
			       members[i].member, sizeof(*counts));
		put_counts(lines, members[i].name, counts);
	}
}

static void put_kernel(struct tw_interval_lines *lines,
		       const struct tw_tallies *new)
{
	unsigned inside;

	open_object(lines, "kernel_stages");
	put_counts(lines, "split", new->inside[TW_INSIDE_SPLIT]);
	open_object(lines, "not_split");
	for (inside = 0; inside < TW_INSIDES; inside++)
		if (tw_not_split_names[inside])
			put_counts(lines, tw_not_split_names[inside],
				   new->inside[inside]);
	close_object(lines);
	put_count(lines, "requests", new->requests);
	put_count(lines, "retries", new->retries);
	close_object(lines);
}

/* Append the contradictions since the job's beginning. If their number is not 0, all
 * following lines are doubtful. */
static void put_health(struct tw_interval_lines *lines)
{
	const struct tw_contradictions *wrong = &lines->job->wrong;
	const struct tw_contradictions now = {
		.negative = load(&wrong->negative),
		.inside.within = load(&wrong->inside.within),
		.inside.beyond = load(&wrong->inside.beyond),
	};

	open_object(lines, "health");
	put_count(lines, "backwards", tw_backwards(lines->told.counts, &now));
	put_count(lines, "negative_within", now.inside.within);
	close_object(lines);
}

/* Append when the first I/O was prepared, and how long after that the last I/O so far
 * was returned. The report contains the same two times. */
static void put_run(struct tw_interval_lines *lines)
{
	const struct tw_job *job = lines->job;
	const uint64_t last = load(&job->last_ticks);
	const uint64_t first = load(&job->first_ticks);
	int64_t first_ns, run_ns;

	if (!first || !last)
		return;
	first_ns = tw_job_ns(job, job->start.ticks, first);
	run_ns = tw_job_ns(job, first, last);
	put_count(lines, "first_ns", first_ns > 0 ? (uint64_t) first_ns : 0);
	put_count(lines, "run_ns", run_ns > 0 ? (uint64_t) run_ns : 0);
}

/* ---- lines -------------------------------------------------------------- */

static uint64_t clock_ns(clockid_t id)
{
	struct timespec now = { 0 };

	clock_gettime(id, &now);
	return tw_timespec_ns(&now);
}

/* Append the times of the interval, which begins where the line before ended. */
static void put_times(struct tw_interval_lines *lines)
{
	const struct tw_job *job = lines->job;
	const int64_t ns = tw_job_ns(job, job->start.ticks, tw_job_stamp(job));
	const uint64_t from_ns = lines->to_ns;

	/* The counter of this thread's CPU may be behind. */
	if (ns > (int64_t) from_ns)
		lines->to_ns = (uint64_t) ns;
	put_count(lines, "interval", ++lines->number);
	put_count(lines, "from_ns", from_ns);
	put_count(lines, "to_ns", lines->to_ns);
	put_digits(lines, "realtime_ns", lines->realtime_ns);
	lines->realtime_ns = clock_ns(CLOCK_REALTIME);
}

static void put_stages(struct tw_interval_lines *lines,
		       uint64_t ios[TW_DIRECTIONS])
{
	const struct tw_job *job = lines->job;
	uint64_t counts[TW_DIRECTIONS];
	unsigned stage;

	open_object(lines, "stages");
	for (stage = 0; stage < TW_STAGES; stage++)
		put_histograms(lines, tw_stage_names[stage], job->stage[stage],
			       lines->stage[stage], counts);
	put_histograms(lines, "lat", job->lat, lines->lat, ios);
	close_object(lines);
	put_histograms(lines, "submitting_call", job->call, lines->call,
		       counts);
}

/* Append the CPU time of this thread since its beginning. */
static void put_own_time(struct tw_interval_lines *lines)
{
	open_object(lines, "writer");
	put_count(lines, "cpu_ns", clock_ns(CLOCK_THREAD_CPUTIME_ID));
	close_object(lines);
}

int tw_interval_line(struct tw_interval_lines *lines, bool is_end)
{
	uint64_t ios[TW_DIRECTIONS];
	struct tw_tallies new;

	lines->length = 0;
	put(lines, is_end ? "{\"end\":{" : "{");
	put_times(lines);
	put_run(lines);
	put_stages(lines, ios);
	take_tallies(&new, lines);
	put_counts(lines, "ios", ios);
	put_members(lines, &new);
	if (lines->job->kernel.slots)
		put_kernel(lines, &new);
	put_health(lines);
	put_own_time(lines);
	put(lines, is_end ? "}}\n" : "}\n");
	return lines->no_memory ? -ENOMEM : 0;
}

/* Touch the usual bins before the job begins. Otherwise the first line would wait until
 * the kernel has zeroed the memory, page by page. */
static void touch(struct tw_histogram *told)
{
	const uint32_t first = tw__histogram_bin(told, USUAL_FROM_NS);
	const uint32_t end = tw__histogram_bin(told, USUAL_TO_NS);
	uint32_t bin;

	if (told->digits > USUAL_DIGITS)
		return;
	for (bin = first; bin < end; bin += PAGE / sizeof(*told->bins))
		((volatile uint64_t *) told->bins)[bin] = 0;
}

static void touch_all(struct tw_interval_lines *lines)
{
	unsigned direction, stage;

	memset(lines->text, 0, lines->size);
	for (direction = TW_READ; direction <= TW_WRITE; direction++) {
		touch(&lines->lat[direction]);
		touch(&lines->call[direction]);
		for (stage = 0; stage < TW_STAGES; stage++)
			touch(&lines->stage[stage][direction]);
	}
}

static int init_histograms(struct tw_interval_lines *lines)
{
	const unsigned digits = lines->job->lat[TW_READ].digits;
	unsigned direction, stage;

	for (direction = 0; direction < TW_DIRECTIONS; direction++) {
		if (tw_histogram_init(&lines->lat[direction], digits) ||
		    tw_histogram_init(&lines->call[direction], digits))
			return -ENOMEM;
		for (stage = 0; stage < TW_STAGES; stage++)
			if (tw_histogram_init(&lines->stage[stage][direction],
					      digits))
				return -ENOMEM;
	}
	return 0;
}

int tw_interval_lines_init(struct tw_interval_lines *lines,
			   const struct tw_job *job)
{
	*lines = (struct tw_interval_lines) {
		.job = job,
		.realtime_ns = job->start_realtime_ns,
		.text = malloc(FIRST_SIZE),
		.size = FIRST_SIZE,
	};
	if (lines->text && !init_histograms(lines)) {
		touch_all(lines);
		return 0;
	}
	tw_interval_lines_free(lines);
	return -ENOMEM;
}

void tw_interval_lines_free(struct tw_interval_lines *lines)
{
	unsigned direction, stage;

	for (direction = 0; direction < TW_DIRECTIONS; direction++) {
		tw_histogram_free(&lines->lat[direction]);
		tw_histogram_free(&lines->call[direction]);
		for (stage = 0; stage < TW_STAGES; stage++)
			tw_histogram_free(&lines->stage[stage][direction]);
	}
	free(lines->text);
	lines->text = NULL;
}
