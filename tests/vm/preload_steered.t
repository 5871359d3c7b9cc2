#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: the kernel's clock is slewed by 100, 500 and 1000 ppm, by adjtime(),
# and the time of day is set. The preload clock never goes backwards, and never
# differs from CLOCK_MONOTONIC by more than it states: |slew| x 1 ms + 100 ns here,
# 600 ns at most (the Makefile tells why not 50 and 550). Defect: a slew that is
# believed to go on, one over 500 ppm that is followed, a step of the time of day
# taken for one of CLOCK_MONOTONIC.
#
# Time is virtual, an instruction takes a nanosecond: the clock's error is its own
# arithmetic and no interrupted reading. TW_STEERED="burst=MS pause=MS rounds=N"
# makes the test longer. Pauses take no real time.
. "$(dirname "$0")/boot.sh"

cpus=1
accel=tcg,thread=single
seconds=${TW_STEERED_SECONDS:-180}
append="tsc=reliable ${TW_STEERED:-}"
boot preload_steered -icount shift=0,sleep=off
ok $? "the machine ran"
is "$(cat "$shared/steered.status")" 0 "the program ran"
sed 's/^/# /' "$shared/steered.err" "$shared/steered"
if ! grep -q 'is read from the counter' "$shared/steered.err"; then
	skip "$(sed 's/^tickwise-preload[^:]*: //' "$shared/steered.err")"
	done_testing
fi
[ "$(sed -n 's/.*renewed \([0-9]*\) times.*/\1/p' "$shared/steered.err")" \
	-gt 100 ]
ok $? "the counter was used, and compared all the time"
most=$(sed -n 's/.* off: up to \([0-9]*\) ns.*/\1/p' "$shared/steered.err")
rest=$(sed -n 's/.* x 1 ms + \([0-9]*\) ns off.*/\1/p' "$shared/steered.err")
while read -r name _ ppm _ reads _ backwards _ off _ narrowest; do
	is "$backwards" 0 "$name: $reads readings, never backwards"
	bound=$((ppm <= 500 ? ppm + rest : most))
	[ "$off" -le "$bound" ]
	ok $? "$name: off by $off ns, at most $bound (seen to $narrowest ns)"
done <"$shared/steered"
works "all steps were taken" test "$(wc -l <"$shared/steered")" -ge 13
row "CLOCK_MONOTONIC slewed by up to 1000 ppm, the time of day set" \
	"the preload clock: never backwards, off by slew x 1 ms + $rest ns at \
most, $most at most" \
	"$(awk '{ reads += $5; back += $7; if ($9 > off[$3]) off[$3] = $9 }
		END { printf "%d readings, backwards %d; off at 0, 100, 500, \
1000 ppm: %d, %d, %d, %d ns", reads, back, off[0], off[100], off[500],
			off[1000] }' "$shared/steered")" \
	"no such clock"
done_testing
