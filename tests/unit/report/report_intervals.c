/* SPDX-License-Identifier: MIT */
/*
 * Behaviour: a file of intervals is read line by line; each line is a tally of its own,
 * and all lines add up. A last line without an end is left out. Damage is refused with
 * the number of the line and what is wrong with it. Defect: values of the line before, a
 * row that one line lacks is taken for 0, half a line is taken for damage, damage for
 * the end.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "command/command.h"
#include "command/analysis/interval_files.h"
#include "tap.h"

static char path[] = "/tmp/tw_intervals.XXXXXX";

#define JOB "{\"run\":\"1\",\"name\":\"j\",\"groupid\":0,\"thread_number\":1," \
	"\"subjob_number\":0,\"pid\":7,\"host\":\"h\",\"start\":\"5\"," \
	"\"start_monotonic_ns\":\"77\",\"first_ns\":0,\"run_ns\":0,\"fio_version\":\"fio-3\"," \
	"\"engine\":\"tickwise\",\"tickwise_version\":\"0.1\",\"iodepth\":8," \
	"\"event_time\":false,\"event_wait\":false,\"fallback\":false}"
#define BEGIN(kind) "{\"schema\":\"tickwise-report\",\"version\":1,\"kind\":\"" kind "\"," \
	"\"clock\":{\"ticks\":\"9\",\"monotonic_ns\":\"77\",\"hz\":1e9}," \
	"\"interval_ns\":1000000000,\"digits\":1,\"new\":[1],\"jobs\":["
#define HEADER BEGIN("intervals") JOB "]}\n"
#define REST(number, from, to, ios, stages) \
	"\"interval\":" #number ",\"from_ns\":" #from ",\"to_ns\":" #to "," \
	"\"realtime_ns\":\"5\",\"ios\":{\"read\":" #ios ",\"write\":0,\"trim\":0," \
	"\"sync\":0},\"stages\":{" stages "}}"
#define LINE(...)	"{" REST(__VA_ARGS__)
#define END_LINE(...)	"{\"end\":true," REST(__VA_ARGS__)
#define TIME(name, bins, count, low, high, sum, squares) \
	"\"" name "\":{\"read\":{\"digits\":1,\"bins\":{" bins "}," \
	"\"count\":" #count ",\"min_ns\":" #low ",\"max_ns\":" #high "," \
	"\"sum_ns\":\"" #sum "\",\"sum_squares_ns2\":\"" #squares "\"}}"
#define LAT(...)	TIME("lat", __VA_ARGS__)

/*
 * Two I/Os of 10 and 20 ns; one of 46; none; one that is in another stage, too, and in
 * one that is unknown.
 */
#define OF_ONE	1, 0, 1000, 2, LAT("\"10\":1,\"20\":1", 2, 10, 20, 30, 500)
#define ONE	LINE(OF_ONE)
#define TWO	LINE(2, 1000, 2000, 1, LAT("\"47\":1", 1, 46, 46, 46, 2116))
#define THREE	LINE(3, 2000, 2000, 0, "\"lat\":{}")
#define OF_FOUR	4, 2000, 3000, 1, LAT("\"10\":1", 1, 10, 10, 10, 100) "," \
		TIME("queue", "\"3\":1", 1, 3, 3, 3, 9) ",\"tunnel\":{}"
#define FOUR	LINE(OF_FOUR)

static void write_text(const char *text)
{
	FILE *file = fopen(path, "w");

	fputs(text, file);
	fclose(file);
}

/* The sum of all lines; its problem is "" where nothing is wrong. */
struct sum {
	struct tw_tally tally;
	unsigned lines;
	uint64_t to_ns;
	int has_end;
	int ret;
	struct tw_report_problem problem;
};

static void add(struct sum *sum, const struct tw_intervals_line *line)
{
	sum->lines++;
	sum->to_ns = line->is.to_ns;
	sum->has_end = line->is.is_end;
	tw_tally_merge(&sum->tally, &line->tally);
}

static uint64_t ios_of(const struct sum *sum)
{
	return sum->tally.counts[TW_READ].ios;
}

static void read_text(struct sum *sum, const char *text)
{
	const struct tw_intervals_line *line;
	struct tw_intervals *intervals;

	tw_tally_free(&sum->tally);
	*sum = (struct sum) { .lines = 0 };
	write_text(text);
	sum->ret = tw_intervals_open(&intervals, path, &sum->problem);
	while (!sum->ret &&
	       !(sum->ret = tw_intervals_next(intervals, &line, &sum->problem)) && line)
		add(sum, line);
	tw_intervals_close(intervals);
}

static void whole(struct sum *sum)
{
	const struct tw_histogram *lat = &sum->tally.times[TW_LAT][TW_READ];

	read_text(sum, HEADER ONE "\n" TWO "\n" THREE "\n" END_LINE(OF_FOUR) "\n");
	tap_ok(!sum->ret && sum->lines == 4 && sum->has_end, "four lines and an end");
	tap_is_u64(ios_of(sum), 4, "I/Os");
	tap_is_u64(sum->to_ns, 3000, "the end of the last");
	tap_ok(!tw_has(&sum->tally, TW_METRIC_TIMES + TW_QUEUE) &&
	       tw_metric_is_in(&sum->tally.lacks, TW_METRIC_TIMES + TW_QUEUE),
	       "a stage that one line has is not in the sum");
	tap_ok(lat->count == 4 && lat->sum_ns == 86 && lat->min_ns == 10 &&
	       lat->max_ns == 46 && lat->squares_ns2[0] == 2716,
	       "count, sums and extremes of lat");
	tap_is_u64(tw_histogram_percentile(lat, 50), 10, "its median");
}

static void header(void)
{
	struct tw_report_problem problem = { "" };
	struct tw_intervals *intervals;
	const struct tw_report *is;

	write_text(HEADER);
	tap_ok(tw_intervals_are_in(path), "it is a file of intervals");
	if (tw_intervals_open(&intervals, path, &problem)) {
		tap_ok(0, "%s", problem.text);
		return;
	}
	is = (&intervals->header);
	tap_ok(is->jobs->start_monotonic_ns == 77 && is->interval_ns == 1000000000 &&
	       is->digits == 1 && is->jobs->pid == 7 && is->jobs->run_ns == 0 &&
	       strcmp(is->jobs->name, "j") == 0, "with its header");
	tw_intervals_close(intervals);
	write_text("{\"schema\": \"tickwise-report\", \"version\": 1,\n"
		   "\"kind\": \"intervals\"}");
	tap_ok(!tw_intervals_are_in(path), "a report is none");
	write_text("");
	tap_ok(!tw_intervals_are_in(path), "nor is an empty file");
	tap_ok(!tw_intervals_are_in("/nowhere"), "nor one that is not there");
}

static void cut(struct sum *sum)
{
	const char *const text = HEADER ONE "\n" TWO "\n";
	const size_t length = strlen(text), two = strlen(HEADER ONE "\n");
	char part[4096];
	unsigned wrong = 0;

	for (size_t end = two; end < length; end += 7) {
		snprintf(part, sizeof(part), "%.*s", (int)end, text);
		read_text(sum, part);
		wrong += sum->ret || sum->lines != 1 || ios_of(sum) != 2;
	}
	tap_is_u64(wrong, 0, "a last line without its end is left out");
	read_text(sum, HEADER);
	tap_ok(!sum->ret && sum->lines == 0, "a header alone is no damage");
	read_text(sum, "{\"schema\":\"tickwise-report\",\"vers");
	tap_ok(sum->ret == -EINVAL && strstr(sum->problem.text, "has no end"),
	       "half a header is");
}

static void damaged(struct sum *sum)
{
	static const struct {
		const char *text, *problem;
	} of[] = {
		{ HEADER ONE "\n{]\n" TWO "\n", "line 3: not JSON: column 2: " },
		{ HEADER "\n" ONE "\n", "line 2: not JSON" },
		{ HEADER ONE "\n" ONE "\n", "line 3: interval 1 follows interval 1" },
		{ HEADER ONE "\n" FOUR "\n", "line 3: interval 4 follows interval 1" },
		{ HEADER ONE "\n" HEADER, "line 3: interval is missing" },
		{ HEADER END_LINE(OF_ONE) "\n" TWO "\n", "line 3: it follows the end" },
		{ HEADER "{\"end\":[]}\n", "line 2: interval is missing" },
		{ HEADER "{\"end\":[]," REST(1, 0, 9, 0, "\"lat\":{}") "\n",
		  "line 2: end is not true or false" },
		{ HEADER LINE(1, 5, 9, 0, "\"lat\":{}") "\n",
		  "line 2: it does not begin where" },
		{ HEADER ONE "\n" LINE(2, 1000, 9, 0, "\"lat\":{}") "\n",
		  "line 3: it ends before" },
		{ HEADER LINE(1, 0, 9, 0, "") "\n", "line 2: stages.lat is missing" },
		{ HEADER "{\"interval\":1,\"from_ns\":0,\"to_ns\":9,\"realtime_ns\":\"5\"}\n",
		  "line 2: it has no numbers" },
		{ HEADER LINE(1, 0, 9, 0, "\"lat\":3") "\n",
		  "line 2: stages.lat is not an object" },
		{ HEADER LINE(1, 0, 9, -1, "\"lat\":{}") "\n",
		  "line 2: ios.read is not a whole" },
		{ HEADER LINE(1, 0, 9, 2, LAT("\"10\":1", 2, 10, 10, 20, 200)) "\n",
		  "line 2: stages.lat.read: the bins do not add up to count" },
		{ HEADER LINE(1, 0, 9, 1, LAT("\"32\":1", 1, 32, 32, 32, 1024)) "\n",
		  "line 2: stages.lat.read: a bin's key" },
		{ HEADER LINE(1, 0, 9, 2, LAT("\"10\":2", 2, 9, 10, 20, 200)) "\n",
		  "line 2: stages.lat.read: min_ns is not in the first bin" },
		{ HEADER LINE(1, 0, 9, 0, LAT("\"10\":1", 1, 10, 10, 10, 100)) "\n",
		  "line 2: stages.lat.read counts more than ios.read" },
		{ "{}\n", "line 1: not a report of the Tickwise engine" },
		{ "[\n", "line 1: not JSON" },
		{ "{\"schema\":\"tickwise-report\",\"version\":2}\n",
		  "line 1: version 2 of the report" },
		{ BEGIN("intervals") "]}\n", "line 1: jobs is empty" },
		{ BEGIN("x") JOB "]}\n", "line 1: kind is not \"intervals\"" },
		{ "", "no file of intervals" },
	};

	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		read_text(sum, of[i].text);
		if (!tap_ok(sum->ret == -EINVAL &&
			    strncmp(sum->problem.text, of[i].problem,
				    strlen(of[i].problem)) == 0, "%s", of[i].problem))
			tap_note("%d: %s", sum->ret, sum->problem.text);
	}
	tap_ok(tw_intervals_exit(sum->ret) == TW_EXIT_DATA, "that is bad data");
}

static void not_there(void)
{
	struct tw_report_problem problem = { "" };
	struct tw_intervals *intervals;
	int ret = tw_intervals_open(&intervals, "/nowhere", &problem);

	tap_ok(ret == -ENOENT && !intervals && problem.text[0] &&
	       tw_intervals_exit(ret) == TW_EXIT_NO_INPUT, "no such file");
}

int main(void)
{
	struct sum sum = { .lines = 0 };
	int fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	header();
	whole(&sum);
	cut(&sum);
	damaged(&sum);
	not_there();
	tw_tally_free(&sum.tally);
	unlink(path);
	return tap_done();
}
