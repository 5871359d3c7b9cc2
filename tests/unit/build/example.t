#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The example program prints every number that it is for, and under
# taskset it names the CPUs that are left. Fails if it stops half-way or asks about
# CPUs it may not run on.

. "$(dirname "$0")/../../tap.sh"

example=${TW_BUILD:-$root/build}/example

# A rate takes a second that is not disturbed throughout.
for try in 1 2 3 4 5 6 7 8 9 10; do
	"$example" >"$out" 2>"$err"
	status=$?
	grep -q 'no rate could be found' "$err" || break
done
# 1, 2: the counter is not good here, or this cannot be decided now.
[ "$status" -le 2 ]
ok $? "it comes to its end: exit code $status"
cat "$err" "$out" | sed 's/^/# /'
if [ "$status" = 1 ]; then
	has "$out" 'Intervals are not measured with such a counter' \
		'says what to do without a counter'
else
	for text in 'verdict ' 'offset ' 'order ' 'reading ' \
		'ticks per second of CLOCK_MONOTONIC' '(1 sigma)' \
		'(hard bound)' 'modulus ' 'mult ' 'whole ' 'measured ' 'wraps in' 'conversion takes intervals up to' \
		'the clock advanced as much as the one it was set by'; do
		has "$out" "$text" "says: $text"
	done
	# From 58 years at 10 GHz to 58494 at 10 MHz, minus the uptime.
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
	skip 'no taskset'
fi
done_testing
