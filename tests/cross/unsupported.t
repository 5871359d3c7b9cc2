#!/bin/sh
# SPDX-License-Identifier: MIT
#
# On a processor whose counter is not known, the header's first error tells just
# that. Fails if the header compiles there, or if other errors precede the reason.

. "$(dirname "$0")/../tap.sh"

printf '#include "tickwise.h"\n' >"$scratch/include.c"

# refuses WHAT COMPILER...
refuses() {
	what=$1
	shift
	if ! command -v "$1" >/dev/null; then
		skip "$what: no $1"
		return
	fi
	"$@" -fsyntax-only -I"$root/core" "$scratch/include.c" >"$out" 2>&1
	is "$?" 1 "$what: not compiled"
	case $(grep -m 1 'error:' "$out") in
	*'tickwise: no counter is known for this processor'*) true ;;
	*) false ;;
	esac
	ok $? "$what: the reason is the first error"
}

# None of the tests' packages installs clang.
if command -v clang >/dev/null; then
	refuses 'Arm, 32 bits' clang --target=arm-linux-gnueabihf
	refuses 's390x' clang --target=s390x-linux-gnu
fi
refuses 'RISC-V, 32 bits' riscv64-linux-gnu-gcc -march=rv32gc -mabi=ilp32d
refuses 'Power, big endian' powerpc64le-linux-gnu-gcc -mbig-endian
done_testing
