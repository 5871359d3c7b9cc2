#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A program under libtickwise-preload.so runs as it does without, and its
# CLOCK_MONOTONIC never goes back: in threads, after fork, in signal handlers,
# before main(), after exec. Fails if the library waits for an interrupted thread,
# or if another clock is changed. preload_steer and machine/preload test the clock's
# error.

. "$(dirname "$0")/../../tap.sh"
. "$root/tests/preload/preload.sh"

for way in alone threads fork signals early others; do
	under verbose "$reader" "$way"
	good "$way"
done
# The clock depends on this machine and on what else runs there.
if grep -q 'is read from the counter' "$err"; then
	has "$err" 'at most |slew| x 1 ms + 50 ns off: up to 550 ns' \
		'prints its bound'
else
	has "$err" 'the real clock is read: ' 'says why it is the real clock'
fi
under verbose,nocheck sh -c 'exec "$0" alone' "$reader"
good 'after exec'
# Each prints one of the two.
is "$(grep -cE 'is read from the counter|the real clock is read:' "$err")" 2 \
	'set up once more by exec'

under off,verbose "$reader" alone
has "$err" 'the real clock is read: TICKWISE_PRELOAD=off' 'off'
under '' "$reader" alone
is "$(wc -c <"$err")" 0 'says nothing unasked'
under verbos,off "$reader" others
has "$err" "TICKWISE_PRELOAD knows no 'verbos' (verbose, nocheck, off)" \
	'an unknown word is reported'
is "$status" 0 'and the program runs'

# In a process that may not read the counter the clock is a system call.
forbid=$build/tests/preload/forbid_counter.so
if [ -e "$forbid" ]; then
	LD_PRELOAD="$preload $forbid" TICKWISE_PRELOAD=verbose "$reader" others \
		>"$out" 2>"$err"
	is "$?" 0 'a process without a counter lives'
else
	tap_count=$((tap_count + 1))
	echo "ok $tap_count # SKIP no $forbid"
fi
done_testing
