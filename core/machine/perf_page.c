/* SPDX-License-Identifier: MIT */
/*
 * Finds the counter's rate in the page that perf maps for an event. The page
 * has the multiplier of sched_clock, which the kernel makes from the same kHz
 * as its clocks'.
 */
#include "perf_page.h"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Convert the multiplier: its 31 bits give the kHz exactly. */
uint64_t tw_perf_page_khz(uint32_t mult, unsigned shift)
{
	if (mult == 0 || shift >= 43)
		return 0;
	return ((1000000ULL << shift) + mult / 2) / mult;
}

uint64_t tw_read_perf_page_khz(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
	};
	struct perf_event_mmap_page *page;
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	uint64_t khz = 0;
	int fd;

	fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1,
			  PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return 0;
	page = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	if (page != MAP_FAILED) {
		/* Paravirtual clocks leave the page empty. */
		if (page->cap_user_time)
			khz = tw_perf_page_khz(page->time_mult,
					       page->time_shift);
		munmap(page, size);
	}
	close(fd);
	return khz;
}
