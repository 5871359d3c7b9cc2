/* SPDX-License-Identifier: MIT */
/*
 * A series over time that no writer wrote is refused, with the reason. Fails if a wrong
 * width, time, order or histogram is accepted.
 */
#include <errno.h>
#include <string.h>

#include "report/windows.h"
#include "tap.h"

#define LAT	"{\"digits\":1,\"count\":1,\"min_ns\":5,\"max_ns\":5,\"mean_ns\":5.0," \
		"\"stddev_ns\":0.0,\"sum_ns\":\"5\",\"sum_squares_ns2\":\"25\"," \
		"\"percentiles\":{},\"bins\":{\"5\":1}}"
#define FINE	"{\"digits\":2,\"count\":1,\"min_ns\":5,\"max_ns\":5,\"mean_ns\":5.0," \
		"\"stddev_ns\":0.0,\"sum_ns\":\"5\",\"sum_squares_ns2\":\"25\"," \
		"\"percentiles\":{},\"bins\":{\"5\":1}}"
#define AT(start)	"{\"start\":\"" start "\",\"read\":" LAT "}"
#define SERIES(width, windows)	"{\"width_ns\":" width ",\"windows\":[" windows "]}"

/* Return the problem; "": there is none. */
static const char *problem_of(const char *text, struct tw_windows *windows)
{
	json_t *json = json_loads(text, JSON_DECODE_ANY, NULL);
	const char *problem = "";
	int error = tw_windows_from_json(windows, json, &problem);

	if (!json || (error != 0) != (*problem != '\0') || (error && error != -EINVAL))
		problem = "the test is wrong";
	json_decref(json);
	return problem;
}

static void refused(const char *text, const char *expected)
{
	struct tw_windows windows = { 0 };
	const char *problem = problem_of(text, &windows);

	if (!tap_ok(!strcmp(problem, expected), "refused: %s", expected))
		tap_note("%s: %s", problem, text);
	tw_windows_free(&windows);
}

static void check_accepted(void)
{
	struct tw_windows windows = { 0 };
	const char *problem = problem_of(SERIES("2000000", AT("4000000") ","
		"{\"start\":\"258000000\",\"errors\":{\"sync\":3},\"new\":1}"), &windows);

	tap_ok(!*problem && windows.count == 128 && windows.width_ns == 2000000 &&
	       windows.first == 2 && tw_windows_get(&windows, 0)->lat[TW_READ].count == 1 &&
	       tw_windows_get(&windows, 127)->errors[TW_SYNC] == 3,
	       "128 windows, the last with errors alone");
	tw_windows_free(&windows);
	problem = problem_of(SERIES("1000000", ""), &windows);
	tap_ok(!*problem && windows.count == 0 && windows.width_ns == 0, "no window");
	tw_windows_free(&windows);
	problem = problem_of(SERIES("\"8796093022208000000\"", AT("8796093022208000000")),
			     &windows);
	tap_ok(!*problem && windows.count == 1 && windows.first == 1,
	       "the widest and last window");
	tw_windows_free(&windows);
}

int main(void)
{
	const char *const no_start = "start is not a text of digits";
	const char *const no_edge = "start is not where a window begins";
	const char *const no_width = "width_ns is not 1 ms, doubled some times";

	check_accepted();
	refused("[]", "not an object");
	refused("{\"windows\":[]}", "width_ns is not a whole number");
	refused(SERIES("0", ""), no_width);
	refused(SERIES("3000000", ""), no_width);
	refused(SERIES("1500000", ""), no_width);
	refused(SERIES("\"17592186044416000000\"", ""), no_width);
	refused("{\"width_ns\":1000000}", "windows is not an array");
	refused(SERIES("1000000", "7"), no_start);
	refused(SERIES("1000000", "{\"start\":1000000}"), no_start);
	refused(SERIES("2000000", AT("1000000")), no_edge);
	refused(SERIES("1000000", AT("9223372036855000000")), no_edge);
	refused(SERIES("1000000", AT("2000000") "," AT("2000000")),
		"the windows are not in ascending order");
	refused(SERIES("1000000", AT("2000000") "," AT("1000000")),
		"the windows are not in ascending order");
	refused(SERIES("1000000", AT("2000000") "," AT("130000000")),
		"the windows are more than 128 widths apart");
	refused(SERIES("1000000", "{\"start\":\"0\"}"), "a window has no I/O and no error");
	refused(SERIES("1000000", "{\"start\":\"0\",\"trim\":[]}"), "not an object");
	refused(SERIES("1000000", "{\"start\":\"0\",\"trim\":" FINE "}"),
		"digits is not what all histograms here have");
	refused(SERIES("1000000", "{\"start\":\"0\",\"errors\":3}"),
		"errors is not an object");
	refused(SERIES("1000000", "{\"start\":\"0\",\"errors\":{\"read\":-1}}"),
		"errors is not a whole number");
	return tap_done();
}
