# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# What the benches of programs in the kernel share; to be sourced, by root. Goes to a
# scratch folder. At the end the kernel's account of programs (bpf_stats) is as before.

# shellcheck disable=SC2034 # the scripts use it
bpftool=$(PATH=$PATH:/usr/sbin:/sbin command -v bpftool)
account=/proc/sys/kernel/bpf_stats_enabled
before=$(cat "$account")
scratch=$(mktemp -d)
trap 'exec 9>&-; echo "$before" >"$account"; wait; rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
cd "$scratch" || exit 1
mkfifo end

# A --exec_postrun of fio. Prints the programs that the job's process, or fio's above it,
# has links to, and the empty ones.
cat >programs.sh <<'END_OF_FILE'
above=$(sed -n 's/^PPid:[^0-9]*//p' /proc/$PPID/status)
{
	sed -n 's/^prog_id:[^0-9]*//p' "/proc/$PPID/fdinfo/"* \
		"/proc/$above/fdinfo/"* "/proc/$(cat empty.pid)/fdinfo/"* 2>/dev/null
} | sort -un | while read -r id; do
	"$1" -j prog show id "$id"
done
END_OF_FILE

# make_empty POINT NAME...: builds empty programs of these names, at these tracepoints
make_empty()
{
	{
		while [ $# -gt 0 ]; do
			printf '__attribute__((section("tp_btf/%s"), used)) int %s%s\n' \
				"$1" "$2" '(void *arguments) { return 0; }'
			shift 2
		done
		echo 'char LICENSE[] __attribute__((section("license"), used)) = "GPL";'
	} >empty.bpf.c
	cat >empty.c <<'END_OF_FILE'
#include <bpf/libbpf.h>
#include <stdio.h>
int main(void)
{
	struct bpf_object *object = bpf_object__open_file("empty.bpf.o", 0);
	struct bpf_program *program;

	if (!object || bpf_object__load(object))
		return 1;
	bpf_object__for_each_program(program, object)
		if (!bpf_program__attach(program))
			return 1;
	puts("loaded");
	fclose(stdout);
	getchar();		/* until the script closes the pipe */
	return 0;
}
END_OF_FILE
	clang -g -O2 -target bpf -c empty.bpf.c -o empty.bpf.o
	cc -o empty empty.c -lbpf
}

# begin_empty: attaches them, until descriptor 9 is closed
begin_empty()
{
	exec 9<>end
	rm -f empty.out
	./empty <end 9>&- >empty.out &
	echo $! >empty.pid
	while ! [ -s empty.out ]; do sleep 0.1; done
}
