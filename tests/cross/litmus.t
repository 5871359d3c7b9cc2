#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The order in which programs in the kernel write (plugin/kernel/order.bpf.h) is enough on
# arm64, by Arm's model of its memory: herd7 of herdtools7 runs each test in litmus/. What the
# barriers exclude is never seen; without them (NAME-plain, NAME-stadd) it may be. Fails if a
# barrier is not needed, or not enough. The compiler must make the operations those of the
# tests: an addition whose value is dropped would be a STADD.
#
# Tests: plugin/kernel/order.bpf.h

. "$(dirname "$0")/../tap.sh"

# made_of CALL: prints the atomic operation that clang makes of it
made_of()
{
	printf '#include "kernel/order.bpf.h"\nvoid f(unsigned long *at) { %s; }\n' "$1" |
		clang -O2 -target bpf -mcpu=v3 -I"$root/plugin" -x c -S -o - - |
		grep -oE 'xchg_64|atomic_fetch_(add|or)'
}

if command -v clang >/dev/null; then
	is "$(made_of 'PUT_ORDERED(at, 1)')" xchg_64 'a store in order is an exchange'
	is "$(made_of 'ADD_ORDERED(at, 1)')" atomic_fetch_add \
		'an addition in order returns a value'
	# On arm64 LDSETAL, which orders as LDADDAL does.
	is "$(made_of 'ADD_ORDERED(at, 0)')" atomic_fetch_or 'so does one of 0'
else
	skip 'no clang'
fi

herd=${HERD7:-herd7}
command -v "${herd%% *}" >/dev/null || {
	skip "no herd7 (herdtools7; HERD7=)"
	done_testing
}
for test in "$root"/tests/cross/litmus/*.litmus; do
	case $test in
	*-plain.litmus | *-stadd.litmus) want=Sometimes ;;
	*) want=Never ;;
	esac
	is "$($herd "$test" 2>&1 | sed -n 's/^Observation [^ ]* \([A-Z][a-z]*\) .*/\1/p')" $want \
		"$(basename "$test" .litmus): $want"
done
done_testing
