/* SPDX-License-Identifier: MIT */
/*
 * What perf record writes is read as the kernel's format has it: samples with
 * fields before and behind the ones we want, call chains with the kernel's part
 * left out, maps by process and time, several events. And a file that is cut off
 * or has any byte wrong is refused or read, never past its end (run it with
 * SAN=1). Fails if a field is skipped by the wrong size.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "command/profile/perf_data.h"
#include "tap.h"

#define ATTR_SIZE	136		/* 120 and where its ids are */
#define HEADER_SIZE	104
#define TYPE		(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | \
			 PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
			 PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU | \
			 PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ | \
			 PERF_SAMPLE_CALLCHAIN)
#define FORMAT		(PERF_FORMAT_GROUP | PERF_FORMAT_ID | \
			 PERF_FORMAT_TOTAL_TIME_ENABLED)
#define SAMPLE_ID_ALL	(1ULL << 18)

static unsigned char bytes[8192];
static size_t used;

static void put(uint64_t value, size_t size)
{
	memcpy(bytes + used, &value, size);
	used += size;
}

static void put_at(size_t at, uint64_t value)
{
	memcpy(bytes + at, &value, sizeof(value));
}

static size_t begin_record(uint32_t type, unsigned misc)
{
	size_t at = used;

	put(type, 4);
	put(misc, 2);
	put(0, 2);
	return at;
}

static void end_record(size_t at)
{
	uint16_t size = (uint16_t)(used - at);

	memcpy(bytes + at + 6, &size, sizeof(size));
}

/* What sample_id_all puts behind: tid, time, cpu, identifier. */
static void put_behind(uint32_t pid, uint64_t time_ns)
{
	put(pid, 4);
	put(pid, 4);
	put(time_ns, 8);
	put(3, 8);
	put(71, 8);
}

static void put_map(uint32_t pid, uint64_t begin, uint64_t size,
		    uint64_t offset, const char *path, uint64_t time_ns)
{
	size_t at = begin_record(PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	size_t length = (strlen(path) + 8) & ~(size_t)7;

	put(pid, 4);
	put(pid, 4);
	put(begin, 8);
	put(size, 8);
	put(offset, 8);
	for (int i = 0; i < 4; i++)
		put(0xabcdef, 8);
	memset(bytes + used, 0, length);
	memcpy(bytes + used, path, strlen(path));
	used += length;
	put_behind(pid, time_ns);
	end_record(at);
}

static void put_sample(uint64_t id, uint32_t pid, uint64_t address,
		       uint64_t time_ns, unsigned misc)
{
	size_t at = begin_record(PERF_RECORD_SAMPLE, misc);

	put(id, 8);
	put(address, 8);
	put(pid, 4);
	put(pid + 1, 4);
	put(time_ns, 8);
	put(0xadd4, 8);
	put(3, 8);
	put(250000, 8);
	/* Read: two counters of a group, with an id each. */
	put(2, 8);
	put(1000, 8);
	put(17, 8);
	put(71, 8);
	put(18, 8);
	put(72, 8);
	/* The chain: two of the kernel's frames, three of the user's. */
	put(7, 8);
	put((uint64_t)PERF_CONTEXT_KERNEL, 8);
	put(0xffffffff81000000, 8);
	put(0xffffffff81000100, 8);
	put((uint64_t)PERF_CONTEXT_USER, 8);
	put(address, 8);
	put(0x5678, 8);
	put(0x9abc, 8);
	end_record(at);
}

static void put_fork(uint32_t pid, uint32_t parent)
{
	size_t at = begin_record(PERF_RECORD_FORK, 0);

	put(pid, 4);
	put(parent, 4);
	put(pid, 4);
	put(parent, 4);
	put(5, 8);
	put_behind(pid, 5);
	end_record(at);
}

static void put_attr(uint64_t config, uint64_t ids)
{
	size_t at = used;

	put(PERF_TYPE_SOFTWARE, 4);
	put(ATTR_SIZE - 16, 4);
	put(config, 8);
	put(4000, 8);
	put(TYPE, 8);
	put(FORMAT, 8);
	put(SAMPLE_ID_ALL, 8);
	used = at + ATTR_SIZE - 16;
	put(ids, 8);
	put(8, 8);
}

static void make_file(void)
{
	size_t data, at;

	memset(bytes, 0, sizeof(bytes));
	used = 0;
	memcpy(bytes, "PERFILE2", 8);
	used = HEADER_SIZE;
	put(71, 8);
	put(72, 8);
	put_at(8, HEADER_SIZE);
	put_at(16, ATTR_SIZE);
	put_at(24, used);
	put_at(32, 2 * ATTR_SIZE);
	put_attr(PERF_COUNT_SW_CPU_CLOCK, HEADER_SIZE);
	put_attr(PERF_COUNT_SW_PAGE_FAULTS, HEADER_SIZE + 8);
	data = used;
	/* perf's own, with 16 bytes behind it. */
	at = begin_record(71, 0);
	put(16, 8);
	end_record(at);
	put(~0ULL, 8);
	put(~0ULL, 8);
	put_map(100, 0x1000, 0x1000, 0x400, "/old", 10);
	put_map(100, 0x1000, 0x1000, 0x800, "/new", 20);
	put_fork(101, 100);
	put_sample(71, 100, 0x1234, 30, PERF_RECORD_MISC_USER);
	put_sample(72, 100, 0x1235, 12, PERF_RECORD_MISC_USER);
	put_sample(71, 101, 0x1236, 15, PERF_RECORD_MISC_KERNEL);
	at = begin_record(PERF_RECORD_LOST, 0);
	put(71, 8);
	put(5, 8);
	put_behind(100, 40);
	end_record(at);
	put_at(40, data);
	put_at(48, used - data);
}

static void whole(void)
{
	const char *why = "";
	struct perf_data data;
	const struct perf_map *map;

	make_file();
	if (!tap_ok(tw_perf_data_parse(&data, bytes, used, &why) == 0,
		    "is read"))
		return;
	tap_ok(strcmp(tw_perf_data_event(&data), "cpu-clock") == 0,
	       "the first event is it");
	tap_is_u64(data.sample_count, 2, "its samples, by time");
	tap_ok(data.other_events, "there are others");
	tap_is_u64(data.samples[0].address, 0x1236, "the earlier one's address");
	tap_ok(data.samples[0].in_kernel && !data.samples[1].in_kernel,
	       "which was in the kernel");
	tap_is_u64(data.samples[1].weight, 250000, "its period is its weight");
	tap_is_u64(data.samples[1].frames, 3, "frames of the user");
	tap_is_u64(data.chain[data.samples[1].first_frame + 2], 0x9abc,
		   "the outermost of them");
	tap_is_u64(data.lost, 5, "lost ones");
	map = tw_perf_data_map(&data, 100, 0x1234, 30);
	tap_ok(map && strcmp(map->path, "/new") == 0 && map->offset == 0x800,
	       "what is mapped over something else");
	map = tw_perf_data_map(&data, 100, 0x1234, 19);
	tap_ok(map && strcmp(map->path, "/old") == 0, "and what was before");
	map = tw_perf_data_map(&data, 101, 0x1234, 30);
	tap_ok(map && strcmp(map->path, "/new") == 0, "a child has its parent's");
	tap_ok(!tw_perf_data_map(&data, 100, 0x2000, 30), "the end is outside");
	tw_perf_data_free(&data);
}

static int refused(const char *what)
{
	const char *why = "";
	struct perf_data data;
	int failed = tw_perf_data_parse(&data, bytes, used, &why);

	if (!failed)
		tw_perf_data_free(&data);
	return tap_ok(failed == -EPROTO && *why, "%s: %s", what, why);
}

static void unreadable(void)
{
	make_file();
	put_at(8, 16);
	refused("a pipe's");
	make_file();
	put_at(48, 0);
	refused("an end that perf did not write");
	make_file();
	bytes[HEADER_SIZE + 16 + 2 * ATTR_SIZE] = 81;
	refused("a compressed one");
	make_file();
	put_at(HEADER_SIZE + 16 + 24, TYPE & ~(uint64_t)PERF_SAMPLE_IP);
	refused("no addresses");
}

/* Of every length, and with bytes wrong: no claim but that it ends well. */
static void damaged(uint64_t *state)
{
	const char *why;
	struct perf_data data;
	int read = 0, cut = 0;
	size_t length;

	make_file();
	length = used;
	for (size_t size = 0; size < length; size++) {
		unsigned char *copy = malloc(size + 1);

		memcpy(copy, bytes, size);
		if (tw_perf_data_parse(&data, copy, size, &why) == 0) {
			cut++;
			tw_perf_data_free(&data);
		}
		free(copy);
	}
	tap_ok(cut == 0, "cut off anywhere: refused");
	for (int i = 0; i < 20000; i++) {
		make_file();
		for (uint64_t n = tap_random(state) % 4 + 1; n--;)
			bytes[tap_random(state) % length] =
				(unsigned char)tap_random(state);
		if (tw_perf_data_parse(&data, bytes, length, &why))
			continue;
		read++;
		for (size_t s = 0; s < data.sample_count; s++)
			tw_perf_data_map(&data, data.samples[s].pid,
					 data.samples[s].address, 30);
		tw_perf_data_free(&data);
	}
	tap_ok(read > 0 && read < 20000, "with bytes wrong: %d of 20000 read",
	       read);
}

int main(void)
{
	uint64_t state = tap_seed();

	whole();
	unreadable();
	damaged(&state);
	return tap_done();
}
