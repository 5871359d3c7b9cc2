#!/bin/sh
# SPDX-License-Identifier: MIT
#
# On this machine a program under libtickwise-preload.so reads CLOCK_MONOTONIC from
# the counter within the printed bound of the system call's: in threads, after fork,
# in signal handlers, before main(). The bound is hard, and a reading of the system
# call stands before and after each reading that is judged. Fails if the state of an
# interrupted renewal is believed. unit/preload/preload tests all else, and
# unit/preload/preload_steer the bound where CLOCK_MONOTONIC is steered.

. "$(dirname "$0")/../tap.sh"
. "$root/tests/preload/preload.sh"

# Print its stated error, in ns.
bound() {
	sed -n 's/.* off: up to \([0-9]*\) ns.*/\1/p' "$err" | head -n 1 | grep . || echo 0
}

# A busy machine disturbs the readings that a renewal needs: then try once more.
for _ in 1 2 3 4 5; do
	under verbose "$reader" alone
	! grep -qE 'renewed [0-9]{2,} times' "$err" || break
done
grep -q 'is read from the counter' "$err" ||
	skip_all "$(sed 's/^tickwise-preload[^:]*: //' "$err")"
has "$err" 'at most |slew| x 1 ms + 50 ns off: up to 550 ns' 'prints its bound'
if grep -qE 'renewed [0-9] times.* [0-9]{2,} comparisons disturbed' "$err"; then
	skip "five times hardly a look that was not disturbed: \
$(sed -n 's/.*: renewed/renewed/p' "$err" | tail -n 1)"
else
	grep -qE 'renewed [0-9]{2,} times' "$err"
	ok $? 'and how often it was renewed'
fi

# Without a bound it did not trust the counter, and is the system's clock.
good 'one thread' "$(bound)"
for way in threads fork signals early others; do
	under verbose "$reader" "$way"
	good "$way" "$(bound)"
done
done_testing
