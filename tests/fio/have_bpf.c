/* SPDX-License-Identifier: MIT */
/*
 * Exit 0 if this process may load a program into the kernel that reads the kernel's
 * memory at a tracepoint, and may share memory with the program. Else exit 1, with
 * the reason on stderr, and tests of the engine's program are skipped. A container,
 * a filter of system calls or a lockdown refuses this small program, too.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int refused(const char *what)
{
	fprintf(stderr, "bpf(%s): %s\n", what, strerror(errno));
	return 1;
}

static int call(int command, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, command, attr, sizeof(*attr));
}

/* Load bpf_probe_read_kernel() of 8 bytes at address 0 to the stack; it returns 0. */
static int load(void)
{
	static const struct bpf_insn program[] = {
		{ .code = 0xbf, .dst_reg = 1, .src_reg = 10 },	/* r1 = r10 */
		{ .code = 0x07, .dst_reg = 1, .imm = -8 },	/* r1 += -8 */
		{ .code = 0xb7, .dst_reg = 2, .imm = 8 },	/* r2 = 8 */
		{ .code = 0xb7, .dst_reg = 3, .imm = 0 },	/* r3 = 0 */
		{ .code = 0x85, .imm = BPF_FUNC_probe_read_kernel },
		{ .code = 0xb7, .dst_reg = 0, .imm = 0 },	/* r0 = 0 */
		{ .code = 0x95 },				/* exit */
	};
	union bpf_attr attr = { .prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT };

	attr.insns = (uintptr_t)program;
	attr.insn_cnt = sizeof(program) / sizeof(program[0]);
	attr.license = (uintptr_t)"GPL";
	return call(BPF_PROG_LOAD, &attr);
}

int main(void)
{
	union bpf_attr map = { .map_type = BPF_MAP_TYPE_ARRAY };
	union bpf_attr point = { 0 };
	int program;

	map.key_size = 4;
	map.value_size = 64;
	map.max_entries = 64;
	map.map_flags = BPF_F_MMAPABLE;
	if (call(BPF_MAP_CREATE, &map) < 0)
		return refused("BPF_MAP_CREATE");
	program = load();
	if (program < 0)
		return refused("BPF_PROG_LOAD");
	point.raw_tracepoint.name = (uintptr_t)"block_rq_complete";
	point.raw_tracepoint.prog_fd = (__u32)program;
	if (call(BPF_RAW_TRACEPOINT_OPEN, &point) < 0)
		return refused("BPF_RAW_TRACEPOINT_OPEN");
	return 0;
}
