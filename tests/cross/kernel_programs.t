#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The programs for the kernel can be compiled for arm64. Defect: a name that libbpf's headers have
# on that processor only.

. "$(dirname "$0")/../tap.sh"

command -v clang >/dev/null && echo '#include <bpf/libbpf.h>' | cc -E - >/dev/null 2>&1 ||
	skip_all 'no clang, or no libbpf'
cd "$root" || exit
for source in plugin/*/*.bpf.c plugin/*/*/*.bpf.c; do
	object=$scratch/${source%.c}.o
	mkdir -p "${object%/*}"
	make -s B="$scratch" KERNEL_STAGES=1 BPF_ARCH=arm64 "$object" >"$out" 2>&1 ||
		sed 's/^/# /' "$out"
	[ -s "$object" ]
	ok $? "$source: compiled for arm64"
done
done_testing
