/* SPDX-License-Identifier: MIT */
/*
 * Reads the time base's frequency in a device tree: RISC-V has it in /cpus, Power
 * in each processor, there in two widths. Fails if bytes are taken in the machine's
 * own order, or if a node without the property ends the search. Fails also if a
 * property of another length is read as a number.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine/named_rates.h"
#include "tap.h"

#define NARROW	"timebase-frequency"
#define WIDE	"ibm,extended-timebase-frequency"

static char base[] = "/tmp/tickwise-device-tree-XXXXXX";
static char path[256];

static const char *in_base(const char *name)
{
	snprintf(path, sizeof(path), "%s/%s", base, name);
	return path;
}

static void write_bytes(const char *name, const char *bytes, size_t length)
{
	int fd = open(in_base(name), O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || write(fd, bytes, length) != (ssize_t)length)
		exit(1);
	close(fd);
}

static void hz_is(uint64_t hz, const char *what)
{
	tap_is_u64(tw_device_tree_hz(base), hz, what);
}

static void riscv(void)
{
	hz_is(0, "no /cpus");
	mkdir(in_base("cpus"), 0700);
	hz_is(0, "an empty one");
	write_bytes("cpus/" NARROW, "\x00\x98\x96\x80", 4);
	hz_is(10000000, "in /cpus");
	write_bytes("cpus/" NARROW, "\x00\x98\x96", 3);
	hz_is(0, "three bytes are no number");
	write_bytes("cpus/" NARROW, "\0\0\0\0\x00\x98\x96\x80\0", 9);
	hz_is(0, "nor are nine");
	unlink(in_base("cpus/" NARROW));
}

static void power(void)
{
	mkdir(in_base("cpus/l2-cache@0"), 0700);
	mkdir(in_base("cpus/PowerPC,POWER9@0"), 0700);
	hz_is(0, "processors without one");
	write_bytes("cpus/PowerPC,POWER9@0/" NARROW, "\x1e\x84\x80\x00", 4);
	hz_is(512000000, "of the processor that has one");
	write_bytes("cpus/PowerPC,POWER9@0/" WIDE, "\0\0\0\x01\0\0\0\0", 8);
	hz_is(1ULL << 32, "64 bits before 32");
	unlink(in_base("cpus/PowerPC,POWER9@0/" WIDE));
	unlink(in_base("cpus/PowerPC,POWER9@0/" NARROW));
	rmdir(in_base("cpus/PowerPC,POWER9@0"));
	rmdir(in_base("cpus/l2-cache@0"));
}

int main(void)
{
	if (!mkdtemp(base))
		return 1;
	tap_is_u64(tw_device_tree_number(in_base("nothing")), 0, "no file");
	tap_is_u64(tw_device_tree_number(base), 0, "a directory");
	riscv();
	power();
	rmdir(in_base("cpus"));
	rmdir(base);
	return tap_done();
}
