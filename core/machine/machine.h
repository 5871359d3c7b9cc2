/* SPDX-License-Identifier: MIT */
/*
 * Facts about the machine, one by one, and the parsers behind them. Internal.
 * Parsers take text and nothing else, so that tests can bring their own.
 */
#ifndef TW_ESTIMATE_MACHINE_H
#define TW_ESTIMATE_MACHINE_H

#include <stddef.h>
#include <stdint.h>

/* What the processor, or the firmware for it, says; as in struct tw_machine. */
struct tw_processor_facts {
	char processor[64];
	char hypervisor[16];
	int invariant;
	int has_read_with_cpu;
	uint64_t cpuid_khz;
	uint64_t hypervisor_khz;
	uint64_t declared_hz;
};

/* machine_x86_64.c, machine_aarch64.c; others: machine_device_tree.c. */
void tw_processor_read(struct tw_processor_facts *facts);

/* Where Linux shows the device tree. */
#define TW_DEVICE_TREE	"/sys/firmware/devicetree/base"

/**
 * tw_device_tree_number - one property of the device tree that is a number
 * @path: its file: 4 or 8 bytes, the highest first
 *
 * Return: the number; 0 if there is none.
 */
uint64_t tw_device_tree_number(const char *path);

/**
 * tw_device_tree_hz - the frequency of the time base in a device tree
 * @base: its directory, normally TW_DEVICE_TREE
 *
 * timebase-frequency of the node /cpus (RISC-V) or of its first processor that
 * has one (Power; there its 64-bit form, if given).
 *
 * Return: Hz; 0 if there is none.
 */
uint64_t tw_device_tree_hz(const char *base);

/**
 * tw_perf_page_khz - the rate behind a perf page's multiplier
 * @mult, @shift: ns = ticks * mult >> shift
 *
 * Return: kHz; 0 for no multiplier, or one that overflows.
 */
uint64_t tw_perf_page_khz(uint32_t mult, unsigned shift);

/* The kernel's; 0 where there is none, or perf is forbidden. */
uint64_t tw_read_perf_page_khz(void);

/**
 * tw_allowed_cpus - numbers of the CPUs the calling thread may run on
 * @cpus: allocated, rising; free() it
 * @count: how many
 *
 * Numbers of 1024 and more are found: the set grows until the kernel's fits.
 *
 * Return: 0; -ENOMEM; -errno of sched_getaffinity().
 */
int tw_allowed_cpus(unsigned **cpus, unsigned *count);

/* The calling thread, to one CPU. Return: 0; -ENOMEM; -errno of
 * sched_setaffinity(). */
int tw_pin_to_cpu(unsigned cpu);

/* The kernel's current clocksource, "" if it can't be read. */
void tw_read_clocksource(char *name, size_t size);

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
