/* SPDX-License-Identifier: MIT */
/*
 * The counter's rate as the kernel and the firmware name it: in texts, in the page of a
 * perf event, in the device tree. Internal. The parsers take only text, so that tests
 * can pass their own.
 */
#ifndef TW_MACHINE_NAMED_RATES_H
#define TW_MACHINE_NAMED_RATES_H

#include <stdint.h>

/* Find the rate in /proc/cpuinfo, or its beginning, of a guest that was told it.
 * Elsewhere "cpu MHz" of the first CPU is the core's speed at that moment. It is the
 * counter's rate if the flags have "hypervisor" and "tsc_known_freq", and not
 * "aperfmperf". Return: kHz; 0. */
uint64_t tw_parse_cpuinfo_khz(const char *text);

/* Find the counter's rate in the kernel's log: the refined calibration if there is one,
 * else the rate that was detected for the counter, else that of the processor. Of
 * several messages of a kind the last one counts. Return: kHz; 0. */
uint64_t tw_parse_kernel_log_khz(const char *text);

/* Read these texts. Return: as the parsers; 0 if the text can't be read, or on a
 * processor where it is about other clocks than the counter. */
uint64_t tw_read_cpuinfo_khz(void);
uint64_t tw_read_kernel_log_khz(void);

/* Compute the rate from the multiplier in a perf page: ns = ticks * mult >> shift.
 * Return: kHz; 0 for no multiplier, or one that overflows. */
uint64_t tw_perf_page_khz(uint32_t mult, unsigned shift);

/* Read the kernel's rate in kHz; 0 if there is none, or perf is forbidden. */
uint64_t tw_read_perf_page_khz(void);

/* Where Linux shows the device tree. */
#define TW_DEVICE_TREE	"/sys/firmware/devicetree/base"

/* Read a property of the device tree, by its file: 4 or 8 bytes, the highest byte
 * first. Return 0 if there is none. */
uint64_t tw_device_tree_number(const char *path);

/* Read the frequency of the time base below @base, normally TW_DEVICE_TREE:
 * timebase-frequency of the node /cpus (RISC-V), or of its first processor that has one
 * (Power: its 64-bit form if there is one). Return: Hz; 0. */
uint64_t tw_device_tree_hz(const char *base);

#endif
