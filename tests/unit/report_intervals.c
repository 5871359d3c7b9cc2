/* SPDX-License-Identifier: MIT */
/*
 * Behaviour: a file of intervals is read line by line; each line has its own values
 * and nothing of the line before. A last line without an end is left out. Damage is
 * refused with the number of the line and what is wrong with it. Defect: bins of
 * the line before, a sum or an extreme without a bin is lost, half a line is taken
 * for damage, damage for the end.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "command/command.h"
#include "command/reports/intervals.h"
#include "tap.h"

static char path[] = "/tmp/tw_intervals.XXXXXX";

#define JOB "{\"run\":\"1\",\"name\":\"j\",\"groupid\":0,\"thread_number\":1," \
	"\"subjob_number\":0,\"pid\":7,\"host\":\"h\",\"start\":\"5\"," \
	"\"fio_version\":\"fio-3\",\"engine\":\"tickwise\",\"iodepth\":8}"
#define HEADER "{\"schema\":\"tickwise-report\",\"version\":3,\"kind\":\"intervals\"," \
	"\"job\":" JOB ",\"clock\":{\"ticks\":\"9\",\"monotonic_ns\":\"77\"," \
	"\"hz\":1e9},\"interval_ns\":1000000000,\"digits\":1,\"new\":[1]}\n"
#define NONE "{\"read\":0,\"write\":0,\"trim\":0,\"sync\":0}"
#define LINE(number, from, to, ios, lat) \
	"{\"interval\":" #number ",\"from_ns\":" #from ",\"to_ns\":" #to "," \
	"\"realtime_ns\":\"5\",\"stages\":{" lat "},\"ios\":{\"read\":" #ios "," \
	"\"write\":0,\"trim\":0,\"sync\":0},\"errors\":" NONE ",\"health\":" \
	"{\"backwards\":0,\"negative_within\":" #number "}}"
#define LAT(bins, count, low, high, sum) "\"lat\":{\"read\":{\"bins\":{" bins "}," \
	"\"count\":" #count ",\"min_ns\":" #low ",\"max_ns\":" #high "," \
	"\"sum_ns\":\"" #sum "\"}}"

/*
 * Two I/Os of 10 and 20 ns; one of 46 or 47; none, but 2 ns more and the maximum;
 * one that is in another stage, too.
 */
#define ONE	LINE(1, 0, 1000, 2, LAT("\"10\":1,\"20\":1", 2, 10, 20, 30))
#define TWO	LINE(2, 1000, 2000, 1, LAT("\"47\":1", 1, 46, 46, 45))
#define THREE	LINE(3, 2000, 2000, 0, LAT("", 0, 10, 47, 2))
#define FOUR	LINE(4, 2000, 3000, 1, LAT("\"10\":1", 1, 10, 10, 10) \
		     ",\"queue\":{\"read\":{\"bins\":{\"3\":1},\"count\":1," \
		     "\"min_ns\":3,\"max_ns\":3,\"sum_ns\":\"3\"}}," \
		     "\"tunnel\":{}")

static void write_text(const char *text)
{
	FILE *file = fopen(path, "w");

	fputs(text, file);
	fclose(file);
}

/* The sum of all lines; its problem is "" where nothing is wrong. */
struct sum {
	struct tw_histogram lat;
	unsigned lines;
	uint64_t ios, to_ns, queue, within;
	int has_end;
	size_t unknown;
	int ret;
	struct tw_report_problem problem;
};

static void add(struct sum *sum, const struct tw_intervals_line *line)
{
	const struct tw_report_tally *tally = line->tally;

	sum->lines++;
	sum->ios += tally->counts[TW_REPORT_IOS][0];
	sum->queue += tally->times[TW_QUEUE][0].count;
	sum->to_ns = line->to_ns;
	sum->within += line->negative_within;
	sum->has_end = line->is_end;
	tw_intervals_add(&sum->lat, &tally->times[TW_REPORT_LAT][0]);
}

static void read_text(struct sum *sum, const char *text)
{
	const struct tw_intervals_line *line;
	struct tw_intervals *intervals;

	tw_histogram_free(&sum->lat);
	*sum = (struct sum) { .lat.bins = NULL };
	write_text(text);
	sum->ret = tw_intervals_open(&intervals, path, &sum->problem);
	while (!sum->ret &&
	       !(sum->ret = tw_intervals_next(intervals, &line, &sum->problem)) && line)
		add(sum, line);
	if (intervals)
		sum->unknown = json_object_size(tw_intervals_unknown(intervals));
	tw_intervals_close(intervals);
}

static void whole(struct sum *sum)
{
	read_text(sum, HEADER ONE "\n" TWO "\n" THREE "\n{\"end\":" FOUR "}\n");
	tap_ok(!sum->ret && sum->lines == 4 && sum->has_end, "four lines and an end");
	tap_is_u64(sum->ios, 4, "I/Os");
	tap_is_u64(sum->to_ns, 3000, "the end of the last");
	tap_is_u64(sum->within, 4, "health is the last one's");
	tap_is_u64(sum->queue, 1, "a stage that one line has");
	tap_is_u64(sum->unknown, 1, "a stage that is unknown");
	tap_ok(sum->lat.count == 4 && sum->lat.sum_ns == 87 && sum->lat.min_ns == 10 &&
	       sum->lat.max_ns == 47, "count, sum and extremes of lat");
	tap_is_u64(tw_histogram_percentile(&sum->lat, 50), 10, "its median");
	read_text(sum, HEADER ONE "\n" LINE(2, 1000, 2000, 0, LAT("", 0, 5, 47, 2)) "\n");
	tap_ok(sum->lat.count == 2 && sum->lat.sum_ns == 32 && sum->lat.min_ns == 10 &&
	       sum->lat.max_ns == 20, "extremes of other bins are not theirs");
}

static void header(void)
{
	struct tw_report_problem problem = { "" };
	const struct tw_intervals_header *is;
	struct tw_intervals *intervals;

	write_text(HEADER);
	tap_ok(tw_intervals_are_in(path), "it is a file of intervals");
	if (tw_intervals_open(&intervals, path, &problem)) {
		tap_ok(0, "%s", problem.text);
		return;
	}
	is = tw_intervals_header(intervals);
	tap_ok(is->monotonic_ns == 77 && is->interval_ns == 1000000000 &&
	       is->digits == 1 && is->job.pid == 7 && is->job.run_ns == 0 &&
	       strcmp(is->job.name, "j") == 0, "with its header");
	tw_intervals_close(intervals);
	write_text("{\"schema\": \"tickwise-report\", \"version\": 3,\n"
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
		wrong += sum->ret || sum->lines != 1 || sum->ios != 2;
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
		{ HEADER "{\"end\":" ONE "}\n" TWO "\n", "line 3: it follows the end" },
		{ HEADER "{\"end\":[]}\n", "line 2: end is not an object" },
		{ HEADER LINE(1, 5, 9, 0, "") "\n", "line 2: it does not begin where" },
		{ HEADER ONE "\n" LINE(2, 1000, 9, 0, "") "\n", "line 3: it ends before" },
		{ HEADER LINE(1, 0, 9, 0, "\"lat\":3") "\n",
		  "line 2: stages.lat is not an object" },
		{ HEADER LINE(1, 0, 9, -1, "") "\n", "line 2: ios.read is not a whole" },
		{ HEADER LINE(1, 0, 9, 2, LAT("\"10\":1", 2, 10, 10, 20)) "\n",
		  "line 2: stages.lat.read: the bins do not add up to count" },
		{ HEADER LINE(1, 0, 9, 1, LAT("\"32\":1", 1, 32, 32, 32)) "\n",
		  "line 2: stages.lat.read: a bin's key" },
		{ HEADER LINE(1, 0, 9, 1, LAT("\"10\":1", 1, 9, 10, 20)) "\n",
		  "line 2: stages.lat.read: min_ns is not in the first bin" },
		{ HEADER LINE(1, 0, 9, 1, LAT("\"10\":1", 1, 10, 12, 20)) "\n",
		  "line 2: stages.lat.read: max_ns is not in the last bin" },
		{ HEADER LINE(1, 0, 9, 1, LAT("\"10\":1", 1, 11, 10, 20)) "\n",
		  "line 2: stages.lat.read: min_ns is above max_ns" },
		{ HEADER LINE(1, 0, 9, 1, LAT("\"10\":0", 0, 10, 10, 20)) "\n",
		  "line 2: stages.lat.read: a bin is empty" },
		{ "{}\n", "line 1: not a report of the Tickwise engine" },
		{ "[\n", "line 1: not JSON" },
		{ "{\"schema\":\"tickwise-report\",\"version\":2}\n",
		  "line 1: version 2 of the report" },
		{ "{\"schema\":\"tickwise-report\",\"version\":3,\"kind\":\"x\"}\n",
		  "line 1: kind is not \"intervals\"" },
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
	struct sum sum = { .lat.bins = NULL };
	int fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	header();
	whole(&sum);
	cut(&sum);
	damaged(&sum);
	not_there();
	tw_histogram_free(&sum.lat);
	unlink(path);
	return tap_done();
}
