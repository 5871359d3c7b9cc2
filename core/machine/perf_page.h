/* SPDX-License-Identifier: MIT */
/*
 * The counter's rate from the page of a perf event. Internal.
 */
#ifndef TW_MACHINE_PERF_PAGE_H
#define TW_MACHINE_PERF_PAGE_H

#include <stdint.h>

/**
 * tw_perf_page_khz - compute the rate from the multiplier in a perf page
 * @mult, @shift: ns = ticks * mult >> shift
 *
 * Return: kHz; 0 for no multiplier, or one that overflows.
 */
uint64_t tw_perf_page_khz(uint32_t mult, unsigned shift);

/* Read the kernel's rate in kHz; 0 if there is none, or perf is forbidden. */
uint64_t tw_read_perf_page_khz(void);

#endif
