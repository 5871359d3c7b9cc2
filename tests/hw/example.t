#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The example program on this machine: every number that it is for is there
# and has its error, and under taskset it speaks of the CPUs that are left.
# Fails if it stops half-way or asks about CPUs it may not run on.

. "$(dirname "$0")/../tap.sh"

example=${TW_BUILD:-$root/build}/example

"$example" >"$out" 2>"$err"
status=$?
if [ "$status" = 2 ]; then
	echo "ok 1 # SKIP this machine is too busy to decide"
	tap_count=1
else
	is "$status" 0 'the counter is good here: exit code 0'
fi
cat "$err" "$out" | sed 's/^/# /'
if [ "$status" != 1 ]; then
	for text in 'verdict ' 'offset ' 'order ' 'reading ' \
		'ticks per second of CLOCK_MONOTONIC' '(1 sigma)' \
		'(hard bound)' 'modulus ' 'mult ' 'whole ' 'measured ' \
		'the truth is' 'wraps in' 'conversion takes intervals up to'; do
		has "$out" "$text" "says: $text"
	done
	# From 58 years at 10 GHz to 58494 at 10 MHz, less what has gone.
	years=$(sed -n 's/.*wraps in .* (\([0-9]*\)\.[0-9] years).*/\1/p' "$out")
	[ "${years:-0}" -ge 10 ] && [ "$years" -le 58494 ]
	ok $? "wraps in a sensible time: ${years:-?} years"
fi

cpu=$(taskset -cp $$ 2>/dev/null | sed 's/.*[ ,-]//')
if [ -n "$cpu" ]; then
	taskset -c "$cpu" "$example" >"$out" 2>"$err"
	has "$out" 'allowed    1 of the' 'one CPU: it sees one'
	has "$out" 'no other CPU to compare with' 'and no offsets'
	has "$out" "on CPU $cpu" 'and reads the counter there'
else
	tap_count=$((tap_count + 1))
	echo "ok $tap_count # SKIP no taskset"
fi
done_testing
