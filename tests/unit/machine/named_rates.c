/* SPDX-License-Identifier: MIT */
/*
 * The counter's rate where the kernel or the firmware names it. /proc/cpuinfo has it
 * exactly where the kernel was told it: the first CPU's flags have both words. In the
 * kernel's log, refined comes before detected, counter before processor, and of each the
 * last counts. perf's multiplier gives every kHz back. In a device tree RISC-V has it in
 * /cpus, Power in each processor, there in two widths. A known hypervisor is called by
 * its name.
 *
 * Fails if the momentary clock of a real machine is taken for the counter's rate, if a
 * word is found inside another, if a program's own line is believed, or if malformed text
 * is read past its end. Fails if a division is rounded down or overflows, or if bytes are
 * taken in the machine's own order.
 *
 * Also on other processors.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine/named_rates.h"
#include "machine/processor.h"
#include "tap.h"

#define FLAGS	"flags\t\t: fpu tsc constant_tsc "
#define GUEST	FLAGS "hypervisor tsc_known_freq lahf_lm\n"

#define PROCESSOR	"<6>[    0.000112] tsc: Detected 2600.000 MHz processor\n"
#define COUNTER		"<6>[    0.000113] tsc: Detected 2599.998 MHz TSC\n"
#define REFINED		"<6>[    1.743215] tsc: Refined TSC clocksource " \
			"calibration: 2599.997 MHz\n"

struct text {
	const char *what;
	const char *text;
	uint64_t khz;
};

static const struct text cpuinfos[] = {
	{ "a guest that was told", "processor\t: 0\nmodel name\t: X @ 2.6GHz\n"
	  "cpu MHz\t\t: 2599.998\ncache size\t: 1 KB\n" GUEST "\n", 2599998 },
	{ "flags before the rate", GUEST "cpu MHz\t\t: 2100.000\n", 2100000 },
	{ "no line end", "cpu MHz : 2100.000\nflags : hypervisor tsc_known_freq", 2100000 },
	{ "bare metal", "cpu MHz\t\t: 3411.123\n" FLAGS "tsc_known_freq\n", 0 },
	{ "a guest that was not told", "cpu MHz\t\t: 3411.123\n" FLAGS "hypervisor\n", 0 },
	{ "a guest that sees how fast a core runs", "cpu MHz\t\t: 3411.123\n"
	  FLAGS "hypervisor tsc_known_freq aperfmperf\n", 0 },
	{ "words inside words", "cpu MHz\t\t: 3411.123\n"
	  FLAGS "xhypervisor tsc_known_freqx hypervisor2\n", 0 },
	{ "flags of another name", "cpu MHz\t\t: 3411.123\n"
	  "vmx flags\t: hypervisor tsc_known_freq\n", 0 },
	{ "words of the next line", "cpu MHz\t\t: 3411.123\nflags\t\t: fpu\n"
	  "bugs\t\t: hypervisor tsc_known_freq\n", 0 },
	{ "only the second CPU", "processor\t: 0\nflags\t: fpu\n\n"
	  "processor\t: 1\ncpu MHz\t\t: 2100.000\n" GUEST, 0 },
	{ "not three decimals", "cpu MHz\t\t: 2100.00\n" GUEST, 0 },
	{ "four decimals", "cpu MHz\t\t: 2100.0000\n" GUEST, 0 },
	{ "no number", "cpu MHz\t\t: unknown\n" GUEST, 0 },
	{ "no value", "cpu MHz\t\t:\n" GUEST, 0 },
	{ "no colon", "cpu MHz\nflags\n", 0 },
	{ "no rate", GUEST, 0 },
	{ "nothing", "", 0 },
	{ "cut off", "cpu MHz\t\t: 21", 0 },
	{ "negative", "cpu MHz\t\t: -2100.000\n" GUEST, 0 },
	{ "absurdly long", "cpu MHz\t\t: 21000000000000000000.000\n" GUEST, 0 },
};

static const struct text logs[] = {
	{ "the processor alone", "<5>[    0.000000] Linux version 6\n"
	  PROCESSOR "<6>[    0.1] TSC deadline timer available\n", 2600000 },
	{ "the counter before the processor", PROCESSOR COUNTER, 2599998 },
	{ "and in the other order", COUNTER PROCESSOR, 2599998 },
	{ "refined before all", PROCESSOR COUNTER REFINED, 2599997 },
	{ "and in another order", REFINED PROCESSOR COUNTER, 2599997 },
	{ "the last of two", REFINED "<6>[ 9.0] tsc: Refined TSC clocksource "
	  "calibration: 2600.001 MHz\n", 2600001 },
	{ "no times", "<6>tsc: Detected 2100.000 MHz processor\n", 2100000 },
	{ "with the caller", "<6>[    0.000000][    T0] tsc: Detected "
	  "2100.000 MHz processor\n", 2100000 },
	{ "no prefix, no line end", "tsc: Detected 2100.000 MHz TSC", 2100000 },
	{ "a program's line", "<14>[  9.0] prog: tsc: Detected 1.000 MHz TSC\n", 0 },
	{ "a bad one after a good one", COUNTER
	  "<6>[ 1.0] tsc: Detected 99.9 MHz TSC\n", 2599998 },
	{ "another unit", "<6>[ 1.0] tsc: Detected 2.600 GHz TSC\n", 0 },
	{ "another message", "<6>[ 1.0] tsc: Marking TSC unstable\n", 0 },
	{ "cut off", "<6>[ 1.0] tsc: Detected 2100.0", 0 },
	{ "cut off in the prefix", "<6", 0 },
	{ "cut off in the time", "<6>[    0.0", 0 },
	{ "empty lines", "\n\n\n", 0 },
	{ "nothing", "", 0 },
};

/* Compute perf's multiplier like the kernel for sched_clock: 31 bits at most. */
static uint32_t mult_of(uint64_t khz, unsigned *shift)
{
	uint64_t mult;

	for (*shift = 32; *shift > 0; --*shift) {
		mult = ((1000000ULL << *shift) + khz / 2) / khz;
		if (mult >> 31 == 0)
			break;
	}
	return (uint32_t)mult;
}

static void perf_page(void)
{
	uint64_t khz, wrong = 0, random = tap_seed();
	unsigned shift;

	for (khz = 10000; khz <= 10000000; khz += 1 + tap_random(&random) % 7) {
		uint32_t mult = mult_of(khz, &shift);

		wrong += tw_perf_page_khz(mult, shift) != khz;
	}
	tap_is_u64(wrong, 0, "10 MHz to 10 GHz come back");
	tap_is_u64(tw_perf_page_khz(0, 31), 0, "an empty page");
	tap_is_u64(tw_perf_page_khz(1, 43), 0, "a shift too far");
	tap_is_u64(tw_perf_page_khz(1, 65535), 0, "a shift much too far");
}

#define NARROW	"cpus/timebase-frequency"
#define POWER	"cpus/PowerPC,POWER9@0"

static char base[] = "/tmp/tickwise-device-tree-XXXXXX";
static char path[256];

static const char *in_base(const char *name)
{
	snprintf(path, sizeof(path), "%s/%s", base, name);
	return path;
}

/* @length: 0: make a folder; otherwise a file of @bytes, which is there from now on. */
static void hz_with(const char *name, const char *bytes, size_t length, uint64_t hz,
		    const char *what)
{
	int fd = -1;

	if (!length) {
		mkdir(in_base(name), 0700);
	} else {
		fd = open(in_base(name), O_WRONLY | O_CREAT | O_TRUNC, 0600);
		if (fd < 0 || write(fd, bytes, length) != (ssize_t)length)
			exit(1);
		close(fd);
	}
	tap_is_u64(tw_device_tree_hz(base), hz, what);
}

static void device_tree(void)
{
	char command[64];

	if (!mkdtemp(base))
		exit(1);
	tap_is_u64(tw_device_tree_number(in_base("nothing")), 0, "no file");
	tap_is_u64(tw_device_tree_number(base), 0, "a directory");
	hz_with("another", "", 0, 0, "no /cpus");
	hz_with("cpus", "", 0, 0, "an empty one");
	hz_with(NARROW, "\x00\x98\x96\x80", 4, 10000000, "in /cpus");
	hz_with(NARROW, "\x00\x98\x96", 3, 0, "three bytes are no number");
	hz_with(NARROW, "\0\0\0\0\x00\x98\x96\x80\0", 9, 0, "nor are nine");
	unlink(in_base(NARROW));
	hz_with("cpus/l2-cache@0", "", 0, 0, "a node without one");
	hz_with(POWER, "", 0, 0, "processors without one");
	hz_with(POWER "/timebase-frequency", "\x1e\x84\x80\x00", 4, 512000000,
		"of the processor that has one");
	hz_with(POWER "/ibm,extended-timebase-frequency", "\0\0\0\x01\0\0\0\0", 8,
		1ULL << 32, "64 bits before 32");
	snprintf(command, sizeof(command), "rm -r %s", base);
	if (system(command))
		exit(1);
}

static void hypervisors(void)
{
	static const char *const names[][2] = {
		{ "KVMKVMKVM", "KVM" }, { "VMwareVMware", "VMware" },
		{ "Microsoft Hv", "Hyper-V" }, { "XenVMMXenVMM", "Xen" },
		{ "VBoxVBoxVBox", "VirtualBox" }, { "bhyve bhyve ", "bhyve" },
		{ "Unknown", "Unknown" }, { "", "" },
	};

	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		tap_ok(!strcmp(tw_hypervisor_name(names[i][0]), names[i][1]),
		       "\"%s\" is \"%s\"", names[i][0], names[i][1]);
}

int main(void)
{
	for (size_t i = 0; i < sizeof(cpuinfos) / sizeof(*cpuinfos); i++)
		tap_is_u64(tw_parse_cpuinfo_khz(cpuinfos[i].text), cpuinfos[i].khz,
			   cpuinfos[i].what);
	for (size_t i = 0; i < sizeof(logs) / sizeof(*logs); i++)
		tap_is_u64(tw_parse_kernel_log_khz(logs[i].text), logs[i].khz, logs[i].what);
	perf_page();
	device_tree();
	hypervisors();
	return tap_done();
}
