/* SPDX-License-Identifier: MIT */
/*
 * What changes a watch reports besides verdicts. Fails if an offset that moved goes
 * unseen because each single step was small, or if wider intervals around the same
 * offset count as moving. Fails also if rates change without a word or by noise
 * alone, or if a CPU's coming and going gives only a number.
 */
#include <stdio.h>
#include <string.h>

#include "command/check/sequel.h"
#include "tap.h"

static struct tw_check before, now;
static char text[2048];

static void says(const char *should, const char *what)
{
	FILE *out = fmemopen(text, sizeof(text), "w");

	tw_check_compare_cpus(out, &before, &now);
	tw_check_compare_facts(out, &before, &now);
	fputc('\0', out);
	fclose(out);
	if (!tap_ok(strcmp(text, should) == 0, "%s", what))
		tap_note("is '%s'", text);
	now = before;
}

static void facts(void)
{
	memset(&before, 0, sizeof(before));
	before.result.hz = 2.1e9;
	before.machine.kernel_log_khz = 2100000;
	strcpy(before.machine.processor, "A");
	tw_cpu_list_parse(&before.cpus.machine.online, "0-3");
	tw_cpu_list_parse(&before.cpus.judged, "0-3");
	now = before;
	says("", "nothing changed");
	tw_cpu_list_parse(&now.cpus.machine.online, "0-1,5");
	tw_cpu_list_parse(&now.cpus.judged, "0-1");
	says("online CPUs: 2-3 gone\nonline CPUs: 5 new\n"
	     "judged CPUs: 2-3 gone\n", "CPUs");
	now.cpus.judged.known = 0;
	says("", "what is not known any more did not go");
	now.result.hz = 2.1e9 * (1 + 499e-6);
	says("", "noise of the measured rate");
	now.result.hz = 2.1e9 * (1 - 600e-6);
	says("measured rate: 2098.740 MHz, was 2100.000 MHz (-600 ppm)\n",
	     "the measured rate");
	now.machine.kernel_log_khz = 2100001;
	now.machine.perf_page_khz = 2100000;
	says("rate named by the kernel log: 2100.001 MHz, was 2100.000 MHz\n"
	     "rate named by the kernel's perf page: 2100.000 MHz, was none\n",
	     "the kernel's rates");
	now.counter.state = TW_COUNTER_TRAPPED;
	now.counter.clock_is_call = 1;
	says("counter: trapped (every read of the counter is caught and "
	     "answered by software), was ok\n"
	     "clock_gettime() is a system call: yes, was no\n",
	     "the counter's state");
	strcpy(now.machine.processor, "B");
	strcpy(now.machine.hypervisor, "KVM");
	says("processor: B, was A\nhypervisor: KVM, was none\n",
	     "another host");
	strcpy(now.machine.processor, "B\x1b[2J\n\x9b");
	says("processor: B?[2J??, was A\n", "a name that a terminal would obey");
}

/* One more check with one pair. */
static void step(struct tw_check_offsets *seen, int64_t low, int64_t high,
		 const char *should, const char *what)
{
	struct tw_cpu_offset pair = {
		.base_cpu = 0, .cpu = 4, .low_ticks = low, .high_ticks = high,
	};
	struct tw_reliability result = {
		.pairs = 1, .offsets = &pair, .hz = 1e9,
	};
	FILE *out = fmemopen(text, sizeof(text), "w");

	tw_check_compare_offsets(out, seen, &result);
	fputc('\0', out);
	fclose(out);
	if (!tap_ok(strcmp(text, should) == 0, "%s", what))
		tap_note("is '%s'", text);
}

static void offsets(void)
{
	struct tw_check_offsets seen = { 0 };
	struct tw_cpu_offset pairs[] = {
		{ .base_cpu = 0, .cpu = 2, .low_ticks = 900, .high_ticks = 999 },
		{ .base_cpu = 0, .cpu = 4, .low_ticks = 300, .high_ticks = 350 },
	};
	struct tw_reliability result = {
		.pairs = 2, .offsets = pairs, .hz = 1e9,
	};
	FILE *out;

	step(&seen, -100, 100, "", "the first");
	step(&seen, -INT64_MAX, INT64_MAX, "", "no bound");
	step(&seen, 50, 250, "", "half of it elsewhere");
	step(&seen, 100, 300, "", "they touch");
	step(&seen, 101, 350, "CPU 4 moved against CPU 0: ahead by +101.0 ns "
	     "to +350.0 ns, was +100.0 ns to +100.0 ns\n",
	     "moved, though each met the one before");
	step(&seen, 300, INT64_MAX, "", "known anew from there on");
	out = fmemopen(text, sizeof(text), "w");
	tw_check_compare_offsets(out, &seen, &result);
	fputc('\0', out);
	fclose(out);
	tap_ok(!*text, "another pair is new, not moved");
	step(&seen, -9, 299, "CPU 4 moved against CPU 0: ahead by -9.0 ns to "
	     "+299.0 ns, was +300.0 ns to +350.0 ns\n", "back again");
	step(&seen, -50, 299, "", "a wider interval on the low side");
	step(&seen, -50, -10, "CPU 4 moved against CPU 0: ahead by -50.0 ns "
	     "to -10.0 ns, was -9.0 ns to +299.0 ns\n",
	     "did not make room for a move there");
	tw_check_forget_offsets(&seen);
}

int main(void)
{
	facts();
	offsets();
	return tap_done();
}
