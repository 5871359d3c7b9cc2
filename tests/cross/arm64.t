#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The plugin, with its programs for the kernel, compiles for arm64. Defect: a name that libbpf's
# headers have on that processor only; an argument that fio's system calls of that processor do
# not take.

. "$(dirname "$0")/../tap.sh"

build=${TW_BUILD:-$root/build}
compiler=aarch64-linux-gnu-gcc
for program in $compiler clang; do
	command -v $program >/dev/null || skip_all "no $program"
done
[ -e "$build/plugin/attach/attach.skel.h" ] || skip_all 'built without the stages in the kernel'
# The same fio, and the headers of this machine's libraries where the compiler has none. Errors
# are all that is made of the files in C.
cp -a "$build"/fio* "$scratch"
cd "$root" || exit
for source in plugin/*/*.c plugin/*/*/*.c; do
	object=$scratch/${source%.c}.o
	mkdir -p "${object%/*}"
	echo "$object"
done >"$scratch/objects"
make -s -k B="$scratch" CC="$compiler -fsyntax-only -idirafter /usr/include" CFLAGS= \
	KERNEL_STAGES=1 $(cat "$scratch/objects") >"$out" 2>&1
is "$?" 0 'the plugin compiles for arm64' || sed 's/^/# /' "$out"
done_testing
