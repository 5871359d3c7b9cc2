/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: a wait counts in the row of its call, file and reason. The reason comes from the
 * stack, and from the bios of the thread that ended in the wait. Parts are those of these bios,
 * within the wait, and add up to it. Waits of a full table have a row of their own. The slowest
 * are kept. Defect: a wait for the page
 * of another as one's own, a file system without a device as one, parts beyond the wait, rows
 * without end.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attach/attach_waits.h"
#include "latency/histogram.h"
#include "tap.h"

#define READ	TW_ATTACH_HAS_READ
#define ENDED	TW_ATTACH_HAS_ENDED

static void test_reasons(void)
{
	static const struct {
		enum tw_sleep_word stack;
		unsigned call, flags;
		const char *no_device;
		enum tw_sleep_word is;
	} cases[] = {
		{ TW_SLEEP_PAGE_LOCK, SYS_pread64, ENDED | READ, "", TW_SLEEP_CACHE_MISS },
		{ TW_SLEEP_PAGE_LOCK, SYS_pread64, 0, "", TW_SLEEP_OTHERS_PAGE },
		{ TW_SLEEP_PAGE_LOCK, SYS_pread64, ENDED, "", TW_SLEEP_OTHERS_PAGE },
		{ TW_SLEEP_PAGE_LOCK, TW_CALL_FAULT, ENDED | READ, "", TW_SLEEP_CACHE_MISS },
		{ TW_SLEEP_PAGE_LOCK, SYS_pwrite64, 0, "", TW_SLEEP_PAGE_LOCK },
		{ TW_SLEEP_PAGE_LOCK, SYS_read, 0, "fuse", TW_SLEEP_FILE_SYSTEM },
		{ TW_SLEEP_FILE_SYSTEM, SYS_read, 0, "fuse", TW_SLEEP_FILE_SYSTEM },
		{ TW_SLEEP_WRITEBACK, SYS_fsync, 0, "nfs4", TW_SLEEP_FILE_SYSTEM },
		{ TW_SLEEP_FILE_SYSTEM, SYS_openat, 0, "", TW_SLEEP_FILE_SYSTEM },
		{ TW_SLEEP_INODE_LOCK, SYS_read, 0, "fuse", TW_SLEEP_INODE_LOCK },
		{ TW_SLEEP_NOTHING, SYS_pread64, ENDED | READ, "", TW_SLEEP_DIRECT },
		{ TW_SLEEP_NOTHING, SYS_openat, ENDED | READ, "", TW_SLEEP_METADATA },
		{ TW_SLEEP_OTHER, SYS_io_getevents, 0, "", TW_SLEEP_COMPLETIONS },
		{ TW_SLEEP_NOTHING, SYS_io_getevents, 0, "", TW_SLEEP_COMPLETIONS },
		{ TW_SLEEP_FLUSH, SYS_pwrite64, ENDED, "", TW_SLEEP_FLUSH },
		{ TW_SLEEP_PAGE_LOCK, SYS_read, ENDED | READ | TW_ATTACH_LIMITED, "",
		  TW_SLEEP_IO_MAX },
		{ TW_SLEEP_PAGE_LOCK, SYS_read, TW_ATTACH_LIMITED, "", TW_SLEEP_IO_MAX },
		{ TW_SLEEP_WRITEBACK, SYS_fsync, TW_ATTACH_LIMITED, "", TW_SLEEP_IO_MAX },
		{ TW_SLEEP_INODE_LOCK, SYS_read, TW_ATTACH_LIMITED, "", TW_SLEEP_INODE_LOCK },
		{ TW_SLEEP_NOTHING, SYS_read, ENDED | READ | TW_ATTACH_SUSPENDED, "",
		  TW_SLEEP_SUSPENDED },
		{ TW_SLEEP_JOURNAL, SYS_fsync, ENDED, "", TW_SLEEP_JOURNAL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct tw_attach_wait wait = {
			.call = (__u16)cases[i].call, .flags = (__u16)cases[i].flags,
		};
		const struct tw_sleep_cause cause = { cases[i].stack, "stack" };
		const struct tw_sleep_cause is = tw_attach_reason(&wait, &cause,
								  cases[i].no_device);
		const char *type = is.word == TW_SLEEP_FILE_SYSTEM ? cases[i].no_device : "";

		tap_ok(is.word == cases[i].is &&
		       strcmp(is.function, *type ? type : "stack") == 0,
		       "%s, %s: %s", tw_call_name(cases[i].call),
		       tw_sleep_texts[cases[i].stack].word, tw_sleep_texts[cases[i].is].word);
	}
}

static void test_parts(void)
{
	static const struct {
		const char *what;
		uint64_t dispatched_ns, finished_ns;
		enum tw_sleep_word word;
		uint64_t ns[TW_WAIT_PARTS];
	} cases[] = {
		{ "dispatched before the sleep", 50, 180, TW_SLEEP_DIRECT, { 0, 80, 20 } },
		{ "dispatched in it", 130, 180, TW_SLEEP_CACHE_MISS, { 30, 50, 20 } },
		{ "over before the switch", 50, 95, TW_SLEEP_CACHE_MISS, { 0, 0, 100 } },
		{ "none", 0, 0, TW_SLEEP_DIRECT, { 0, 0, 0 } },
		{ "for something else", 130, 180, TW_SLEEP_JOURNAL, { 0, 0, 0 } },
		{ "without an order", 190, 180, TW_SLEEP_DIRECT, { 0, 0, 0 } },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct tw_attach_wait wait = {
			.slept_ns = 100, .on_ns = 200,
			.dispatched_ns = cases[i].dispatched_ns,
			.finished_ns = cases[i].finished_ns,
		};
		uint64_t ns[TW_WAIT_PARTS];

		tw_attach_parts(&wait, cases[i].word, ns);
		tap_ok(memcmp(ns, cases[i].ns, sizeof(ns)) == 0, "parts: %s", cases[i].what);
	}
}

/* The JSON of a slow wait without what a line has at any rate. */
static void test_slow(void)
{
	static const struct {
		const char *what;
		unsigned call;
		uint64_t position;
		const char *is;
	} cases[] = {
		{ "a place of its own", SYS_pwrite64, 5,
		  "{\"bytes\": 3, \"offset\": 4, \"tid\": 6}" },
		{ "the position", SYS_read, 5, "{\"bytes\": 3, \"offset\": 5, \"tid\": 6}" },
		{ "neither", SYS_preadv, 5, "{\"tid\": 6}" },
		{ "O_APPEND", SYS_write, TW_ATTACH_NOT_KNOWN, "{\"bytes\": 3, \"tid\": 6}" },
		{ "O_APPEND and a place", SYS_pwrite64, TW_ATTACH_NOT_KNOWN,
		  "{\"bytes\": 3, \"tid\": 6}" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct tw_attach_wait wait = {
			.call = (__u16)cases[i].call, .slept_ns = 100, .on_ns = 200, .process = 1,
			.thread = 6, .third = 3, .fourth = 4,
			.position = cases[i].position,
			.who = { .kind = TW_WHO_PROCESS, .id = 9 },
		};
		struct tw_attach_waits waits = { .ns = 0 };
		json_t *slowest, *slow;
		char *text;

		if (tw_attach_waits_init(&waits, 1) || tw_attach_waits_add(&waits, &wait, "/x", ""))
			abort();
		slowest = tw_attach_slowest_waits(&waits);
		slow = json_array_get(slowest, 0);
		for (size_t j = 0; j < 8; j++)
			json_object_del(slow, ((const char *[]) { "monotonic_ns", "ns", "call",
				"file", "reason", "function", "pid", "program" })[j]);
		text = json_dumps(slow, JSON_SORT_KEYS);
		tap_ok(strcmp(text, cases[i].is) == 0, "%s: %s", cases[i].what, text);
		free(text);
		json_decref(slowest);
		tw_attach_waits_free(&waits);
	}
}

static struct tw_attach_wait wait_of(uint64_t inode, uint64_t ns)
{
	return (struct tw_attach_wait) {
		.call = SYS_pread64, .flags = ENDED | READ | TW_ATTACH_FIRST,
		.inode = { .number = inode, .device = 8, .mode = S_IFREG },
		.slept_ns = 1000, .dispatched_ns = 1000, .finished_ns = 1000 + ns / 2,
		.on_ns = 1000 + ns,
	};
}

static void add(struct tw_attach_waits *waits, const struct tw_attach_wait *wait,
		const char *name)
{
	if (tw_attach_waits_add(waits, wait, name, ""))
		abort();
}

static void test_rows(void)
{
	struct tw_attach_waits waits = { .ns = 0 };
	struct tw_attach_wait wait;
	const struct tw_wait_row *row;
	char name[32];
	json_t *slowest;

	if (tw_attach_waits_init(&waits, 2))
		abort();
	for (uint64_t i = 1; i <= 4; i++) {
		wait = wait_of(i % 2, 100 * i);
		wait.process = wait.thread = (uint32_t)i;
		if (i == 4)
			wait.flags &= (__u16)~TW_ATTACH_FIRST;
		add(&waits, &wait, "/one");
	}
	tap_ok(strcmp(tw_call_name(SYS_fremovexattr), "fremovexattr") == 0 &&
	       strcmp(tw_call_name(SYS_flistxattr), "flistxattr") == 0,
	       "calls of extended attributes are followed");
	row = waits.all.rows[0];
	tap_ok(waits.all.count == 1 && row->time.count == 4 && row->time.sum_ns == 1000 &&
	       row->part_ns[TW_WAIT_DEVICE] == 500 && row->part_ns[TW_WAIT_COMPLETE] == 500,
	       "two files of one name have one row");
	tap_ok(strcmp(row->text[TW_WAIT_CALL], "pread64") == 0 &&
	       strcmp(row->text[TW_WAIT_FILE], "/one") == 0, "it has call and file");
	tap_ok(waits.calls == 3 && waits.waits == 4 && waits.ns == 1000,
	       "a call that sleeps twice counts once");
	slowest = tw_attach_slowest_waits(&waits);
	tap_ok(json_array_size(slowest) == 2 &&
	       json_integer_value(json_object_get(json_array_get(slowest, 0), "pid")) == 4,
	       "the slowest waits are kept");
	json_decref(slowest);
	wait = wait_of(5, 1);
	add(&waits, &wait, "-");
	add(&waits, &wait, "/one");
	tap_ok(waits.all.count == 2 && row->time.count == 5, "a name that comes later is taken");
	for (uint64_t i = 10; i < 10010; i++) {
		wait = wait_of(i, 1);
		snprintf(name, sizeof(name), "/file-%d", (int)i);
		add(&waits, &wait, name);
	}
	row = waits.all.rows[1000];
	tap_ok(waits.all.count == 1001 && waits.waits == 10006 &&
	       strcmp(row->text[TW_WAIT_CALL], "pread64") == 0 &&
	       strcmp(row->text[TW_WAIT_FILE], TW_WAIT_OTHER_FILES) == 0,
	       "a full table has a row for the other files of a call and reason");
	wait = wait_of(10010, 1);
	add(&waits, &wait, "/one");
	tap_ok(waits.all.count == 1001 && waits.all.rows[0]->time.count == 6,
	       "but not for a file that has a row");
	wait = wait_of(1, 1);
	wait.call = SYS_openat;
	snprintf(wait.path, sizeof(wait.path), "/asked/for");
	add(&waits, &wait, "-");
	tap_ok(waits.all.count == 1002 &&
	       strcmp(waits.all.rows[1001]->text[TW_WAIT_FILE], "many files below /asked/") == 0,
	       "and one for another call");
	for (int i = 0; i < 1000; i++) {
		wait = wait_of(20000 + (uint64_t)i, 1);
		snprintf(name, sizeof(name), "/folder/%d/a/b", i / 4);
		add(&waits, &wait, name);
	}
	tap_ok(waits.all.count == 1200 &&
	       strcmp(waits.all.rows[1002]->text[TW_WAIT_FILE], "many files below /folder/0/") == 0 &&
	       waits.all.rows[1002]->time.count == 4 && waits.all.rows[1199]->time.count == 4,
	       "a folder has a row for the files below it, if there are not too many folders");
	tw_attach_waits_free(&waits);
}

/* Waits that different limits held have rows of their own, as long as there is room. */
static void test_limits(void)
{
	struct tw_attach_waits waits = { .ns = 0 };
	struct tw_attach_wait wait = wait_of(1, 100);
	char *const *text;
	json_t *slowest;

	if (tw_attach_waits_init(&waits, 1))
		abort();
	wait.limit = (struct tw_io_limit) { ~0ULL, 0, TW_LIMIT_RIOPS, 0 };
	add(&waits, &wait, "/one");
	wait.limit.which = TW_LIMIT_UNKNOWN;
	add(&waits, &wait, "/one");
	tap_ok(waits.all.count == 1 && !*waits.all.rows[0]->text[TW_WAIT_LIMIT],
	       "a limit that held nothing makes no row");
	wait.flags |= TW_ATTACH_LIMITED;
	add(&waits, &wait, "/one");
	for (__u64 i = 0; i < 2000; i++) {
		wait.limit = (struct tw_io_limit) { ~0ULL, 500 + i / 2, TW_LIMIT_RIOPS, 0 };
		add(&waits, &wait, "/one");
	}
	text = waits.all.rows[2]->text;
	tap_ok(!strcmp(text[TW_WAIT_REASON], "io.max") && !strcmp(text[TW_WAIT_LIMIT], "riops=500") &&
	       !*text[TW_WAIT_CGROUP] && waits.all.rows[2]->time.count == 2,
	       "a limit of a cgroup that is gone");
	text = waits.all.rows[1000]->text;
	tap_ok(waits.all.count == 1001 && !*text[TW_WAIT_LIMIT] &&
	       waits.all.rows[1000]->time.count == 4, "too many limits share a row");
	wait.limit = (struct tw_io_limit) { ~0ULL, 500, TW_LIMIT_RIOPS, 0 };
	wait.on_ns += 1;
	add(&waits, &wait, "/one");
	slowest = tw_attach_slowest_waits(&waits);
	tap_ok(!strcmp(tw_report_string(json_array_get(slowest, 0), "limit"), "riops=500"),
	       "a slow wait has its limit");
	json_decref(slowest);
	tw_attach_waits_free(&waits);
}

/* Return what a device had in flight: @writes writes of a process and as many others. */
static struct tw_others others_of(const char *name, unsigned writes, unsigned rest)
{
	struct tw_others others = {
		.key = 1, .requests = { [TW_OTHERS_WRITES] = writes + rest },
		.bytes = { [TW_OTHERS_WRITES] = 4096 * (writes + rest) },
		.who = { .kind = TW_WHO_PROCESS, .id = 7, .requests = writes,
			 .bytes = 4096 * writes },
	};

	memcpy(others.who.name, name, strlen(name));
	return others;
}

static void test_others(void)
{
	struct tw_attach_waits waits = { .ns = 0 };
	struct tw_attach_wait wait = wait_of(1, 100);
	char name[TW_WHO_NAME];
	json_t *is, *rows, *slowest;

	if (tw_attach_waits_init(&waits, 1))
		abort();
	add(&waits, &wait, "/one");
	tap_ok(!waits.all.rows[0]->others, "what a device had in flight is not counted for each wait");
	wait.others.key = 1;
	wait.others.is_cut = 1;
	add(&waits, &wait, "/one");
	tap_ok(!waits.all.rows[0]->others, "of one it is not known");
	wait.others.is_cut = 0;
	add(&waits, &wait, "/one");
	wait.others = others_of("dd", 2, 1);
	add(&waits, &wait, "/one");
	wait.others.who.id = 8;
	add(&waits, &wait, "/one");
	wait.others = others_of("cp", 1, 2);
	add(&waits, &wait, "/one");
	is = json_pack("[{ss, si, si}, {ss, s{ss, ss}, si, si}, {si, si}]",
		"kind", "writes", "waits", 1, "device_ns", 50,
		"kind", "writes", "who", "kind", "process", "name", "dd", "waits", 2, "device_ns", 100,
		"waits", 1, "device_ns", 150);	/* with those before it */
	rows = tw_waits_to_json(&waits.all);
	tap_ok(json_equal(json_object_get(json_array_get(rows, 0), "in_flight_of_others"), is),
	       "processes of one name are one, and none is named that has less than half");
	json_decref(is);
	json_decref(rows);
	wait.flags = TW_ATTACH_FIRST;
	wait.dispatched_ns = wait.finished_ns = 0;
	wait.call = SYS_openat;
	add(&waits, &wait, "/one");
	tap_ok(!waits.all.rows[1]->others, "no wait without a time in the device");
	wait = wait_of(1, 200);
	for (int i = 0; i <= 1000; i++) {
		snprintf(name, sizeof(name), i < 1000 ? "p%d" : "dd", i);
		wait.others = others_of(name, 2, 0);
		wait.on_ns++;
		add(&waits, &wait, "/one");
	}
	rows = tw_waits_to_json(&waits.all);
	is = json_object_get(json_array_get(rows, 0), "in_flight_of_others");
	tap_ok(json_array_size(is) == TW_ATTACH_MAX_OTHERS &&
	       json_integer_value(json_object_get(json_array_get(is, 0), "waits")) ==
	       1001 - (TW_ATTACH_MAX_OTHERS - 3) &&
	       json_integer_value(json_object_get(json_array_get(is, 1), "waits")) == 3,
	       "a row has a limit of names; those that it has go on");
	json_decref(rows);
	slowest = tw_attach_slowest_waits(&waits);
	is = json_object_get(json_array_get(slowest, 0), "in_flight_of_others");
	tap_ok(!strcmp(tw_report_string(json_object_get(is, "who"), "name"), "dd") &&
	       tw_report_u64(json_object_get(is, "who"), "id") == 7 &&
	       tw_report_u64(is, "bytes") == 8192, "a slow wait has the process");
	json_decref(slowest);
	tw_attach_waits_free(&waits);
}

/* Who opens a pipe waits for the other end. */
static void test_pipe(void)
{
	struct tw_attach_waits waits = { .ns = 0 };
	struct tw_attach_wait wait = wait_of(1, 100);

	wait.call = SYS_openat;
	snprintf(wait.path, sizeof(wait.path), "attach_waits.%d", (int)getpid());
	if (mkfifo(wait.path, 0600) || tw_attach_waits_init(&waits, 1))
		abort();
	alarm(10);
	add(&waits, &wait, wait.path);
	alarm(0);
	unlink(wait.path);
	tap_ok(strcmp(waits.all.rows[0]->text[TW_WAIT_FILE], wait.path) == 0,
	       "no file is opened by its name");
	tw_attach_waits_free(&waits);
}

int main(void)
{
	test_reasons();
	test_parts();
	test_slow();
	test_rows();
	test_limits();
	test_others();
	test_pipe();
	return tap_done();
}
