/* SPDX-License-Identifier: MIT */
/*
 * Maps memory on pages of a certain kind. The mapping is in its own range of addresses, with
 * room on both sides. Otherwise the kernel could join it with a neighbour of the same kind, and
 * smaps would describe both together.
 *
 * Reads caches and NUMA nodes from sysfs, and how much memory is available to this machine and
 * to this process's control groups. In a container the root of what can be seen is often the
 * group's own directory, whatever its name in /proc is. So the root's limit always counts.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pages.h"
#include "array.h"
#include "text_file.h"

/* The size of reserved pages if meminfo names none. Memory that is aligned to
 * it can use transparent huge pages from its first byte on. */
#define HUGE_BYTES	(UINT64_C(2) << 20)
#define MAX_NODES	1024
#define MAX_CACHE_INDICES	16
/* From linux/mempolicy.h, which is not always installed. */
#define POLICY_BIND	2

const char *const tw_pages_names[TW_PAGES_KINDS + 1] = {
	"small", "transparent", "reserved",
};

/* Return the line after this one; the end of the text after the last one. */
static const char *next_line(const char *line)
{
	line = strchrnul(line, '\n');
	return line + (*line == '\n');
}

/* Return the number behind @key at the beginning of a line, such as "KEY  123 kB"; 0: there
 * is none, or no text. */
static uint64_t number_of(const char *text, const char *key)
{
	size_t length = strlen(key);

	for (; text && *text; text = next_line(text))
		if (strncmp(text, key, length) == 0)
			return strtoull(text + length, NULL, 10);
	return 0;
}

/* Parse the first line of a mapping. Return 0 for another line. */
static int is_header(const char *line, unsigned long long *from, unsigned long long *to)
{
	return sscanf(line, "%llx-%llx ", from, to) == 2;
}

int tw_smaps_huge_bytes(const char *text, uintptr_t start, size_t *huge_bytes,
			size_t *page_bytes)
{
	static const char *const keys[] = {
		"AnonHugePages:", "ShmemPmdMapped:", "FilePmdMapped:",
		"Private_Hugetlb:", "Shared_Hugetlb:",
	};
	unsigned long long from, to;
	uint64_t huge_kb = 0, page_kb = 0;

	while (*text && !(is_header(text, &from, &to) && start >= from && start < to))
		text = next_line(text);
	if (!*text)
		return -ENOENT;
	for (text = next_line(text); *text && !is_header(text, &from, &to);
	     text = next_line(text)) {
		const char *number = text + strcspn(text, ":") + 1;

		for (size_t i = 0; i < TW_LENGTH(keys); i++)
			if (strncmp(text, keys[i], strlen(keys[i])) == 0)
				huge_kb += strtoull(number, NULL, 10);
		if (strncmp(text, "KernelPageSize:", 15) == 0)
			page_kb = strtoull(number, NULL, 10);
	}
	if (!page_kb)
		return -EBADMSG;
	*huge_bytes = (size_t)huge_kb * 1024;
	*page_bytes = (size_t)page_kb * 1024;
	return 0;
}

static int place(struct tw_memory *memory, size_t align, int node)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE;
	unsigned long nodes[MAX_NODES / (8 * sizeof(long))] = { 0 };
	const unsigned bits = 8 * sizeof(long);
	char *start;

	memory->reserved_bytes = memory->bytes + 2 * align;
	memory->reserved = mmap(NULL, memory->reserved_bytes, PROT_NONE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
				-1, 0);
	if (memory->reserved == MAP_FAILED)
		return -ENOMEM;
	/* Leave room below, too: never start at the very beginning. */
	start = (char *)memory->reserved + align -
		(uintptr_t)memory->reserved % align;
	/* Reserved pages are taken from the pool now. So a pool that is too
	 * small is an error here, and no signal at the first touch. */
	if (memory->pages == TW_PAGES_RESERVED)
		flags = (flags & ~MAP_NORESERVE) | MAP_HUGETLB;
	memory->start = mmap(start, memory->bytes, PROT_READ | PROT_WRITE,
			     flags, -1, 0);
	if (memory->start == MAP_FAILED)
		return errno == EINVAL ? -EOPNOTSUPP : -errno;
	if (node != TW_ANY_NODE) {
		if (node < 0 || node >= MAX_NODES)
			return -EINVAL;
		nodes[(unsigned)node / bits] |= 1ul << (unsigned)node % bits;
		/* The kernel uses one bit less than it is given. */
		if (syscall(SYS_mbind, memory->start, memory->bytes, POLICY_BIND, nodes,
			    (unsigned long)MAX_NODES + 1, 0ul) && (errno != ENOSYS || node))
			return -errno;
	}
	if (memory->pages == TW_PAGES_RESERVED)
		return 0;
	/* A kernel without huge pages refuses both, and then all pages are
	 * small. */
	if (madvise(memory->start, memory->bytes,
		    memory->pages == TW_PAGES_SMALL ? MADV_NOHUGEPAGE :
						      MADV_HUGEPAGE) &&
	    memory->pages == TW_PAGES_TRANSPARENT)
		return -EOPNOTSUPP;
	return 0;
}

const char *tw_pages_why_not(int error, enum tw_pages pages)
{
	switch (error) {
	case -ENOMEM:
		return pages == TW_PAGES_RESERVED ?
		       "too few are reserved (see vm.nr_hugepages)" :
		       "too little memory";
	case -EOPNOTSUPP:
		if (pages == TW_PAGES_SMALL)
			return "the kernel gave huge ones anyway";
		return pages == TW_PAGES_RESERVED ? "this kernel has none" :
		       "none is available (see /sys/kernel/mm/"
		       "transparent_hugepage/enabled)";
	case -EINVAL:
		return "there is no such NUMA node";
	case -EPERM:
		return "not allowed on this NUMA node";
	default:
		return strerror(-error);
	}
}

static size_t huge_page_bytes(enum tw_pages pages)
{
	char *text = pages == TW_PAGES_RESERVED ? tw_text_file("/proc/meminfo") : NULL;
	size_t kb = (size_t)number_of(text, "Hugepagesize:");

	free(text);
	return kb ? kb * 1024 : HUGE_BYTES;
}

size_t tw_pages_rounded(size_t bytes, enum tw_pages pages)
{
	size_t whole = pages == TW_PAGES_SMALL ? (size_t)sysconf(_SC_PAGESIZE) :
						 huge_page_bytes(pages);

	return (bytes + whole - 1) / whole * whole;
}

int tw_memory_map(struct tw_memory *memory, size_t bytes, enum tw_pages pages, int node)
{
	size_t small = (size_t)sysconf(_SC_PAGESIZE);
	struct tw_memory out = { .pages = pages };
	char *text;
	int ret;

	if (bytes == 0 || bytes > SIZE_MAX / 4)
		return -ENOMEM;
	out.bytes = tw_pages_rounded(bytes, pages);
	ret = place(&out, huge_page_bytes(pages), node);
	if (!ret) {
		/* Touch all pages, so that all exist and belong to this process. */
		for (size_t i = 0; i < out.bytes; i += small)
			*(volatile char *)(out.start + i) = 1;
		text = tw_text_file("/proc/self/smaps");
		ret = text ? tw_smaps_huge_bytes(text, (uintptr_t)out.start, &out.huge_bytes,
						 &out.page_bytes) : -errno;
		free(text);
	}
	if (!ret && ((pages == TW_PAGES_SMALL && out.huge_bytes) ||
		     (pages == TW_PAGES_TRANSPARENT && !out.huge_bytes)))
		ret = -EOPNOTSUPP;
	if (ret)
		tw_memory_unmap(&out);
	else
		*memory = out;
	return ret;
}

void tw_memory_unmap(struct tw_memory *memory)
{
	if (memory->reserved && memory->reserved != MAP_FAILED)
		munmap(memory->reserved, memory->reserved_bytes);
	*memory = (struct tw_memory) { 0 };
}

/* ---- caches and nodes ---- */

/* Read a cache's attribute, such as "48K", "2048K", "32M" or "2"; 0: it is no size, or there is
 * none. */
static size_t size_of(const char *base, unsigned cpu, unsigned index, const char *name)
{
	static const char units[] = "\nKMG";
	char *text = tw_text_file("%s/cpu%u/cache/index%u/%s", base, cpu, index, name), *end = text;
	unsigned long long number = text ? strtoull(text, &end, 10) : 0;
	const char *unit = end && *end ? strchr(units, *end) : units;
	int is_size = end != text && *text != '-' && number <= SIZE_MAX >> 31 && unit;

	free(text);
	return is_size ? (size_t)number << 10 * (unit - units) : 0;
}

static int smaller_first(const void *left, const void *right)
{
	const struct tw_cache *a = left, *b = right;

	return tw_compare(a->level, b->level) ?: tw_compare(a->bytes, b->bytes);
}

unsigned tw_caches_read(struct tw_cache caches[TW_CACHES], const char *base, unsigned cpu)
{
	unsigned count = 0;

	for (unsigned i = 0; i < MAX_CACHE_INDICES && count < TW_CACHES; i++) {
		char *type = tw_text_file("%s/cpu%u/cache/index%u/type", base, cpu, i);
		char *shared = tw_text_file("%s/cpu%u/cache/index%u/shared_cpu_list", base, cpu, i);
		struct tw_cpu_list sharers = { 0 };
		struct tw_cache *cache = &caches[count];

		if (shared)
			tw_cpu_list_parse(&sharers, shared);
		*cache = (struct tw_cache) {
			.level = (unsigned)size_of(base, cpu, i, "level"),
			.bytes = size_of(base, cpu, i, "size"),
			.line_bytes = size_of(base, cpu, i, "coherency_line_size"),
			.shared_by = tw_cpu_list_count(&sharers),
		};
		/* One that holds data. */
		count += type && strncmp(type, "Instruction", 11) != 0 && cache->bytes &&
			 cache->level;
		free(type);
		free(shared);
	}
	qsort(caches, count, sizeof(*caches), smaller_first);
	return count;
}

void tw_memory_nodes(struct tw_cpu_list *nodes, const char *path)
{
	char *text = tw_text_file("%s", path);

	*nodes = (struct tw_cpu_list) { 0 };
	if (text)
		tw_cpu_list_parse(nodes, text);
	free(text);
	if (!tw_cpu_list_count(nodes))
		tw_cpu_list_add(nodes, 0);
}

/* ---- available memory ---- */

/* One version of control groups: where memory's groups are below the root, the controller's
 * name in /proc/self/cgroup, file names, and keys in memory.stat. */
static const struct version {
	const char *below, *controller;
	const char *limits[2], *usage;	/* above the second one, tasks are slowed down */
	const char *inactive, *active;
} versions[] = {
	{ "", "", { "memory.max", "memory.high" }, "memory.current", "inactive_file ",
	  "active_file " },
	{ "/memory", "memory", { "memory.limit_in_bytes", "memory.limit_in_bytes" },
	  "memory.usage_in_bytes", "total_inactive_file ", "total_active_file " },
};

static uint64_t number_in(const char *group, const char *name, uint64_t none)
{
	char *text = tw_text_file("%s/%s", group, name);
	uint64_t number = text && *text >= '0' && *text <= '9' ?
			  strtoull(text, NULL, 10) : none;

	free(text);
	return number;
}

/* Return the least that is left, from this process's group up to the root. */
static uint64_t least_left(const char *root, const char *membership,
			   const struct version *version)
{
	const char *group = membership ? tw_cgroup_of(membership, version->controller) : NULL;
	uint64_t least = UINT64_MAX;
	size_t root_length = strlen(root) + strlen(version->below);
	char path[PATH_MAX];

	/* A group outside of what can be seen begins with "/..". */
	if (!group || strncmp(group, "/..", 3) == 0)
		group = "";
	if (snprintf(path, sizeof(path), "%s%s%.*s", root, version->below,
		     (int)strcspn(group, "\n"), group) >= (int)sizeof(path))
		return UINT64_MAX;
	for (;;) {
		uint64_t max = number_in(path, version->limits[0], UINT64_MAX);
		uint64_t high = number_in(path, version->limits[1], UINT64_MAX);
		uint64_t limit = high < max ? high : max;
		uint64_t usage = number_in(path, version->usage, 0), cached, left;
		char *stat = tw_text_file("%s/memory.stat", path), *slash = strrchr(path, '/');

		cached = number_of(stat, version->inactive) + number_of(stat, version->active);
		free(stat);
		usage -= cached < usage ? cached : usage;
		left = limit == UINT64_MAX ? limit : limit > usage ? limit - usage : 0;
		if (left < least)
			least = left;
		if (!slash || (size_t)(slash - path) < root_length)
			return least;
		*slash = '\0';
	}
}

uint64_t tw_group_left(const char *root, const char *membership)
{
	uint64_t newer = least_left(root, membership, &versions[0]);
	uint64_t older = least_left(root, membership, &versions[1]);

	return newer < older ? newer : older;
}

/* Return how much of RLIMIT_AS is left. */
static uint64_t addresses_left(void)
{
	char *text = tw_text_file("/proc/self/statm");
	uint64_t used = number_of(text, "") * (uint64_t)sysconf(_SC_PAGESIZE);
	struct rlimit limit;

	free(text);
	if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return UINT64_MAX;
	return limit.rlim_cur > used ? limit.rlim_cur - used : 0;
}

/* For the program itself, and of each byte for its page tables. */
#define KEPT_BYTES	((uint64_t)4 << 20)
#define KEPT_PART	64

uint64_t tw_memory_available(void)
{
	char *text = tw_text_file("/proc/meminfo");
	char *membership = tw_text_file("/proc/self/cgroup");
	uint64_t left = number_of(text, "MemAvailable:") * 1024, kept;
	uint64_t others[] = { tw_group_left(TW_GROUPS_ROOT, membership), addresses_left() };

	free(text);
	free(membership);
	left = left ? left : UINT64_MAX;
	for (unsigned i = 0; i < 2; i++)
		if (others[i] < left)
			left = others[i];
	kept = KEPT_BYTES + left / KEPT_PART;
	return left == UINT64_MAX ? left : left > kept ? left - kept : 0;
}
