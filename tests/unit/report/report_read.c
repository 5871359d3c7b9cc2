/* SPDX-License-Identifier: MIT */
/*
 * The reader of reports trusts nothing. Without a required key, or with a value of another
 * type, a report is refused. Whatever bytes a report has, reading, merging and writing do
 * not crash, and what is accepted can be written, and read again.
 *
 * Fails if a check is left out, or if what is merged or written relies on a value that
 * was not checked. `make SAN=1 check` notices accesses outside of memory.
 */
#include <unistd.h>

#include "report_made.h"

#define MUTATIONS	10000
#define LINES		2000

static uint64_t state;

static uint64_t below(uint64_t limit)
{
	return tap_random(&state) % limit;
}

/* ---- a report with all parts -------------------------------------------- */

/* The first "io" of a list of the slowest. */
static void add_causes(json_t *slow)
{
	json_object_set_new(slow, "submitting_call_ns", json_integer(5));
	json_object_set_new(slow, "causes", json_pack("{ss, s{ss, si}, si, si, si, si, si, si, "
		"si, si, sb, s[{ss, si, si, ss}]}", "stage", "lat",
		"stall", "from_ns", "1080000", "ns", 50, "ran_ns", 1, "waited_ns", 2,
		"interrupts_ns", 3, "woken_late_ns", 4, "asleep_ns", 5, "unexplained_ns", 6,
		"stolen_at_most_ns", 7, "since_interrupt_ns", 8, "lost", 0,
		"had_cpu", "kind", "process", "ns", 2, "id", 44, "name", "sh"));
}

static json_t *clock_with(const char *kind, const char *name)
{
	return json_pack("{ss, sf, sf, sf, sf, si, ss, s{ss, sf, sf, sf, sf, si}}",
		"against", "RAW", "error_ns", 1.5, "error_ppb", -0.5, "uncertainty_ns", 1.0,
		"uncertainty_ppb", 0.1, "over_ns", 10, kind, name,
		"off_monotonic", "against", "MONOTONIC", "error_ns", 2.5, "error_ppb", 0.5,
		"uncertainty_ns", 1.0, "uncertainty_ppb", 0.1, "over_ns", 10);
}

static json_t *all_clocks(void)
{
	json_t *tickwise = clock_with("source", "kernel");

	json_object_set_new(tickwise, "hz", json_real(2.6e9));
	json_object_set_new(tickwise, "rate_bound_ppb", json_real(41));
	json_object_set_new(tickwise, "rate_window_ns", json_integer(1000));
	json_object_set_new(tickwise, "refit", json_pack("{ss, sf, sf, sf, sf, si}",
		"against", "RAW", "hz", 2.6e9, "uncertainty_ppb", 0.1, "bound_ppb", 0.2,
		"frozen_error_ppb", -0.1, "over_ns", 10));
	return json_pack("{so, so, so}", "tickwise", tickwise,
			 "fio", clock_with("clocksource", "cpu"),
			 "monotonic", clock_with("kind", "x"));
}

static void add_attached(json_t *root)
{
	json_t *stages = json_deep_copy(json_object_get(json_object_get(root, "stages"),
							"lat"));

	json_object_set_new(root, "attached", json_pack("{s[{si, si, si, si, si, ss}], "
		"s[{si, ss, ss, si, si, so}], s{si}}",
		"rings", "ring", 1, "pid", 2, "fd", -1, "sq_entries", 4, "cq_entries", 8,
		"program", "db",
		"operations", "ring", 1, "operation", "read", "file", "/data/db", "ios", 100,
		"errors", 1, "stages", stages, "others", "recv", 7));
}

static void complete_job(json_t *root)
{
	json_t *job = json_array_get(json_object_get(root, "jobs"), 0);

	json_object_set_new(job, "run", json_string("r"));
	json_object_set_new(job, "test_nop", json_true());
	json_object_set_new(job, "kernel", json_pack("{ss, ss, sb}", "state", "off", "why", "x",
						     "by_helper", 1));
	json_object_set_new(job, "causes", json_pack("{ss, ss, si}", "state", "off", "why", "x",
						     "not_followed", 3));
	json_object_set_new(job, "options", json_pack("{ss}", "thread", ""));
	json_object_set_new(job, "options_left_out", json_integer(2));
	json_object_set_new(root, "options", json_pack("{ss}", "rw", "read"));
}

static int is_complete(const json_t *root)
{
	json_t *devices = json_object_get(root, "devices");

	const json_t *first = json_array_get(devices, 0);
	const json_t *ios = json_object_get(root, "ios");

	/* Few I/Os, since a report is read ten thousand times. */
	return json_integer_value(json_object_get(ios, "read")) < 10 &&
	       json_integer_value(json_object_get(json_object_get(first, "ios"), "read")) &&
	       json_object_get(first, "members") &&
	       json_array_size(json_object_get(root, "slowest")) &&
	       json_array_size(json_object_get(json_object_get(root, "counter"), "reasons")) &&
	       json_object_get(root, "bytes") && json_object_get(root, "over_time") &&
	       json_object_get(root, "stages_by_lat") && json_object_get(root, "batches") &&
	       json_object_get(root, "triggers") && json_object_get(root, "fio_lat");
}

static json_t *complete_report(void)
{
	json_t *root = made_report(&state, 1, 0);

	while (!is_complete(root)) {
		json_decref(root);
		root = made_report(&state, 1, 0);
	}
	complete_job(root);
	json_object_set_new(root, "clocks", all_clocks());
	add_causes(json_array_get(json_object_get(root, "slowest"), 0));
	add_attached(root);
	json_object_set_new(root, "unknown", json_pack("[s]", "stages.dinner"));
	json_object_set_new(root, "lacks", json_pack("[ss]", "attached.in_flight", "lunch"));
	return root;
}

/* ---- reading ------------------------------------------------------------ */

/* Another report to merge with. */
static struct tw_report other;

/* Write and read an accepted report, and merge it. Return 1 if that goes wrong. */
static int goes_wrong(const struct tw_report *report)
{
	struct tw_report_problem problem = { "" };
	struct tw_report again, merged = { .jobs = NULL };
	json_t *json = tw_report_to_json(report), *rewritten;
	int wrong = tw_report_from_json(&again, json, "", &problem) || problem.text[0];

	if (problem.text[0])
		tap_note("%s", problem.text);
	rewritten = wrong ? NULL : tw_report_to_json(&again);
	wrong |= !json_equal(json, rewritten);
	json_decref(json);
	json_decref(rewritten);
	/* These may fail: the reports need not fit each other. */
	if (!below(4) && !tw_report_add(&merged, &other) && !tw_report_add(&merged, &again))
		json_decref(tw_report_to_json(&merged));
	tw_report_free(&merged);
	tw_report_free(&again);
	return wrong;
}

/* Read any JSON. Return 1 if it is accepted. @wrong: counts what goes wrong then. */
static int is_accepted(const json_t *json, struct tw_report_problem *problem, int *wrong)
{
	struct tw_report report;
	int accepted;

	problem->text[0] = '\0';
	accepted = !tw_report_from_json(&report, json, "", problem) && !problem->text[0];
	if (accepted && json_object_get(json, "kind"))
		json_decref(tw_report_header_to_json(&report));
	else if (accepted)
		*wrong += goes_wrong(&report);
	tw_report_free(&report);
	return accepted;
}

/* ---- keys and types ----------------------------------------------------- */

/* Paths without which a report is refused. */
static const char *const required[] = {
	".schema", ".version", ".jobs", ".clocks", ".counter", ".ios", ".stages.lat",
	".jobs[].name", ".jobs[].groupid", ".jobs[].thread_number", ".jobs[].subjob_number",
	".jobs[].pid", ".jobs[].host", ".jobs[].start", ".jobs[].first_ns", ".jobs[].run_ns",
	".jobs[].fio_version", ".jobs[].engine", ".jobs[].tickwise_version", ".jobs[].iodepth",
	".jobs[].event_time", ".jobs[].event_wait", ".jobs[].fallback", ".jobs[].kernel.state",
	".jobs[].kernel.why", ".jobs[].causes.state", ".jobs[].causes.why",
	".machines[].host", ".files[].host", ".files[].path", ".devices[].host",
	".devices[].device", ".devices[].jobs", ".devices[].ios.read",
	".clocks.fio.against", ".clocks.fio.error_ns", ".clocks.fio.error_ppb",
	".clocks.fio.uncertainty_ppb", ".clocks.fio.over_ns", ".clocks.fio.clocksource",
	".clocks.tickwise.source", ".clocks.tickwise.off_monotonic.uncertainty_ns",
	".clocks.tickwise.off_monotonic.error_ns", ".clocks.tickwise.refit.hz",
	".clocks.tickwise.refit.frozen_error_ppb", ".clocks.tickwise.refit.against",
	".counter.verdict", ".counter.reasons", ".counter.reasons[].code",
	".counter.reasons[].text", ".ios.read", ".bytes.write", ".fio_lat.count.read",
	".slowest[].job", ".slowest[].offset", ".slowest[].size", ".slowest[].ddir",
	".slowest[].stages", ".slowest[].stages.lat", ".slowest[].causes.stage",
	".slowest[].causes.stall", ".slowest[].causes.stall.ns",
	".slowest[].causes.stall.from_ns", ".slowest[].causes.had_cpu[].kind",
	".slowest[].causes.had_cpu[].ns", ".triggers[].job", ".triggers[].state",
	".triggers[].above_ns", ".triggers[].slower", ".triggers[].io.offset",
	".triggers[].io.size", ".triggers[].io.ddir", ".triggers[].io.monotonic_ns",
	".triggers[].io.lat_ns", ".triggers[].events[].monotonic_ns",
	".triggers[].events[].cpu", ".triggers[].events[].pid", ".triggers[].events[].task",
	".triggers[].events[].event", ".triggers[].events[].args", ".attached.rings",
	".attached.operations", ".attached.others", ".attached.rings[].ring",
	".attached.rings[].pid", ".attached.rings[].fd", ".attached.rings[].sq_entries",
	".attached.rings[].cq_entries", ".attached.rings[].program",
	".attached.operations[].ring", ".attached.operations[].operation",
	".attached.operations[].file", ".attached.operations[].ios",
	".attached.operations[].stages", ".over_time.width_ns", ".over_time.windows",
	".over_time.windows[].start",
};

/* Parts without which the report is accepted. */
static const char *const optional[] = {
	".options", ".machines", ".files", ".devices", ".bytes", ".batches", ".over_time",
	".slowest", ".triggers", ".attached", ".lacks", ".unknown", ".fio_lat",
	".jobs[].run", ".jobs[].start_monotonic_ns", ".jobs[].test_nop", ".jobs[].kernel",
	".jobs[].causes", ".jobs[].options", ".jobs[].options_left_out",
	".devices[].lat", ".devices[].device_time", ".devices[].over_time",
	".devices[].members", ".clocks.tickwise", ".clocks.tickwise.off_monotonic",
	".clocks.tickwise.refit", ".clocks.tickwise.hz", ".slowest[].causes",
	".slowest[].causes.ran_ns", ".slowest[].causes.had_cpu",
	".slowest[].submitting_call_ns", ".triggers[].io", ".triggers[].events",
};

/* What these hold is not read. */
static const char *const unread[] = {
	".counter.covers", ".devices[].zoo", ".devices[].all", ".stages.lunch",
	".clocks.monotonic.kind",
};

/* Do not look at the keys of these one by one. */
static const char *const alike[] = { ".bins", ".percentiles" };

static int begins_with(const char *path, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strncmp(path, list[i], strlen(list[i])) == 0)
			return 1;
	return 0;
}

static int is_in(const char *path, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(path, list[i]) == 0)
			return 1;
	return 0;
}

static int ends_with(const char *path, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *at = strstr(path, list[i]);

		if (at && strlen(at) == strlen(list[i]))
			return 1;
	}
	return 0;
}

#define COUNT(array)	(sizeof(array) / sizeof(*(array)))

struct walk {
	const json_t *root;
	int accepted;		/* without a required key */
	int refused;		/* without an optional one */
	int of_other_type;	/* accepted with a value of a type that is wrong */
	int wrong;		/* accepted, but not written, read and merged */
	size_t seen_required, seen_optional;
};

static void try_without(struct walk *walk, json_t *object, const char *key,
			const char *path)
{
	json_t *value = json_incref(json_object_get(object, key));
	struct tw_report_problem problem;
	int is_optional = is_in(path, optional, COUNT(optional));
	int is_required = is_in(path, required, COUNT(required));
	int accepted;

	json_object_del(object, key);
	accepted = is_accepted(walk->root, &problem, &walk->wrong);
	json_object_set_new(object, key, value);
	walk->seen_optional += (size_t)is_optional;
	walk->seen_required += (size_t)is_required;
	if (is_required && accepted) {
		tap_note("accepted without %s", path);
		walk->accepted++;
	} else if (is_optional && !accepted) {
		tap_note("refused without %s: %s", path, problem.text);
		walk->refused++;
	}
}

/* Values of each type; the first is of no key. */
static json_t *value_of_type(size_t type)
{
	switch (type) {
	case 0:
		return json_null();
	case 1:
		return json_true();
	case 2:
		return json_integer(-1);
	case 3:
		return json_real(1e300);
	case 4:
		return json_string("18446744073709551615");
	case 5:
		return json_string("a\nb");
	case 6:
		return json_integer(0);
	case 7:
		return json_pack("[{si}]", "a", 1);
	default:
		return json_pack("{s[i]}", "read", 1);
	}
}

/* True if a value of @type can't be what @was is. */
static int is_other_type(size_t type, const json_t *was)
{
	if (type == 0)
		return 1;
	if (json_is_object(was))
		return type != 8;
	if (json_is_array(was))
		return type != 7;
	return type > 6 || (json_is_boolean(was) != (type == 1));
}

static void try_types(struct walk *walk, json_t *object, const char *key, const char *path)
{
	json_t *value = json_incref(json_object_get(object, key));
	struct tw_report_problem problem;

	for (size_t type = 0; type < 9; type++) {
		json_object_set_new(object, key, value_of_type(type));
		if (!is_accepted(walk->root, &problem, &walk->wrong) ||
		    !is_other_type(type, value) || begins_with(path, unread, COUNT(unread)))
			continue;
		tap_note("accepted with another type: %s", path);
		walk->of_other_type++;
	}
	json_object_set_new(object, key, value);
}

static void walk_into(struct walk *walk, json_t *json, const char *path)
{
	json_t *keys = json_array(), *value;
	const char *key;

	if (json_is_array(json) && json_array_size(json)) {
		char below_path[256];

		snprintf(below_path, sizeof(below_path), "%s[]", path);
		walk_into(walk, json_array_get(json, 0), below_path);
	}
	/* Keys that are removed come back at the end. */
	json_object_foreach(json, key, value)
		json_array_append_new(keys, json_string(key));
	for (size_t i = 0; i < json_array_size(keys) && !ends_with(path, alike, COUNT(alike));
	     i++) {
		char below_path[256];

		key = json_string_value(json_array_get(keys, i));
		snprintf(below_path, sizeof(below_path), "%s.%s", path, key);
		try_without(walk, json, key, below_path);
		try_types(walk, json, key, below_path);
		walk_into(walk, json_object_get(json, key), below_path);
	}
	json_decref(keys);
}

static void check_keys(json_t *root)
{
	struct walk walk = { .root = root };

	walk_into(&walk, root, "");
	tap_is_u64(walk.seen_required >= COUNT(required), 1, "the report has all required keys");
	tap_is_u64(walk.seen_optional >= COUNT(optional), 1, "and all optional ones");
	tap_is_u64((uint64_t)walk.accepted, 0, "required keys that may be missing");
	tap_is_u64((uint64_t)walk.refused, 0, "optional keys that must be there");
	tap_is_u64((uint64_t)walk.of_other_type, 0, "values that may be of another type");
	tap_is_u64((uint64_t)walk.wrong, 0, "reports that are accepted, but not once more");
}

/* ---- random bytes ------------------------------------------------------- */

/* Change a number in three of four cases, else any byte. */
static void change_byte(char *text, size_t length)
{
	static const char bytes[] = "{}[],:\"\\ 0-.eE\n\x80\xff";
	size_t at = below(length);

	if (!below(4)) {
		text[at] = below(2) ? (char)below(256) : bytes[below(sizeof(bytes) - 1)];
		return;
	}
	for (size_t i = 0; i < length && (text[at] < '0' || text[at] > '9'); i++)
		at = (at + 1) % length;
	text[at] = (char)('0' + below(10));
}

/* Move, double or remove a piece. */
static size_t change_piece(char *text, size_t length)
{
	const size_t from = below(length), size = below(1 + (length - from) / 8);
	const size_t to = below(length - size);

	memmove(text + to, text + from, size);
	return below(2) ? length : length - below(1 + length / 100);
}

static json_t *changed(const char *text, size_t length)
{
	char *copy = malloc(length + 1);
	json_t *json;

	if (!copy)
		abort();
	memcpy(copy, text, length + 1);
	for (uint64_t i = below(3); i < 3; i++)
		change_byte(copy, length);
	if (!below(8))
		length = change_piece(copy, length);
	json = json_loadb(copy, length, JSON_REJECT_DUPLICATES, NULL);
	free(copy);
	return json;
}

static void check_mutations(const json_t *root, int count)
{
	char *text = json_dumps(root, 0);
	int wrong = 0, accepted = 0, read = 0;

	for (int i = 0; i < count; i++) {
		json_t *json = changed(text, strlen(text));
		struct tw_report_problem problem;

		if (!json)
			continue;
		read++;
		accepted += is_accepted(json, &problem, &wrong);
		json_decref(json);
	}
	tap_note("%d of %d reports are accepted", accepted, read);
	tap_ok(read > count / 10 && accepted > read / 100, "some reports are accepted");
	tap_is_u64((uint64_t)wrong, 0, "reports that are accepted, but not once more");
	free(text);
}

/* ---- lines -------------------------------------------------------------- */

static json_t *line_of(const struct tw_report *report)
{
	const struct tw_report_line line = {
		.number = 3, .from_ns = 100, .to_ns = 200, .realtime_ns = MADE_START_NS,
		.first_ns = 5, .run_ns = 190, .has_run = 1, .is_end = 1,
	};

	return tw_report_line_to_json(&line, &report->tally);
}

/* Read a line. Return: 1: it is accepted; -1: but it is not the same when it is written. */
static int read_line(const json_t *json)
{
	struct tw_report_problem problem = { "" };
	struct tw_tally tally = { .lacks = { { 0 } } };
	struct tw_report_line line;
	json_t *unknown = json_object(), *again;
	int accepted = !tw_report_line_from_json(&line, &tally, json, unknown, &problem) &&
		       !problem.text[0];

	if (accepted) {
		again = tw_report_line_to_json(&line, &tally);
		if (!json_object_size(unknown) && !json_equal(json_object_get(json, "stages"),
							      json_object_get(again, "stages")))
			accepted = -1;
		json_decref(again);
	}
	tw_tally_free(&tally);
	json_decref(unknown);
	return accepted;
}

static void check_lines(void)
{
	static const char *const needed[] = {
		"interval", "from_ns", "to_ns", "realtime_ns", "run_ns", "ios", "stages",
	};
	json_t *line = line_of(&other);
	char *text = json_dumps(line, 0);
	int accepted = 0;

	tap_ok(read_line(line) == 1, "a line is read");
	for (size_t i = 0; i < COUNT(needed); i++) {
		json_t *without = json_copy(line);

		json_object_del(without, needed[i]);
		tap_ok(!read_line(without), "a line without %s is refused", needed[i]);
		json_decref(without);
	}
	json_object_set_new(line, "to_ns", json_integer(99));
	tap_ok(!read_line(line), "a line that ends before it begins is refused");
	json_decref(line);
	for (int i = 0; i < LINES; i++) {
		line = changed(text, strlen(text));
		accepted += line && read_line(line) == 1;
		json_decref(line);
	}
	tap_ok(accepted > 0, "random lines: %d are accepted", accepted);
	free(text);
}

/* ---- the header of intervals -------------------------------------------- */

static void check_header(const json_t *root)
{
	static const char *const needed[] = {
		"schema", "version", "interval_ns", "digits", "clock", "jobs",
	};
	json_t *header = json_pack("{ss, si, ss, si, si, s{ss, ss, sf}, sO, sO}",
		"schema", TW_REPORT_SCHEMA, "version", TW_REPORT_VERSION, "kind", "intervals",
		"interval_ns", 1000000, "digits", 2, "clock", "ticks", "5", "monotonic_ns", "7",
		"hz", 1e9, "jobs", json_object_get(root, "jobs"),
		"options", json_object_get(root, "options"));
	struct tw_report_problem problem;
	struct tw_report report;
	json_t *again;
	int wrong = 0;

	problem.text[0] = '\0';
	tap_ok(!tw_report_from_json(&report, header, "", &problem) && !problem.text[0] &&
	       report.interval_ns == 1000000 && report.digits == 2, "a header is read");
	again = tw_report_header_to_json(&report);
	tap_ok(report.verdict == TW_REPORT_UNCHECKED, "it has no verdict");
	tw_report_free(&report);
	tap_ok(is_accepted(again, &problem, &wrong), "and is written");
	json_decref(again);
	for (size_t i = 0; i < COUNT(needed); i++) {
		json_t *without = json_copy(header);

		json_object_del(without, needed[i]);
		tap_ok(!is_accepted(without, &problem, &wrong), "a header without %s is refused",
		       needed[i]);
		json_decref(without);
	}
	json_object_set_new(header, "kind", json_string("interval"));
	tap_ok(!is_accepted(header, &problem, &wrong), "and one of another kind");
	json_decref(header);
}

/* ---- what does not fit -------------------------------------------------- */

/* Return the value at a path of keys and indices: "jobs/0/start". */
static json_t *value_at(json_t *json, const char *path)
{
	char key[64];
	int length;

	while (json && sscanf(path, "%63[^/]%n", key, &length) == 1) {
		json = json_is_array(json) ? json_array_get(json, strtoul(key, NULL, 10)) :
					     json_object_get(json, key);
		path += length + (path[length] == '/');
	}
	return json;
}

static void refuses(const json_t *root, const char *in, const char *key, json_t *value,
		    const char *text)
{
	json_t *copy = json_deep_copy(root);
	struct tw_report_problem problem;
	int wrong = 0;

	json_object_set_new(value_at(copy, in), key, value);
	if (!tap_ok(!is_accepted(copy, &problem, &wrong) && strstr(problem.text, text),
		    "refused: %s", text))
		tap_note("%s", problem.text);
	json_decref(copy);
}

static json_t *twice(json_t *root, const char *key)
{
	json_t *first = json_array_get(json_object_get(root, key), 0);

	return json_pack("[OO]", first, first);
}

static void check_fit(json_t *root)
{
	refuses(root, "", "jobs", json_array(), "jobs is empty");
	refuses(root, "", "jobs", twice(root, "jobs"), "jobs is not in the order of start");
	refuses(root, "jobs/0", "start", json_string("18446744073709551615"), "after all time");
	refuses(root, "", "devices", twice(root, "devices"), "a device is twice in devices");
	refuses(root, "devices/0", "jobs", json_integer(2), "1 to the number of jobs");
	refuses(root, "devices/0", "jobs", json_integer(0), "1 to the number of jobs");
	refuses(root, "devices/0/ios", "read", json_integer(1000), "devices[] counts more of read");
	refuses(root, "devices/0/ios", "read", json_integer(0), "counts more than devices[].ios");
	refuses(root, "counter", "verdict", json_string("good"), "counter.verdict is none of");
	refuses(root, "slowest/0", "job", json_integer(1), "slowest[].job is not the index");
	refuses(root, "slowest/0/stages", "lat", json_integer(0), "add up to more than lat");
	refuses(root, "slowest/0/causes", "ran_ns", json_integer(1 << 30), "than their stage");
	refuses(root, "slowest/0/causes/stall", "from_ns", json_string("18446744073709551615"),
		"stall has no end");
	refuses(root, "triggers/0", "slower", json_integer(1000), "slower counts more than ios");
	refuses(root, "triggers/0", "state", json_string("of"), "neither on nor off");
	refuses(root, "triggers/0/io", "lat_ns", json_string("18446744073709551615"),
		"io ends after all time");
	refuses(root, "", "triggers", twice(root, "triggers"), "job is not ascending");
	refuses(root, "", "lacks", json_pack("[s]", "ios"), "lacks names ios");
	refuses(root, "clocks/fio", "uncertainty_ppb", json_real(-1), "is negative");
	refuses(root, "attached/others", "recv", json_real(1), "attached.others.recv is not");
}

int main(void)
{
	struct tw_report_problem problem = { "" };
	json_t *root, *one;

	alarm(600);
	state = tap_seed();
	root = complete_report();
	one = made_report(&state, 1, 7);
	tap_ok(!tw_report_from_json(&other, one, "", &problem) && !problem.text[0],
	       "a random report is read");
	json_decref(one);
	check_keys(root);
	check_fit(root);
	check_header(root);
	check_mutations(root, MUTATIONS / 10);
	/* Without it the report can be merged. */
	json_object_del(root, "attached");
	check_mutations(root, MUTATIONS);
	check_lines();
	json_decref(root);
	tw_report_free(&other);
	return tap_done();
}
