#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The loader of the program that stamps I/Os inside the kernel compiles without
# warnings both ways: with libbpf, and without, where it reports that it was built
# so. make without clang, bpftool and libbpf builds the engine without the program,
# links no libbpf and tells so in one line. Fails if the variant that is not built
# here breaks.
. "$(dirname "$0")/../../../tap.sh"

cc=${CC:-cc}
build=${TW_BUILD:-$root/build}
cd "$scratch" || exit 1

# compiles NAME FLAG...: compiles NAME.o as the Makefile does, and lists its functions
compiles()
{
	object=$1.o
	shift
	"$cc" -std=gnu11 -O2 -Wall -Wextra -Werror -Wno-unused-parameter \
		-D_GNU_SOURCE -I"$root/plugin" -I"$root/core" "$@" -c -o "$object" \
		"$root/plugin/kernel/stages/kernel_stages.c" 2>"$err" || {
		sed 's/^/# /' "$err"
		return 1
	}
	nm "$object" | awk '$2 == "T" { print $3 }' | sort | tr '\n' ' ' \
		>"$object.names"
}

of_jobs='tw_kernel_expect tw_kernel_forget tw_kernel_is_own tw_kernel_load '
of_jobs=$of_jobs'tw_kernel_made tw_kernel_missed '
functions=$of_jobs'tw_loader_expect tw_loader_followed tw_loader_forget '
functions=$functions'tw_loader_free tw_loader_load tw_loader_made tw_loader_missed tw_loader_stamps '
compiles without
ok $? 'without libbpf'
is "$(cat without.o.names)" "$of_jobs" 'its functions'
is "$(nm -u without.o | grep -c bpf)" 0 'which call none of libbpf'
cat >main.c <<'END'
#include <stdio.h>
#include "kernel/stages/kernel_stages.h"

int main(void)
{
	struct tw_kernel kernel = { .base = 1 };

	puts(tw_kernel_load(64, false));
	tw_kernel_expect(&kernel, 64);
	puts(kernel.why);
	printf("%d %d\n", kernel.stamps != NULL, tw_kernel_made(&kernel));
	tw_kernel_forget(&kernel);
	return 0;
}
END
# TW_SANITIZE: flags, or nothing.
"$cc" -std=gnu11 -D_GNU_SOURCE -I"$root/plugin" -I"$root/core" $TW_SANITIZE -o main main.c \
	without.o "$root/plugin/kernel/program.c" "$root/plugin/helper/client/helper_client.c" \
	"$build/libtickwise.a" -lm -pthread
is "$(./main | sed 's/ (.*//' | uniq)" "this engine was built without it
0 0" 'which say so, and have no stamps'

is "$(cd "$root/plugin" && grep -rl libbpf_set_print .)" ./kernel/program.c \
	'all programs have one switch for the messages of libbpf'

# -n builds nothing; in an empty directory nothing is up to date.
made()
{
	env -u MAKEFLAGS -u MAKELEVEL make -n -C "$root" --no-print-directory \
		B="$scratch/$1" CC="$cc" "KERNEL_STAGES=$2" plugin 2>"$err"
}
made off '' >off.make
ok $? 'make KERNEL_STAGES='
is "$(grep -c 'echo .the engine is built without the stages inside' off.make)" 1 \
	'says once that it is without'
is "$(grep -cE -e '-lbpf|TW_KERNEL_STAGES|clang.*target bpf' off.make)" 0 \
	'and takes nothing of it'
made on 1 >on.lines
ok $? 'make KERNEL_STAGES=1'
# One command a line.
sed -e ':more' -e '/\\$/ { N; s/\\\n//; b more; }' on.lines >on.make
is "$(grep -c 'the engine is built without' on.make)" 0 'says nothing'
is "$(grep -cE -e '-o [^ ]*/tickwise(-cmd)?\.so .*-lbpf' on.make) \
$(grep -c 'TW_KERNEL_STAGES.*/alone/kernel/stages/kernel_stages\.o' on.make) \
$(grep -c 'clang.*target bpf.*/stages\.bpf\.c' on.make)" '2 1 1' 'and links libbpf to both engines'

if [ ! -s "$build/plugin/kernel/stages/stages.skel.h" ]; then
	tap_count=$((tap_count + 1))
	echo "ok $tap_count # SKIP no clang, bpftool or libbpf here"
	done_testing
fi
compiles with -DTW_KERNEL_STAGES -I"$build/plugin"
ok $? 'with libbpf'
is "$(cat with.o.names)" "$functions" 'the same functions'
[ "$(nm -u with.o | grep -c bpf)" -gt 5 ]
ok $? 'which call libbpf'

# Without the stages some files are left out, and no other file may need them, or no test links.
# Only main() of their own programs may.
env -u MAKEFLAGS -u MAKELEVEL make -n -C "$root" --no-print-directory B="$scratch/rest" \
	CC="$cc" KERNEL_STAGES= "$scratch/rest/plugin.a" 2>"$err" |
	grep -o 'alone/[^ ]*\.o' | sort -u >stay
(cd "$build" && find alone -name '*.o') | sort | comm -13 stay - >left_out
[ -s stay ] && [ -s left_out ]
ok $? "make KERNEL_STAGES= leaves out $(xargs <left_out)"
(cd "$build" && nm -g --defined-only $(cat "$OLDPWD/left_out")) |
	awk 'NF == 3 { print $3 }' | sort -u >not_there
while read -r object; do
	nm "$build/$object" | grep -q ' T main$' ||
		nm -u "$build/$object" | awk -v by="$object" '{ print $2, by }'
done <stay | sort | join not_there - >needed
is "$(cat needed)" '' 'which no other file needs'
done_testing
