#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Other processors, emulated: each runs processor.t, with its own reader of the counter, and
# the unit tests of which a comment tells so (cross.mk). Fails if anything relies on x86-64,
# on a counter faster than the code that reads it, on signed char, or on pages of 4 KB.

. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/cross.sh"

for names in 'aarch64 aarch64' 'ppc64le powerpc64le' 'riscv64 riscv64'; do
	# shellcheck disable=SC2086	# two words
	set_up $names || continue
	passes "$programs/cross/processor.t"
	for source in $TW_CROSS_UNIT; do
		source=${source#tests/}
		passes "$programs/${source%.c}.t"
	done
done
done_testing
