/* SPDX-License-Identifier: MIT */
/*
 * Behaviour: the reports that hosts send in what fio prints become files of this machine, with
 * the host that was typed; the rest is printed byte for byte. The token alone tells the host.
 * Fails if a report is lost, changed, or taken for another host's; if damage of one host's
 * report harms those of the others or the text; if a name leads out of the folder or over a file
 * that is there; or if a host may send without end, or numbers that leave none to the others.
 */
#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "command/run/run_parts.h"
#include "report_made.h"
#include "text_file.h"

#define DAMAGED		1000
#define SHORT_BYTES	10000

static char scratch[] = "/tmp/tw_run_hosts.XXXXXX";
static uint64_t state;

static uint64_t below(uint64_t limit)
{
	return tap_random(&state) % limit;
}

/* ---- what hosts send ---- */

/* Return the report of a job as text. */
static char *make_report(const char *job, uint64_t number)
{
	json_t *json = made_report(&state, 1, number), *of;
	char *text;

	of = json_array_get(json_object_get(json, "jobs"), 0);
	json_object_set_new(of, "name", json_string(job));
	json_object_set_new(of, "thread_number", json_integer((json_int_t)number + 1));
	text = json_dumps(json, JSON_REAL_PRECISION(17));
	json_decref(json);
	return text;
}

static char *line_of(const char *token, const char *report)
{
	char *line;

	if (tw_sent_encode(token, report, strlen(report), &line))
		abort();
	return line;
}

/* Set the host in a report, as the files should have it. The report has one host. */
static json_t *with_host(const char *report, const char *host)
{
	static const char *const lists[] = { "jobs", "machines", "files", "devices" };
	json_t *json = json_loads(report, 0, NULL), *one;
	size_t j;

	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		json_array_foreach(json_object_get(json, lists[i]), j, one)
			json_object_set_new(one, "host", json_string(host));
	return json;
}

/* Of the hosts that begin() made last. */
static const char *run;

static int has_report(const struct tw_run_report *is, const char *report, const char *host)
{
	char *text = tw_text_file("%s", is->path);
	json_t *json = text ? json_loads(text, 0, NULL) : NULL, *should = with_host(report, host);
	int same;

	/* All hosts share a run. */
	json_object_set_new(json_array_get(json_object_get(should, "jobs"), 0), "run",
			    json_string(run));
	same = json_equal(json, should);

	json_decref(json);
	json_decref(should);
	free(text);
	return same;
}

/* ---- a run ---- */

static struct tw_run_arguments *begin(const char *const *names, size_t count)
{
	static struct tw_run_arguments arguments;

	arguments = (struct tw_run_arguments) { .output = "out" };
	for (size_t i = 0; i < count; i++)
		if (!tw_run_add_hosts(&arguments.hosts, names[i]))
			abort();
	run = arguments.hosts.run;
	if (tw_run_begin_to_receive(&arguments) != 0)
		abort();
	return &arguments;
}

/* Let the hosts send @stream. Return what was printed. */
static char *receive(struct tw_run_arguments *arguments, const char *stream, size_t length)
{
	int fd = open("in", O_RDWR | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || write(fd, stream, length) != (ssize_t)length || lseek(fd, 0, SEEK_SET))
		abort();
	while (tw_run_receive(arguments, fd))
		;
	close(fd);
	if (tw_run_end_receiving(arguments))
		abort();
	return tw_text_file("out");
}

static void remove_files(void)
{
	DIR *folder = opendir(".");
	const struct dirent *entry;

	while ((entry = readdir(folder)))
		unlink(entry->d_name);
	closedir(folder);
}

static const char *const hosts[] = { "10.0.0.1", "box,8765", "box,8766" };
#define TOKEN(i)	(arguments->hosts.list[i].token)

/* ---- tests ---- */

static void test_formats(void)
{
	/* What fio prints around reports, in its formats. %s are the reports. */
	static const char *const streams[][2] = {
		{ "hostname=box, be=0, 64-bit\n<box> a: (g=0)\n<box> %s<box> %s<box> Starting\n%sx\n",
		  "hostname=box, be=0, 64-bit\n<box> a: (g=0)\n<box> Starting\nx\n" },
		{ "<box> %s<box> %s<box> %s{\n  \"fio version\" : \"fio-3.33\"\n}\n",
		  "{\n  \"fio version\" : \"fio-3.33\"\n}\n" },
		{ "%s%s3;fio-3.33;a;0;0\n%s", "3;fio-3.33;a;0;0\n" },
		{ "Jobs: 1 (f=1)\r<box> %stext without a newline%s%s",
		  "Jobs: 1 (f=1)\rtext without a newline" },
	};
	char *reports[] = { make_report("a", 0), make_report("a", 1), make_report("b", 2) };

	for (size_t i = 0; i < sizeof(streams) / sizeof(*streams); i++) {
		struct tw_run_arguments *arguments = begin(hosts, 3);
		const struct tw_run_reports *got = &arguments->hosts.reports;
		char *lines[3], *stream, *printed;
		int are_whole = 1;

		for (size_t j = 0; j < 3; j++)
			lines[j] = line_of(TOKEN(2 - j), reports[j]);
		if (asprintf(&stream, streams[i][0], lines[0], lines[1], lines[2]) < 0)
			abort();
		printed = receive(arguments, stream, strlen(stream));
		tap_ok(!strcmp(printed, streams[i][1]), "stream %zu: the rest is printed", i);
		for (size_t j = 0; j < 3; j++) {
			are_whole &= got->count == 3 && got->list[j].host == 2 - j &&
				     has_report(&got->list[j], reports[j], hosts[2 - j]);
			free(lines[j]);
		}
		tap_ok(are_whole, "all reports are files, with the hosts as typed");
		free(stream);
		free(printed);
		remove_files();
	}
	for (size_t i = 0; i < 3; i++)
		free(reports[i]);
}

static void test_damage(void)
{
	static const char before[] = "<box> one\n", between[] = "<box> two\n", after[] = "three\n";
	char *reports[3];
	unsigned lost = 0, wrong = 0, broken = 0;

	/* Short ones, as all are read a thousand times. */
	for (size_t j = 0; j < 3; j++)
		while (strlen(reports[j] = make_report("a", j)) > SHORT_BYTES)
			free(reports[j]);
	for (int i = 0; i < DAMAGED; i++) {
		struct tw_run_arguments *arguments = begin(hosts, 3);
		const struct tw_run_host *host = &arguments->hosts.list[1];
		const struct tw_run_reports *got = &arguments->hosts.reports;
		char *lines[3], *stream, *printed, *at;
		size_t length, others = 0;

		for (size_t j = 0; j < 3; j++)
			lines[j] = line_of(TOKEN(j), reports[j]);
		/* Change bytes, drop some, cut the end off, double some, or put another line in. */
		length = strlen(lines[1]);
		at = &lines[1][below(length - 1)];
		if (i % 5 > 2) {
			char *made;

			if (asprintf(&made, "%.*s%s%s", (int)(at - lines[1]), lines[1],
				     i % 5 == 3 ? at : lines[2], at) < 0)
				abort();
			free(lines[1]);
			lines[1] = made;
			if (i % 5 == 4)
				*lines[2] = '\0';
		} else if (i % 5 == 0) {
			for (uint64_t n = 1 + below(4); n; n--)
				lines[1][below(length - 1)] = (char)(1 + below(255));
		} else if (i % 5 == 1) {
			const char *from = at + 1 + below(strlen(at) - 1);

			memmove(at, from, strlen(from) + 1);
		} else {
			*at = '\0';
		}
		if (asprintf(&stream, "%s%s%s%s%s%s", before, lines[0], between, lines[1], lines[2],
			     after) < 0)
			abort();
		printed = receive(arguments, stream, strlen(stream));
		length = strlen(printed);
		for (size_t j = 0; j < got->count; j++) {
			const size_t of = got->list[j].host;

			others += of != 1;
			wrong += !has_report(&got->list[j], reports[of], hosts[of]);
		}
		lost += others != 2 || host->sent > 1U + (i % 5 == 3) ||
			memcmp(printed, "<box> one\n<box> two\n", 20) != 0 ||
			strcmp(printed + length - 6, after) != 0;
		broken += host->sent > host->received;
		for (size_t j = 0; j < 3; j++)
			free(lines[j]);
		free(stream);
		free(printed);
		remove_files();
		tw_release_texts();
	}
	for (size_t j = 0; j < 3; j++)
		free(reports[j]);
	tap_is_u64(lost, 0, "a damaged report harms no other one, and no text");
	tap_is_u64(wrong, 0, "none is taken that differs from what was sent");
	tap_ok(broken > DAMAGED / 2, "%u of %d are counted as broken", broken, DAMAGED);
}

/* Let a host send what is no good report, after @sent others that took @bytes. */
static void is_broken_after(size_t sent, size_t bytes, const char *text, const char *problem)
{
	struct tw_run_arguments *arguments = begin(hosts, 1);
	struct tw_run_host *host = arguments->hosts.list;
	char *line = line_of(TOKEN(0), text), *printed;

	host->sent = sent;
	host->bytes = bytes;
	printed = receive(arguments, line, strlen(line));
	tap_ok(!*printed && host->sent == sent + 1 && !host->received && host->problem &&
	       strstr(host->problem, problem), "broken: %s", host->problem ? host->problem : "-");
	free(line);
	free(printed);
	remove_files();
}

static void is_broken(const char *text, const char *problem)
{
	is_broken_after(0, 0, text, problem);
}

/* Let a host send a report that is right but begins with another key: a file with it would be read
 * as one with sent reports, or with intervals. */
static void is_broken_if(const json_t *report, const char *key, json_t *value)
{
	json_t *json = json_pack("{s:o}", key, value);
	char *text;

	json_object_update(json, (json_t *)report);
	text = json_dumps(json, JSON_REAL_PRECISION(17));
	is_broken(text, "no report as an engine writes it");
	free(text);
	json_decref(json);
}

static void test_names(void)
{
	static const char *const names[] = { "../../\033[31m", "..,......", "-host" };
	char *reports[2], *first_path = NULL, *first_text = NULL, *text;

	/* The second run has the names of the first, as it has the same process. */
	for (int i = 0; i < 2; i++) {
		struct tw_run_arguments *arguments = begin(names, 3);
		const struct tw_run_reports *got = &arguments->hosts.reports;
		struct tw_growing_text stream = { NULL, 0 };
		char *line, *printed;
		int is_plain = 1;

		reports[i] = make_report("../../../tmp/a\n\033[2J", 0);
		for (size_t j = 0; j < 3; j++) {
			line = line_of(TOKEN(j), reports[i]);
			tw_append(&stream, line, strlen(line));
			free(line);
		}
		printed = receive(arguments, stream.bytes, stream.length);
		for (size_t j = 0; j < got->count; j++)
			is_plain &= !strpbrk(got->list[j].path, "/\033\n") &&
				    !strchr(".-", *got->list[j].path);
		tap_ok(is_plain && got->count == 3 &&
		       has_report(got->list, reports[i], names[0]),
		       "no name leads out of the folder: %s", got->list->path);
		if (!i)
			first_text = tw_text_file("%s", first_path = got->list->path);
		free(printed);
	}
	text = tw_text_file("%s", first_path);
	tap_ok(!strcmp(text, first_text), "a file that is there stays as it is");
	free(text);
	free(first_text);
	free(reports[0]);
	free(reports[1]);
	remove_files();
}

static void test_broken(void)
{
	char *report = make_report("a", 0), *twice, *line;
	json_t *json = json_loads(report, 0, NULL);
	struct tw_run_arguments *arguments = begin(hosts, 2);
	struct tw_run_host *host = arguments->hosts.list;
	char *printed;

	line = line_of(TOKEN(0), report);
	if (asprintf(&twice, "%s%s%s", line, line, "tickwise-report:another:1:2:3\n") < 0)
		abort();
	printed = receive(arguments, twice, strlen(twice));
	tap_ok(host->sent == 2 && host->received == 1 &&
	       !strcmp(host->problem, "it was sent twice"), "broken: %s", host->problem);
	tap_ok(!strcmp(printed, "tickwise-report:another:1:2:3\n"),
	       "a report with a token of nobody is text");
	remove_files();
	free(line);
	free(printed);

	is_broken("no JSON", "schema");
	is_broken("{\"schema\": 1}", "schema");
	is_broken_after(4096, 0, report, "more than one host may send");
	is_broken_if(json, "a", json_string("tickwise-report:another:1:2:3"));
	is_broken_if(json, "schemes", json_pack("{s:s}", "kind", "intervals"));
	json_object_set_new(json, "jobs", json_array());
	free(report);
	report = json_dumps(json, 0);
	is_broken(report, "jobs is empty");
	json_decref(json);
	free(report);
	free(twice);
}

/* What comes as 1e9 takes twelve bytes in the file. */
static void test_bound(void)
{
	char *report = make_report("a", 0), *text = malloc(strlen(report) + 5000), *at;

	at = stpcpy(stpcpy(text, report) - 1, ", \"x\": [1e9");
	for (int i = 0; i < 1000; i++)
		at = stpcpy(at, ",1e9");
	strcpy(at, "]}");
	is_broken_after(0, (1UL << 30) - strlen(text), text, "more than one host may send");
	free(report);
	free(text);
}

/* Set a number that is there in an object. Return 0: the report lacks it. */
static int set_number(json_t *object, const char *key, uint64_t number)
{
	return json_object_get(object, key) &&
	       !json_object_set_new(object, key, tw_json_of_u64(number));
}

/* Numbers near 2^64: those of all hosts together must fit, or none would be shown. */
static int set_bytes(json_t *json, uint64_t bytes)
{
	return set_number(json_object_get(json, "bytes"), "read", bytes);
}

/* What others had in flight is added; of each job alone it is a list. */
static int set_others(json_t *json, uint64_t ns)
{
	return set_number(json_object_get(json_object_get(json, "kernel_stages"),
					  "in_flight_of_others"), "counting_ns", ns);
}

static void test_large(int (*set)(json_t *json, uint64_t number))
{
	struct tw_run_arguments *arguments = begin(hosts, 2);
	const struct tw_run_host *list = arguments->hosts.list;
	const uint64_t numbers[] = { UINT64_MAX / 2 + 1, UINT64_MAX / 2, 1 };
	struct tw_growing_text stream = { NULL, 0 };
	char *text, *line;

	for (size_t i = 0; i < 3; i++) {
		json_t *json = NULL;

		do {
			json_decref(json);
			json = json_loads(text = make_report("a", i), 0, NULL);
			free(text);
		} while (!set(json, numbers[i]));
		text = json_dumps(json, JSON_REAL_PRECISION(17));
		line = line_of(TOKEN(i ? 1 : 0), text);
		tw_append(&stream, line, strlen(line));
		json_decref(json);
		free(text);
		free(line);
	}
	free(receive(arguments, stream.bytes, stream.length));
	tap_ok(list[0].sent == 1 && !list[0].received && list[0].problem &&
	       strstr(list[0].problem, "too large"), "a host may have its part, not more: %s",
	       list[0].problem ? list[0].problem : "-");
	tap_ok(list[1].sent == 2 && list[1].received == 1, "with all of its reports");
	remove_files();
}

int main(void)
{
	state = tap_seed();
	if (!mkdtemp(scratch) || chdir(scratch))
		return 1;
	test_formats();
	test_damage();
	test_names();
	test_broken();
	test_large(set_bytes);
	test_large(set_others);
	test_bound();
	return rmdir(scratch) + tap_done();
}
