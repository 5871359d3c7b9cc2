/* SPDX-License-Identifier: MIT */
/*
 * Tests: core/base
 *
 * Reads caches, NUMA nodes, and control groups of memory, from directories made here, and
 * smaps. Fails if an instruction cache is taken for a data cache, if a container's limit or
 * RLIMIT_AS is overlooked, or if its cache of files counts as used. Fails also if memory that
 * became huge by accident passes for small, or if a neighbour's lines are taken for its own.
 *
 * Also on other processors.
 */
#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory/pages.h"
#include "put_file.h"
#include "tap.h"
#include "text_file.h"

static char scratch[] = "/tmp/tickwise-sysfs-XXXXXX";

static void put(const char *name, const char *text)
{
	put_file(scratch, name, text);
}

static const char *below(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", scratch, name);
	return path;
}

static void check_caches(void)
{
	static const struct {
		unsigned index;
		const char *type, *level, *size, *shared;
	} made[] = {
		{ 0, "Unified\n", "3\n", "260M\n", "0-3,8-11\n" },
		{ 1, "Instruction\n", "1\n", "64K\n", "3\n" },
		{ 2, "Data\n", "1\n", "48K\n", "3\n" },
		{ 4, "Unified\n", "2\n", "2048K\n", "2-3\n" },
		{ 5, "Unified\n", "4\n", "unknown\n", "\n" },
	};
	static const struct tw_cache wanted[] = {
		{ 1, 48 << 10, 128, 1 }, { 2, 2 << 20, 128, 2 }, { 3, 260 << 20, 128, 8 },
	};
	static const struct {
		const char *text;
		size_t bytes;		/* 0: it is none */
	} sizes[] = {
		{ "48K\n", 48 << 10 }, { "2M", 2 << 20 }, { "512", 512 }, { "1G", 1 << 30 },
		{ "", 0 }, { "K", 0 }, { "-1K", 0 }, { "0", 0 }, { "5X", 0 },
		{ "99999999999999999999", 0 },
	};
	struct tw_cache caches[TW_CACHES];
	unsigned count;
	int good = 1;

	for (size_t i = 0; i < sizeof(made) / sizeof(*made); i++) {
		const char *const files[][2] = {
			{ "type", made[i].type }, { "level", made[i].level },
			{ "size", made[i].size }, { "shared_cpu_list", made[i].shared },
			{ "coherency_line_size", "128\n" },
		};
		char name[64];

		for (size_t j = 0; j < sizeof(files) / sizeof(*files); j++) {
			snprintf(name, sizeof(name), "cpus/cpu3/cache/index%u/%s", made[i].index,
				 files[j][0]);
			put(name, files[j][1]);
		}
	}
	count = tw_caches_read(caches, below("cpus"), 3);
	for (unsigned i = 0; count == 3 && i < 3; i++)
		good &= caches[i].level == wanted[i].level && caches[i].bytes == wanted[i].bytes &&
			caches[i].line_bytes == 128 && caches[i].shared_by == wanted[i].shared_by;
	tap_ok(count == 3 && good, "three caches hold data, the smallest first");
	tap_ok(tw_caches_read(caches, below("cpus"), 4) == 0 &&
	       tw_caches_read(caches, below("none"), 3) == 0,
	       "nothing of another CPU, nothing where there is no sysfs");
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		put("cpus/cpu3/cache/index2/size", sizes[i].text);
		good = tw_caches_read(caches, below("cpus"), 3) == 2 + (sizes[i].bytes > 0);
		tap_ok(good && (!sizes[i].bytes || caches[0].bytes == sizes[i].bytes),
		       "size '%s': %zu", sizes[i].text, sizes[i].bytes);
	}
}

static void check_nodes(void)
{
	/* Anything but a list of nodes: there is node 0. */
	static const struct {
		const char *text, *nodes;
	} cases[] = {
		{ "0,2-3\n", "1011" }, { "1\n", "0100" }, { "\n", "1000" }, { "0-\n", "1000" },
		{ "3-1\n", "1000" }, { NULL, "1000" },
	};
	struct tw_cpu_list nodes;
	char is[5] = "";

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		if (cases[i].text)
			put("has_memory", cases[i].text);
		tw_memory_nodes(&nodes, below(cases[i].text ? "has_memory" : "not_there"));
		for (unsigned j = 0; j < 4; j++)
			is[j] = tw_cpu_list_has(&nodes, j) ? '1' : '0';
		tap_ok(!strcmp(is, cases[i].nodes), "nodes: %s", is);
	}
}

static void check_groups(void)
{
	static const char in_b[] = "1:name=x:/\n0::/a/b\n";

	put("v2/a/b/memory.max", "max\n");
	tap_ok(tw_group_left(below("v2"), in_b) == UINT64_MAX, "no limit");
	put("v2/a/b/memory.max", "1000000\n");
	put("v2/a/b/memory.current", "400000\n");
	tap_is_u64(tw_group_left(below("v2"), in_b), 600000, "a limit");
	put("v2/a/b/memory.stat", "anon 100000\ninactive_file 200000\n"
	    "active_file 50000\n");
	tap_is_u64(tw_group_left(below("v2"), in_b), 850000,
		   "less what is used, but for the cache of files");
	put("v2/a/memory.max", "500000\n");
	put("v2/a/memory.current", "410000\n");
	tap_is_u64(tw_group_left(below("v2"), in_b), 90000,
		   "the group above has less left");
	put("v2/a/b/memory.high", "170000\n");
	tap_is_u64(tw_group_left(below("v2"), in_b), 20000,
		   "from memory.high on the kernel slows it down");
	put("v2/memory.max", "70000\n");
	put("v2/memory.current", "80000\n");
	tap_is_u64(tw_group_left(below("v2"), "0::/../../other\n"), 0,
		   "a container's root, used up");
	tap_is_u64(tw_group_left(below("v2"), NULL), 0, "without a membership");
	put("v1/memory/c/memory.limit_in_bytes", "9000\n");
	put("v1/memory/c/memory.usage_in_bytes", "8000\n");
	put("v1/memory/c/memory.stat", "cache 1\ntotal_inactive_file 500\n");
	tap_is_u64(tw_group_left(below("v1"), "7:cpu:/x\n4:memory:/c\n0::/\n"),
		   1500, "version 1");
	put("v1/memory/c/d/memory.limit_in_bytes", "7000\n");
	tap_is_u64(tw_group_left(below("v1"), "4:memory:/c/d\n"), 1500,
		   "version 1, the group above has less left");
	tap_ok(tw_group_left(below("none"), "0::/\n") == UINT64_MAX,
	       "no control groups at all");
}

static void check_addresses(void)
{
	uint64_t whole = tw_memory_available(), few;
	struct rlimit before, limit, now;
	char *statm = tw_text_file("/proc/self/statm");

	getrlimit(RLIMIT_AS, &before);
	limit = before;
	limit.rlim_cur = strtoull(statm ? statm : "0", NULL, 10) *
			 (uint64_t)sysconf(_SC_PAGESIZE) + ((uint64_t)64 << 20);
	setrlimit(RLIMIT_AS, &limit);
	getrlimit(RLIMIT_AS, &now);
	few = tw_memory_available();
	setrlimit(RLIMIT_AS, &before);
	free(statm);
	if (now.rlim_cur != limit.rlim_cur) {
		tap_skip("RLIMIT_AS can't be set here, as under an emulator");
		return;
	}
	tap_ok(whole > few || whole < (uint64_t)64 << 20, "RLIMIT_AS counts");
	tap_ok(few < (uint64_t)60 << 20, "and a part is kept for the program: %" PRIu64 " of 64M",
	       few);
}

static const char smaps[] =
	"55d0a0000000-55d0a0200000 r-xp 00000000 08:01 131 /usr/bin/a b:1-2\n"
	"Size:               2048 kB\n"
	"KernelPageSize:        4 kB\n"
	"AnonHugePages:      2048 kB\n"
	"VmFlags: rd ex mr mw me sd\n"
	"7f0000000000-7f0000800000 rw-p 00000000 00:00 0 \n"
	"Size:               8192 kB\n"
	"KernelPageSize:        4 kB\n"
	"MMUPageSize:           4 kB\n"
	"AnonHugePages:      6144 kB\n"
	"ShmemPmdMapped:        0 kB\n"
	"Private_Hugetlb:       0 kB\n"
	"VmFlags: rd wr mr mw me ac hg\n"
	"7f0000900000-7f0000d00000 rw-p 00000000 00:10 77 /anon_hugepage\n"
	"KernelPageSize:     2048 kB\n"
	"AnonHugePages:         0 kB\n"
	"Private_Hugetlb:    4096 kB\n"
	"7f0001000000-7f0001001000 rw-p 00000000 00:00 0\n"
	"KernelPageSize:        4 kB\n"
	"AnonHugePages:         0 kB\n"
	"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]\n"
	"Size:                  4 kB\n";

static const struct {
	uintptr_t address;
	int ret;
	size_t huge, page;		/* a failure leaves the figures alone */
	const char *what;
} mappings[] = {
	{ 0x7f0000000000, 0, 6144 << 10, 4096, "transparent in part" },
	{ 0x7f00007fffff, 0, 6144 << 10, 4096, "its last byte, too" },
	{ 0x7f0000a00000, 0, 4096 << 10, 2048 << 10, "reserved" },
	{ 0x7f0001000800, 0, 0, 4096, "small" },
	{ 0x7f0000800000, -ENOENT, 7, 7, "nothing is mapped there" },
	{ 0xffffffffff600000u, -EBADMSG, 7, 7, "a mapping that is not described" },
};

static void check_smaps(void)
{
	for (size_t i = 0; i < sizeof(mappings) / sizeof(*mappings); i++) {
		size_t huge = 7, page = 7;
		int ret = tw_smaps_huge_bytes(smaps, mappings[i].address, &huge, &page);

		tap_ok(ret == mappings[i].ret && huge == mappings[i].huge &&
		       page == mappings[i].page, "%s", mappings[i].what);
	}
}

int main(void)
{
	char command[64];

	if (!mkdtemp(scratch))
		return 1;
	check_caches();
	check_nodes();
	check_groups();
	check_addresses();
	check_smaps();
	snprintf(command, sizeof(command), "rm -r %s", scratch);
	if (system(command))
		tap_note("%s is left", scratch);
	return tap_done();
}
