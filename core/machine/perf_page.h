/* SPDX-License-Identifier: MIT */
/*
 * The counter's rate from a page of perf's. Internal.
 */
#ifndef TW_MACHINE_PERF_PAGE_H
#define TW_MACHINE_PERF_PAGE_H

#include <stdint.h>

/**
 * tw_perf_page_khz - the rate behind a perf page's multiplier
 * @mult, @shift: ns = ticks * mult >> shift
 *
 * Return: kHz; 0 for no multiplier, or one that overflows.
 */
uint64_t tw_perf_page_khz(uint32_t mult, unsigned shift);

/* The kernel's; 0 where there is none, or perf is forbidden. */
uint64_t tw_read_perf_page_khz(void);

#endif
