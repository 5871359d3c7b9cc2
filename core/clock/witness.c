/* SPDX-License-Identifier: MIT */
/*
 * What the machine says about the counter's rate, beside what was measured:
 * the kernel's current clocksource, and witnesses that name a rate. None of
 * them is trusted alone; they confirm or contradict a candidate.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "calibrate.h"
#include "counter/state.h"
#include "estimate/machine.h"

#define CURRENT_CLOCKSOURCE \
	"/sys/devices/system/clocksource/clocksource0/current_clocksource"

int tw_counter_is_clocksource(void)
{
	static const char name[] = TW_COUNTER_CLOCKSOURCE "\n";
	char text[64];
	ssize_t length;
	int fd;

	if (tw_counter_is_emulated())
		return 0;
	fd = open(CURRENT_CLOCKSOURCE, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	length = read(fd, text, sizeof(text));
	close(fd);
	return length == (ssize_t)strlen(name) &&
	       memcmp(text, name, strlen(name)) == 0;
}

/*
 * The page that perf maps for a software event carries the multiplier of
 * sched_clock, made from the same kHz; its 31 bits give the kHz back exactly.
 * Paravirtual clocks leave it empty. 0: not to be had.
 */
static uint32_t perf_page_khz(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
	};
	struct perf_event_mmap_page *page;
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	uint32_t khz = 0;
	int fd;

	fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1,
			  PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return 0;
	page = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	if (page != MAP_FAILED) {
		if (page->cap_user_time && page->time_mult &&
		    page->time_shift < 43)
			khz = (uint32_t)(((1000000ULL << page->time_shift) +
					  page->time_mult / 2) /
					 page->time_mult);
		munmap(page, size);
	}
	close(fd);
	return khz;
}

void tw_kernel_candidates_read(struct tw_kernel_candidates *candidates)
{
	struct tw_processor_facts facts;

	tw_processor_read(&facts);
	*candidates = (struct tw_kernel_candidates) {
#if defined(__x86_64__)
		.every_khz = 1,
#endif
		.declared_hz = facts.declared_hz,
	};
}

enum tw_witness tw_witness_find(uint64_t from_hz)
{
	struct tw_machine machine;
	uint64_t khz = from_hz / 1000;

	if (khz * 1000 == from_hz && perf_page_khz() == khz)
		return TW_WITNESS_PERF;
	tw_machine_read(&machine);
	if (machine.declared_hz == from_hz)
		return TW_WITNESS_DECLARED;
	if (khz * 1000 != from_hz)
		return TW_WITNESS_NONE;
	if (machine.cpuid_khz == khz)
		return TW_WITNESS_CPUID;
	if (machine.hypervisor_khz == khz)
		return TW_WITNESS_HYPERVISOR;
	if (machine.cpuinfo_khz == khz)
		return TW_WITNESS_CPUINFO;
	if (machine.kernel_log_khz == khz)
		return TW_WITNESS_KERNEL_LOG;
	return TW_WITNESS_NONE;
}
