/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tests: plugin/kernel plugin/record/job_record.c plugin/job_report/job_report.c
 *
 * Behaviour: with tw_causes=1 the time in the device of each split I/O is in exactly one of
 * the metrics alone and with: that of the kind of requests that had the most bytes in flight
 * for others. If there is a flush, it is that of flushes. The parts add up to the stage. One
 * of the slowest I/Os has its own numbers. If only some I/Os are split, a chosen one counts
 * as often as in its stages. Without the option the program is loaded without this, and there
 * are no metrics. Defect: what others had in flight for another I/O, an I/O in two metrics, own requests that count
 * as one of others.
 */
#include "engine_world.h"

#include "kernel/cgroup.h"

#define DEVICE_NS	5000

static struct tw_padded_stamps entries[WORLD_DEPTH];
static struct tw_others others[WORLD_DEPTH];
static struct tw_others next;
static bool is_anothers;

static void appeared(unsigned i)
{
	const uint64_t finished = engine_now_ticks - 500;

	entries[i].stamps = world_stamps(i, world_monotonic_ns(finished - DEVICE_NS - 100),
			      world_monotonic_ns(finished - DEVICE_NS),
			      world_monotonic_ns(finished), world_monotonic_ns(engine_now_ticks));
	others[i] = next;
	others[i].key = entries[i].stamps.key + is_anothers;
}

static void begin(bool causes, unsigned every)
{
	world_forget();
	world.options.kernel = TW_KERNEL_REQUIRE;
	world.options.kernel_every = every;
	world.options.causes = causes;
	world.options.slowest = 20;
	world.kernel_entries = entries;
	world.others = others;
	world.at_once = true;
	world.appeared = appeared;
	/* The choice is seeded by the time of the start. */
	world_pass(world_below(1000000));
	world_start();
}

static void one(struct tw_others others, bool anothers)
{
	next = others;
	next.counting_ns = 7;
	is_anothers = anothers;
	world_one(DDIR_READ, DEVICE_NS + 700);
}

/* Return how many I/Os a row has. */
/* Return the I/Os of a row. A chosen one counts for others. */
static uint64_t in(const char *row)
{
	const uint64_t weight = world_number("kernel_stages.in_flight_of_others.%s.read.weight", row);

	return weight ? weight : world_number("kernel_stages.in_flight_of_others.%s.read.count", row);
}

static uint64_t all_rows(const char *what)
{
	uint64_t sum = world_number("kernel_stages.in_flight_of_others.alone.read.%s", what);

	for (unsigned i = 0; tw_others_kinds[i]; i++)
		sum += world_number("kernel_stages.in_flight_of_others.%s.read.%s", tw_others_kinds[i], what);
	return sum;
}

static bool is_valid(void)
{
	struct tw_report_problem problem = { 0 };
	struct tw_tally tally;
	bool is;

	memset(&tally, 0, sizeof(tally));
	is = !tw_tally_from_json(&tally, world.report, &problem) &&
	     !problem.text[0];

	if (!is)
		printf("# %s\n", problem.text);
	tw_tally_free(&tally);
	return is;
}

#define REQUESTS(kind, count, in_bytes) \
	.requests[TW_OTHERS_##kind] = count, .bytes[TW_OTHERS_##kind] = in_bytes

static void each_kind(void)
{
	begin(true, 1);
	one((struct tw_others) { .own = 9 }, false);
	one((struct tw_others) { REQUESTS(READS, 9, 100) }, false);
	one((struct tw_others) { REQUESTS(READS, 9, 100), REQUESTS(WRITES, 1, 101) }, false);
	one((struct tw_others) { REQUESTS(READS, 1, 101), REQUESTS(WRITES, 9, 100) }, false);
	one((struct tw_others) { REQUESTS(WRITES, 9, 1 << 30), REQUESTS(FLUSHES, 1, 0) }, false);
	one((struct tw_others) { REQUESTS(WRITES, 1, 1), REQUESTS(DISCARDS, 1, 2) }, false);
	one((struct tw_others) { REQUESTS(COMMANDS, 1, 0), .requeues = 3, .is_cut = 1 }, false);
	one((struct tw_others) { REQUESTS(WRITES, 1, 1) }, true);
	one((struct tw_others) { .is_cut = 1 }, false);
	world_end();
	tap_ok(in("alone") == 1, "own requests are not of others");
	tap_ok(in("reads") == 2, "reads alone, and reads with more bytes than writes");
	tap_ok(in("writes") == 1, "writes with more bytes than reads");
	tap_ok(in("flushes") == 1, "a flush, whatever the bytes");
	tap_ok(in("discards") == 1 && in("commands") == 1, "discards, and a command without bytes");
	tap_ok(all_rows("count") == 7 && world_number("kernel_stages.split.read") == 9,
	       "those of another I/O count for none, nor does a count that was cut too early");
	tap_ok(all_rows("sum_ns") == 7 * DEVICE_NS &&
	       world_number("stages.device.read.sum_ns") == 9 * DEVICE_NS,
	       "the parts add up to the time in the device");
	tap_ok(world_number("kernel_stages.in_flight_of_others.counted") == 8 &&
	       world_number("kernel_stages.in_flight_of_others.counting_ns") == 56 &&
	       world_number("kernel_stages.in_flight_of_others.cut") == 2 &&
	       world_number("kernel_stages.in_flight_of_others.requeues") == 3,
	       "what it took, what is left out, and requeues");
	tap_ok(is_valid(), "which can be read");
}

static void slowest(void)
{
	begin(true, 1);
	one((struct tw_others) { .own = 4, REQUESTS(READS, 1, 512), REQUESTS(WRITES, 3, 4096) },
	    false);
	world_end();
	tap_ok(!world_at(world.report, "slowest.0.in_flight_of_others.who"), "nobody is named");
	tap_ok(world_is_text("slowest.0.in_flight_of_others.kind", "writes") &&
	       world_number("slowest.0.in_flight_of_others.own") == 4 &&
	       world_number("slowest.0.in_flight_of_others.requests") == 3 &&
	       world_number("slowest.0.in_flight_of_others.bytes") == 4096 &&
	       world_number("slowest.0.in_flight_of_others.more") == 1,
	       "a slow I/O has its numbers");
	begin(true, 1);
	one((struct tw_others) { REQUESTS(WRITES, 3, 4096) }, true);
	world_end();
	tap_ok(world_at(world.report, "slowest.0") && !world_at(world.report,
									"slowest.0.in_flight_of_others"),
	       "and none that are another's");
}

/* Return the name in the report of a slow I/O that was behind @who. */
static const char *name_of(struct tw_who who)
{
	static char name[TW_CGROUP_PATH];

	begin(true, 1);
	who.requests = 2;
	who.bytes = 1024;
	one((struct tw_others) { REQUESTS(WRITES, 3, 4096), .who = who }, false);
	world_end();
	snprintf(name, sizeof(name), "%s", json_string_value(
		 world_at(world.report, "slowest.0.in_flight_of_others.who.name")) ?: "");
	return world_number("slowest.0.in_flight_of_others.who.requests") == 2 &&
	       world_number("slowest.0.in_flight_of_others.who.bytes") == 1024 ? name : "";
}

static bool has_id(uint64_t id)
{
	return world_number("slowest.0.in_flight_of_others.who.id") == id;
}

static void names(void)
{
	tap_ok(!strcmp(name_of((struct tw_who) { .kind = TW_WHO_PROCESS, .id = 7,
						 .name = "dd\033[2J" }), "dd?[2J") &&
	       world_is_text("slowest.0.in_flight_of_others.who.kind", "process") && has_id(7),
	       "a process, in plain text");
	tap_ok(strlen(name_of((struct tw_who) { .kind = TW_WHO_KERNEL_THREAD,
						.name = "jbd2/sda123456-8" })) == 16 &&
	       world_is_text("slowest.0.in_flight_of_others.who.kind", "kernel") &&
	       !world_at(world.report, "slowest.0.in_flight_of_others.who.id"),
	       "a kernel thread whose number is not known, a name without an end");
	tap_ok(!strcmp(name_of((struct tw_who) { .kind = TW_WHO_CGROUP,
						 .cgroup = TW_CGROUP_ROOT }), "/") &&
	       world_is_text("slowest.0.in_flight_of_others.who.kind", "cgroup"), "a cgroup");
	name_of((struct tw_who) { .kind = TW_WHO_HIDDEN });
	tap_ok(world_is_text("slowest.0.in_flight_of_others.who.kind", "hidden") && !has_id(7) &&
	       !world_at(world.report, "slowest.0.in_flight_of_others.who.name"), "a hidden one");
	tap_ok(is_valid(), "which can be read");
}

/* Return the field of a sum, in the order of the report. */
static uint64_t sum(unsigned i, const char *field)
{
	return world_number("in_flight_of_others.%u.%s", i, field);
}

static void job_was_behind(unsigned id, unsigned kind)
{
	struct tw_others others = { .who = { .kind = TW_WHO_PROCESS, .id = id } };

	others.requests[kind] = 1;
	others.bytes[kind] = 8;
	/* It is the same, however large its requests are, if they are half of all or more. */
	others.who.bytes = 4 + world_below(5);
	one(others, false);
}

static void sums(void)
{
	unsigned i, j;

	begin(true, 1);
	job_was_behind(7, TW_OTHERS_WRITES);
	for (i = 0; i < 3; i++)
		job_was_behind(8, TW_OTHERS_READS);
	job_was_behind(7, TW_OTHERS_READS);
	job_was_behind(7, TW_OTHERS_WRITES);
	one((struct tw_others) { REQUESTS(WRITES, 1, 1) }, false);
	one((struct tw_others) { .own = 1 }, false);
	one((struct tw_others) { REQUESTS(WRITES, 4, 8),
		.who = { .kind = TW_WHO_PROCESS, .id = 9, .requests = 1, .bytes = 3 } }, false);
	world_end();
	tap_ok(json_array_size(world_at(world.report, "in_flight_of_others")) == 3 &&
	       sum(0, "who.id") == 8 && sum(0, "ios") == 3 &&
	       sum(0, "device_ns") == 3 * DEVICE_NS && sum(1, "who.id") == 7 &&
	       sum(1, "ios") == 2 && sum(2, "ios") == 1 &&
	       world_is_text("in_flight_of_others.1.kind", "writes") &&
	       world_is_text("in_flight_of_others.2.kind", "reads") &&
	       world_is_text("in_flight_of_others.0.ddir", "read"), "sums by name and kind");
	begin(true, 1);
	for (i = 1; i <= TW_OTHERS_SUMS_MOST + 1; i++)
		for (j = 0; j < (i <= TW_OTHERS_SUMS_SHOWN ? 2U : 1U); j++)
			job_was_behind(TW_OTHERS_SUMS_MOST + 2 - i, TW_OTHERS_WRITES);
	world_end();
	for (i = j = 0; i < TW_OTHERS_SUMS_SHOWN; i++)
		j += sum(i, "ios") == 2;
	tap_ok(json_array_size(world_at(world.report, "in_flight_of_others")) == TW_OTHERS_SUMS_SHOWN &&
	       j == TW_OTHERS_SUMS_SHOWN, "the longest of many");
	begin(true, 16);
	for (i = 0; i < 4000; i++)
		job_was_behind(7, TW_OTHERS_WRITES);
	world_end();
	tap_ok(json_array_size(world_at(world.report, "in_flight_of_others")) == 1 &&
	       sum(0, "ios") == in("writes") &&
	       sum(0, "device_ns") == all_rows("sum_ns"), "a chosen I/O counts for others");
	begin(false, 1);
	job_was_behind(7, TW_OTHERS_WRITES);
	world_end();
	tap_ok(!world_at(world.report, "in_flight_of_others"), "without the option: none");
}

static void sampled(void)
{
	/* All are of one kind. The estimate may be more than the number of I/Os. */
	do {
		begin(true, 16);
		for (unsigned i = 0; i < 200; i++)
			one((struct tw_others) { .own = 1 }, false);
		world_end();
	} while (in("alone") <= world_number("ios.read"));
	tap_ok(is_valid(), "an estimate above the number of I/Os can be read");
	begin(true, 16);
	for (unsigned i = 0; i < 4000; i++)
		one((struct tw_others) { REQUESTS(WRITES, i % 2, i % 2) }, false);
	world_end();
	tap_ok(world_number("kernel_stages.not_split.not_chosen.read") > 3000 &&
	       all_rows("count") == world_number("stages.device.read.count") &&
	       all_rows("weight") == world_number("stages.device.read.weight") &&
	       all_rows("sum_ns") == world_number("stages.device.read.sum_ns") &&
	       in("alone") > 1000 && in("writes") > 1000,
	       "a chosen I/O counts as often as in its stages");
	tap_ok(is_valid(), "which can be read");
}

static void not_asked_for(void)
{
	begin(false, 1);
	one((struct tw_others) { REQUESTS(WRITES, 1, 1) }, false);
	world_end();
	tap_ok(!world.with_causes && !world_at(world.report, "kernel_stages.in_flight_of_others") &&
	       !world_at(world.report, "slowest.0.in_flight_of_others"), "without the option: nothing");
	begin(true, 1);
	tap_ok(world.with_causes, "with it the program is loaded with this");
	world_end();
}

int main(void)
{
	world_random = 48;
	each_kind();
	slowest();
	names();
	sums();
	sampled();
	not_asked_for();
	return tap_done();
}
