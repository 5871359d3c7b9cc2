/* SPDX-License-Identifier: MIT */
/*
 * empty_programs TRACEPOINT...: run a program that does nothing at each of these tracepoints of
 * the kernel, until a signal ends this one. Prints "ready" when all of them run. What other
 * programs cost at the same tracepoints, beyond these, is what they do there.
 */
#include <stdio.h>
#include <unistd.h>

#ifdef TW_KERNEL_STAGES
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

/* Return 0, or 1 after a message. */
static int run_at(const char *tracepoint)
{
	const struct bpf_insn nothing[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K },	/* r0 = 0 */
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, options, .expected_attach_type = BPF_TRACE_RAW_TP);
	const int type = libbpf_find_vmlinux_btf_id(tracepoint, BPF_TRACE_RAW_TP);
	int program;

	if (type < 0)
		return fprintf(stderr, "%s: no such tracepoint\n", tracepoint), 1;
	options.attach_btf_id = (__u32)type;
	program = bpf_prog_load(BPF_PROG_TYPE_TRACING, "empty", "Dual MIT/GPL", nothing, 2,
				&options);
	if (program < 0 || bpf_raw_tracepoint_open(NULL, program) < 0)
		return perror(tracepoint), 1;
	return 0;
}
#else
static int run_at(const char *tracepoint)
{
	return fprintf(stderr, "%s: built without libbpf\n", tracepoint), 1;
}
#endif

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (run_at(argv[i]))
			return 1;
	puts("ready");
	fflush(stdout);
	pause();
	return 0;
}
