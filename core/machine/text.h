/* SPDX-License-Identifier: MIT */
/*
 * Parsers of what the kernel prints about the counter's rate. Internal. They take
 * text and nothing else, so that tests can bring their own.
 */
#ifndef TW_MACHINE_TEXT_H
#define TW_MACHINE_TEXT_H

#include <stdint.h>

/**
 * tw_parse_mhz - "2593.904" to 2593904
 *
 * Exactly three decimals, and neither digit nor point after them: anything
 * else would have another resolution than a kHz. Return: 0 for all other text.
 */
uint64_t tw_parse_mhz(const char *text);

/**
 * tw_parse_cpuinfo_khz - the rate in /proc/cpuinfo of a guest that was told it
 * @text: the file, or its beginning
 *
 * "cpu MHz" of the first CPU is its momentary clock on most machines. It is the
 * counter's rate where the flags have both "hypervisor" and "tsc_known_freq".
 *
 * Return: kHz; 0 where it is not that.
 */
uint64_t tw_parse_cpuinfo_khz(const char *text);

/**
 * tw_parse_kernel_log_khz - the counter's rate in the kernel's own messages
 * @text: the log with its prefixes, one message a line
 *
 * The refined calibration if there was one, else the rate detected for the
 * counter, else that of the processor; of each the last.
 *
 * Return: kHz; 0 if there is no such message.
 */
uint64_t tw_parse_kernel_log_khz(const char *text);

#endif
