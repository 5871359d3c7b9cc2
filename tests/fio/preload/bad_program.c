/* SPDX-License-Identifier: MIT */
/*
 * Breaks BPF programs that are loaded (LD_PRELOAD), so that the kernel's verifier refuses
 * them: where a long one sets its result to 0, it reads beyond its stack instead. The
 * verifier follows a program until it returns, so its log is long.
 */
#include <dlfcn.h>
#include <linux/bpf.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* libbpf itself loads short ones, to find out what the kernel can do. */
#define LONG_PROGRAM	100

typedef long syscall_function(long number, ...);

/* Return a broken copy. */
static struct bpf_insn *broken(const struct bpf_insn *program, size_t count)
{
	const struct bpf_insn bad = {
		.code = BPF_LDX | BPF_MEM | BPF_DW, .src_reg = BPF_REG_10, .off = 8,
	};
	struct bpf_insn *copy = calloc(count, sizeof(*copy));

	for (size_t i = 0; copy && i < count; i++)
		copy[i] = program[i].code == (BPF_ALU64 | BPF_MOV | BPF_K) &&
			  program[i].dst_reg == BPF_REG_0 && !program[i].imm ? bad : program[i];
	return copy;
}

long syscall(long number, ...)
{
	void *symbol = dlsym(RTLD_NEXT, "syscall");
	syscall_function *real;
	struct bpf_insn *copy = NULL;
	union bpf_attr asked;
	long argument[6], result;
	va_list arguments;

	va_start(arguments, number);
	for (int i = 0; i < 6; i++)
		argument[i] = va_arg(arguments, long);
	va_end(arguments);
	if (number == SYS_bpf && argument[0] == BPF_PROG_LOAD) {
		memset(&asked, 0, sizeof(asked));
		memcpy(&asked, (void *)argument[1], (size_t)argument[2]);
		if (asked.insn_cnt >= LONG_PROGRAM)
			copy = broken((void *)(uintptr_t)asked.insns, asked.insn_cnt);
		if (copy) {
			asked.insns = (uintptr_t)copy;
			argument[1] = (long)&asked;
		}
	}
	memcpy(&real, &symbol, sizeof(real));
	result = real(number, argument[0], argument[1], argument[2], argument[3],
		      argument[4], argument[5]);
	free(copy);
	return result;
}
