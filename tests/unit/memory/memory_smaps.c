/* SPDX-License-Identifier: MIT */
/*
 * Reads in smaps how much of a mapping is on huge pages, of either kind. Fails if
 * memory that became huge by accident passes for small, or if a neighbour's lines
 * are taken for its own.
 *
 * Also on other processors.
 */
#include <errno.h>

#include "memory/pages.h"
#include "memory/sysfs.h"
#include "tap.h"

static const char text[] =
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
} cases[] = {
	{ 0x7f0000000000, 0, 6144 << 10, 4096, "transparent in part" },
	{ 0x7f00007fffff, 0, 6144 << 10, 4096, "its last byte, too" },
	{ 0x7f0000a00000, 0, 4096 << 10, 2048 << 10, "reserved" },
	{ 0x7f0001000800, 0, 0, 4096, "small" },
	{ 0x7f0000800000, -ENOENT, 7, 7, "nothing is mapped there" },
	{ 0xffffffffff600000u, -EBADMSG, 7, 7, "a mapping that is not described" },
};

int main(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		size_t huge = 7, page = 7;
		int ret = tw_smaps_huge_bytes(text, cases[i].address, &huge, &page);

		tap_ok(ret == cases[i].ret && huge == cases[i].huge && page == cases[i].page,
		       "%s", cases[i].what);
	}
	tap_ok(tw_number_of("MemFree: 5 kB\nMemAvailable:   12 kB\n", "MemAvailable:") == 12 &&
	       tw_number_of("MemFree: 5 kB\n", "MemAvailable:") == 0 && !tw_number_of(NULL, ""),
	       "a line of meminfo");
	return tap_done();
}
