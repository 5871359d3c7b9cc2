/* SPDX-License-Identifier: MIT */
/*
 * Parsers of the counter's rate in texts of the kernel. Internal. They take
 * only text, so that tests can pass their own.
 */
#ifndef TW_MACHINE_TEXT_H
#define TW_MACHINE_TEXT_H

#include <stdint.h>

/**
 * tw_parse_mhz - parse "2593.904" as 2593904
 *
 * The text must have exactly three decimals, with no digit or point after them:
 * other text would not be in whole kHz. Return: 0 for all other text.
 */
uint64_t tw_parse_mhz(const char *text);

/**
 * tw_parse_cpuinfo_khz - find the rate in /proc/cpuinfo of a guest that was told it
 * @text: the file, or its beginning
 *
 * On most machines "cpu MHz" of the first CPU is the core's speed at that
 * moment. It is the counter's rate if the flags have "hypervisor" and
 * "tsc_known_freq", and not "aperfmperf".
 *
 * Return: kHz; 0 if the file does not have the counter's rate.
 */
uint64_t tw_parse_cpuinfo_khz(const char *text);

/**
 * tw_parse_kernel_log_khz - find the counter's rate in the kernel's own messages
 * @text: the log with its prefixes, one message a line
 *
 * Takes the refined calibration if there is one, else the rate that was
 * detected for the counter, else that of the processor. Of several messages of
 * a kind the last one counts.
 *
 * Return: kHz; 0 if there is no such message.
 */
uint64_t tw_parse_kernel_log_khz(const char *text);

#endif
