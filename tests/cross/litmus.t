#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The order in which programs in the kernel write (plugin/kernel/order.bpf.h) is enough on
# arm64, by Arm's model of its memory: herd7 of herdtools7 runs each test in litmus/. What the
# barriers exclude is never seen; without them (NAME-plain, NAME-stadd) it may be. Fails if a
# barrier is not needed, or not enough.
#
# Tests: plugin/kernel/order.bpf.h

. "$(dirname "$0")/../tap.sh"

herd=${HERD7:-herd7}
command -v "${herd%% *}" >/dev/null || skip_all "no herd7 (herdtools7; HERD7=)"
for test in "$root"/tests/cross/litmus/*.litmus; do
	case $test in
	*-plain.litmus | *-stadd.litmus) want=Sometimes ;;
	*) want=Never ;;
	esac
	is "$($herd "$test" 2>&1 | sed -n 's/^Observation [^ ]* \([A-Z][a-z]*\) .*/\1/p')" $want \
		"$(basename "$test" .litmus): $want"
done
done_testing
