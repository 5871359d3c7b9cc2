/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: the live table of `tickwise attach` has what was waited for since the last one: a
 * row for each file name, whatever inodes, calls, reasons and rings it had, the longest time
 * first, and no more rows than a screen has. I/Os that failed or were only counted have a rate.
 * On a terminal a table takes the place of the last one, and no line reaches the last column,
 * where some terminals begin a new one. A terminal that can't move up, an unknown one and a pipe
 * get lines. A file's name is plain text, whoever chose it. One that is too long loses its first
 * characters, whole ones.
 * Defect: a file in two rows, or its time twice; what was in the last table again; an order by
 * another number; a table that leaves lines of the last one, or erases others; a name that a
 * terminal obeys, also by the control characters that UTF-8 has in two bytes.
 */
#include "attach/attach.h"

#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tap.h"

enum { FSYNC = 3, READ = 22, WRITE = 23 };

#define START_NS	1000000000000ULL
#define MS		1000000ULL
#define LIMITED		(TW_ATTACH_LIMITED | TW_ATTACH_HAS_ENDED)
#define EUROS_6		"\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac"
#define TITLES		"rate/s  waited    mean  blockq  device complete  mostly"

static struct tw_attach_tally tally;
static struct tw_attach_table table;

static void begin(void)
{
	tw_attach_tally_free(&tally);
	table = (struct tw_attach_table) { .printed = 0 };
	if (tw_attach_tally_init(&tally, START_NS, START_NS, 4))
		abort();
}

static struct tw_attach_inode inode_of(__u64 number)
{
	return (struct tw_attach_inode) { .number = number, .device = 8, .mode = 0100644 };
}

static void name(__u64 inode, const char *is)
{
	static struct tw_attach_file file;

	file = (struct tw_attach_file) {
		.inode = inode_of(inode), .size = (__u16)(strlen(is) + 1),
	};
	strcpy(file.names, is);
	if (tw_attach_add_file(&tally, &file, sizeof(file)))
		abort();
}

/* An I/O of 4 ms: 1 in blockq, 2 in the device, 1 in complete. */
static void add_io(__u64 inode, __u32 ring, __u8 opcode, __s32 result)
{
	const struct tw_attach_io io = {
		.kind = TW_ATTACH_IO, .ring = ring, .opcode = opcode, .result = result,
		.inode = inode_of(inode), .accepted_ns = START_NS,
		.dispatched_ns = START_NS + MS, .finished_ns = START_NS + 3 * MS,
		.posted_ns = START_NS + 4 * MS, .due_bytes = 4096, .finished_bytes = 4096,
	};

	if (tw_attach_add_io(&tally, &io))
		abort();
}

/* @split: 1 ms of it is in blockq, 2 are in complete. */
static void add_wait(__u64 inode, __u16 call, __u16 flags, __u64 ns, bool split)
{
	const struct tw_attach_wait wait = {
		.call = call, .flags = flags, .inode = inode_of(inode),
		.slept_ns = START_NS, .on_ns = START_NS + ns,
		.dispatched_ns = split ? START_NS + MS : 0,
		.finished_ns = split ? START_NS + ns - 2 * MS : 0,
	};

	if (tw_attach_add_wait(&tally, &wait, sizeof(wait)))
		abort();
}

static void put(uint64_t lost)
{
	tw_attach_table_put(&table, &tally, 1500 * MS, 1000 * MS, lost);
}

/* ---- what is in it ------------------------------------------------------------ */

/* Check that the next table begins and ends so. */
static void table_is(uint64_t lost, const char *from, const char *to, const char *what)
{
	char *page = NULL;
	size_t size, end = strlen(to);
	FILE *out = open_memstream(&page, &size);
	int lines = 0;

	if (!out)
		abort();
	table.out = out;
	put(lost);
	fclose(out);
	for (const char *at = page; (at = strchr(at, '\n')); at++)
		lines++;
	if (!tap_ok(strncmp(page, from, strlen(from)) == 0 && size >= end &&
		    strcmp(page + size - end, to) == 0 && table.printed == lines, "%s", what))
		printf("# %d %s", table.printed, page);
	free(page);
}

/* A file of two inodes, with I/Os of two rings and waits of three kinds; and one that waited
 * longer in fewer waits, of a sync that the report has as a call, too. */
static void test_merging(void)
{
	const struct tw_attach_call call = {
		.kind = TW_ATTACH_CALL, .opcode = FSYNC, .inode = inode_of(3),
		.ran_ns = START_NS + 51 * MS, .stamps = { .begun_ns = START_NS },
	};

	begin();
	name(1, "data");
	name(2, "data");
	name(3, "log");
	for (__u32 i = 0; i < 4; i++)
		add_io(1 + i % 2, 1 + i / 2, READ, 1);
	add_io(2, 2, WRITE, 1);
	add_wait(1, SYS_pread64, 0, 10 * MS, true);
	add_wait(1, SYS_pread64, LIMITED, 6 * MS, true);
	add_wait(2, SYS_pread64, LIMITED, 6 * MS, true);
	add_wait(3, SYS_fdatasync, 0, 51 * MS, false);
	if (tw_attach_add_call(&tally, &call))
		abort();
	table_is(0, "1.5 s. In 1.0 s: 9 waits or I/Os, 93.00 ms in all\n" TITLES
		 "                      file\n"
		 " 1.000   5.1 % 51.00ms       -       -        -  100 % fdatasync, direct I/O /log\n"
		 " 8.000   4.2 % 5.250ms 1.000ms 2.875ms  1.375ms   38 % read, io_uring        /data\n",
		 "", "one row a name, the longest time first");
	table_is(0, "1.5 s, no wait, no I/O\n", "", "then nothing is new");
	add_io(1, 1, READ, 1);
	table_is(0, "1.5 s. In 1.0 s: 1 wait or I/O, 4.000 ms in all\n" TITLES
		 "               file\n"
		 " 1.000   0.4 % 4.000ms 1.000ms 2.000ms  1.000ms  100 % read, io_uring /data\n",
		 "", "then what was read since");
}

/* I/Os without times, of files of which one has no name. */
static void test_counted(void)
{
	const struct tw_attach_key key = { .inode = inode_of(1), .ring = 1, .opcode = READ };

	begin();
	name(1, "data");
	for (unsigned ios = 100; ios <= 130; ios += 30) {
		tw_attach_forget_counted(&tally);
		if (tw_attach_add_counted(&tally, &key, &(struct tw_attach_counted) { .ios = ios }))
			abort();
		if (ios == 100)
			table_is(0, "1.5 s. In 1.0 s: 100 waits", "", "I/Os that are only counted");
	}
	add_io(2, 1, READ, -EIO);
	table_is(0, "1.5 s. In 1.0 s: 31 waits or I/Os, 0 ns in all\n" TITLES " file\n"
		 " 30.00   0.0 %       -       -       -        -  -      /data\n"
		 " 1.000   0.0 %       -       -       -        -  -      (file not known)\n",
		 "", "more of them, and one that failed");
}

static void test_many(void)
{
	char title[16];

	begin();
	table_is(7, "1.5 s, 7 records lost, no wait, no I/O\n", "", "nothing");
	for (unsigned i = 1; i <= 25; i++) {
		snprintf(title, sizeof(title), "file%u", i);
		name(i, title);
		add_wait(i, SYS_read, 0, i * MS, false);
	}
	table_is(0, "1.5 s. In 1.0 s: 25 waits or I/Os, 325.0 ms in all\n", " /file6\n  and 5 more\n",
		 "no more than fit on a screen");
	/* Each call has rows of its own. */
	for (unsigned i = 0; i < 2002; i++) {
		add_io(i, 1, READ, 1);
		snprintf(title, sizeof(title), "more%u", i);
		name(100000 + i, title);
		add_wait(100000 + i, SYS_read, 0, MS, false);
	}
	table_is(0, "1.5 s. In 1.0 s: 4004 waits or I/Os, 10.01 s in all\n", " more\n",
		 "more than there are rows for: none is lost");
}

static void test_names(void)
{
	static const struct {
		const char *name, *shown, *what;
	} names[] = {
		{ "plain", "/plain", "a name" },
		{ "d\u00e9j\u00e0 \u20ac", "/d\u00e9j\u00e0 \u20ac", "of any characters" },
		{ "a\033[2Jb\nc\177", "/a?[2Jb?c?", "control characters are none" },
		{ "a\302\2332Jb", "/a??2Jb", "nor are those of two bytes" },
		{ "a\233b\342\202", "/a\357\277\275b\357\277\275\357\277\275", "nor bytes that are no character" },
		/* 64 bytes, of which 60 fit; two of those are dots. */
		{ EUROS_6 EUROS_6 EUROS_6 "\u20ac\u20ac\u20ac",
		  ".." EUROS_6 EUROS_6 EUROS_6 "\u20ac", "a long one loses whole characters" },
	};
	char line[200];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		begin();
		name(1, names[i].name);
		add_wait(1, SYS_read, 0, MS, false);
		snprintf(line, sizeof(line), " %s\n", names[i].shown);
		table_is(0, "1.5 s", line, names[i].what);
	}
}

/* ---- where it goes -------------------------------------------------------------- */

/* Return what three tables and their end are on @in's other end @out, without carriage returns. */
static const char *printed_on(int in, int out)
{
	static char text[65536];
	size_t length = 0;
	ssize_t got;
	FILE *file = fdopen(out, "w");

	if (!file || fcntl(in, F_SETFL, O_NONBLOCK))
		abort();
	begin();
	name(1, "a\033[2J/\u4e00\u4e00\u4e00\u4e00\u4e00\u4e00\u4e00\u4e00\u4e00\u4e00\u4e00\u4e00");
	name(2, "b");
	tw_attach_table_begin(&table, file);
	for (unsigned i = 0; i < 3; i++) {
		if (i) {
			add_wait(1, SYS_copy_file_range, TW_ATTACH_SUSPENDED, 400 * MS, true);
			add_wait(2, SYS_read, 0, i * MS, false);
		}
		put(0);
	}
	tw_attach_table_end(&table);
	fflush(file);
	while ((got = read(in, text + length, sizeof(text) - 1 - length)) > 0)
		length += (size_t)got;
	text[length] = '\0';
	fclose(file);
	close(in);
	return text;
}

/* Return the same of a terminal of kind @kind; NULL: unknown. */
static const char *printed_to(const char *kind, unsigned short width, unsigned short height)
{
	const struct winsize size = { .ws_col = width, .ws_row = height };
	int in, out;

	if (kind ? setenv("TERM", kind, 1) : unsetenv("TERM"))
		abort();
	if (openpty(&in, &out, NULL, NULL, &size))
		abort();
	return printed_on(in, out);
}

static unsigned count_of(const char *text, const char *what)
{
	unsigned count = 0;

	while ((text = strstr(text, what))) {
		text += strlen(what);
		count++;
	}
	return count;
}

/* Return the bytes of the longest line, which are not less than its columns. */
static size_t longest(const char *text)
{
	size_t most = 0;

	while (*text) {
		const size_t length = strcspn(text, "\r\n");

		most = length > most ? length : most;
		text += length + strspn(text + length, "\r\n");
	}
	return most;
}

static void test_terminals(void)
{
	const char *text = printed_to("xterm", 80, 24);
	int ends[2];

	/* One line, then four, then four, and their end. */
	tap_ok(count_of(text, "\n\r\033[1A\033[J1.5 s") == 1 &&
	       count_of(text, "\n\r\033[4A\033[J") == 2 && count_of(text, "\033") == 6 &&
	       strcmp(text + strlen(text) - 7, "\033[4A\033[J") == 0 && longest(text) < 80,
	       "TERM=xterm: in its place");
	text = printed_to(NULL, 30, 24);
	tap_ok(!strchr(text, '\033') && count_of(text, "1.5 s") == 3 && longest(text) < 30,
	       "no TERM: lines");
	text = printed_to("dumb", 80, 24);
	tap_ok(!strchr(text, '\033') && count_of(text, "1.5 s") == 3 && longest(text) < 80,
	       "TERM=dumb: lines");
	if (pipe(ends))
		abort();
	text = printed_on(ends[0], ends[1]);
	tap_ok(!strchr(text, '\033') && count_of(text, "1.5 s") == 3 && count_of(text, "complete") == 2,
	       "a pipe: lines");
}

int main(void)
{
	test_merging();
	test_counted();
	test_many();
	test_names();
	test_terminals();
	tw_attach_tally_free(&tally);
	return tap_done();
}
