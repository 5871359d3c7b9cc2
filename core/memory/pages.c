/* SPDX-License-Identifier: MIT */
/*
 * Maps memory on pages of a certain kind. The mapping is in its own range of
 * addresses, with room on both sides. Otherwise the kernel could join it with a
 * neighbour of the same kind, and smaps would describe both together.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pages.h"
#include "sysfs.h"
#include "text_file.h"

/* The size of reserved pages if meminfo names none. Memory that is aligned to
 * it can use transparent huge pages from its first byte on. */
#define HUGE_BYTES	(UINT64_C(2) << 20)
#define MAX_NODES	1024
/* From linux/mempolicy.h, which is not always installed. */
#define POLICY_BIND	2

const char *const tw_pages_names[TW_PAGES_KINDS + 1] = {
	"small", "transparent", "reserved",
};

static size_t reserved_page_bytes(void)
{
	char *text = tw_text_file("/proc/meminfo");
	size_t bytes = (size_t)tw_number_of(text, "Hugepagesize:") * 1024;

	free(text);
	return bytes ? bytes : HUGE_BYTES;
}

static int bind_to_node(void *start, size_t bytes, int node)
{
	unsigned long nodes[MAX_NODES / (8 * sizeof(long))] = { 0 };
	const unsigned bits = 8 * sizeof(long);

	if (node == TW_ANY_NODE)
		return 0;
	if (node < 0 || node >= MAX_NODES)
		return -EINVAL;
	nodes[(unsigned)node / bits] |= 1ul << (unsigned)node % bits;
	/* The kernel uses one bit less than it is given. */
	if (syscall(SYS_mbind, start, bytes, POLICY_BIND, nodes,
		    (unsigned long)MAX_NODES + 1, 0ul))
		return errno == ENOSYS && node == 0 ? 0 : -errno;
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
		text = tw_next_line(text);
	if (!*text)
		return -ENOENT;
	for (text = tw_next_line(text); *text && !is_header(text, &from, &to);
	     text = tw_next_line(text)) {
		const char *number = text + strcspn(text, ":") + 1;

		for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
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

static int look(struct tw_memory *memory)
{
	char *text = tw_text_file("/proc/self/smaps");
	int ret;

	if (!text)
		return -errno;
	ret = tw_smaps_huge_bytes(text, (uintptr_t)memory->start,
				  &memory->huge_bytes, &memory->page_bytes);
	free(text);
	if (ret)
		return ret;
	if ((memory->pages == TW_PAGES_SMALL && memory->huge_bytes) ||
	    (memory->pages == TW_PAGES_TRANSPARENT && !memory->huge_bytes))
		return -EOPNOTSUPP;
	return 0;
}

static int place(struct tw_memory *memory, size_t align, int node)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE;
	char *start;
	int ret;

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
	ret = bind_to_node(memory->start, memory->bytes, node);
	if (ret || memory->pages == TW_PAGES_RESERVED)
		return ret;
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

int tw_memory_map(struct tw_memory *memory, size_t bytes, enum tw_pages pages,
		  int node)
{
	size_t small = (size_t)sysconf(_SC_PAGESIZE);
	size_t align = pages == TW_PAGES_RESERVED ? reserved_page_bytes() :
						    HUGE_BYTES;
	size_t whole = pages == TW_PAGES_SMALL ? small : align;
	struct tw_memory out = { .pages = pages };
	int ret;

	if (bytes == 0 || bytes > SIZE_MAX / 4)
		return -ENOMEM;
	out.bytes = (bytes + whole - 1) / whole * whole;
	ret = place(&out, align, node);
	if (!ret) {
		/* Touch all pages, so that all exist and belong to this process. */
		for (size_t i = 0; i < out.bytes; i += small)
			*(volatile char *)(out.start + i) = 1;
		ret = look(&out);
	}
	if (ret) {
		tw_memory_unmap(&out);
		return ret;
	}
	*memory = out;
	return 0;
}

void tw_memory_unmap(struct tw_memory *memory)
{
	if (memory->reserved && memory->reserved != MAP_FAILED)
		munmap(memory->reserved, memory->reserved_bytes);
	*memory = (struct tw_memory) { 0 };
}
