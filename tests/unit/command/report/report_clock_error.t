#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A clock's error is printed next to its uncertainty, is marked where the
# uncertainty covers it, and the page tells what else it was compared with. Fails if
# digits inside the uncertainty pass for a finding.
. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/../../../report_files.sh"

# fio_row ASSIGNMENT...: prints the fio row of such a report
fio_row() {
	write_report "$scratch/a.json" "$@"
	run report --clocks "$scratch/a.json"
	sed -n 's/^fio (cpu)  *MONOTONIC_RAW  *//p' "$out" | tr -s ' '
}

is "$(fio_row fio_ns=26.0 fio_ppb=2.6)" \
	'+26.00 +2.600 25.00 2.500 10.00 s' \
	'an error above its uncertainty, with its sign'
is "$(fio_row fio_ns=-26.0 fio_ppb=-2.6)" \
	'-26.00 -2.600 25.00 2.500 10.00 s' \
	'the other sign'
is "$(fio_row fio_ns=-25.0 fio_ppb=-2.5)" \
	'-25.00 -2.500 25.00 2.500 10.00 s within' \
	'an error of its uncertainty'
is "$(fio_row fio_ns=-24.0 fio_ppb=-2.4)" \
	'-24.00 -2.400 25.00 2.500 10.00 s within' \
	'an error below its uncertainty'
is "$(fio_row fio_ns=26.0 fio_ppb=2.4) $(fio_row fio_ns=24.0 fio_ppb=2.6)" \
	'+26.00 +2.400 25.00 2.500 10.00 s within '\
'+24.00 +2.600 25.00 2.500 10.00 s within' \
	'below it in one of both units'
is "$(fio_row fio_ns=0 fio_ppb=0)" \
	'+0.000 +0.000 25.00 2.500 10.00 s within' 'none seen'
has_not "$out" ' MONOTONIC ' 'only RAW is spoken of'

write_report "$scratch/a.json" against=CLOCK_MONOTONIC
run report --clocks "$scratch/a.json"
has "$out" 'fio (cpu) MONOTONIC  ' 'another reference is named'

write_report "$scratch/a.json"
sed '/^"clocks"/,/^"counter"/{/^"counter"/!d;}' "$scratch/a.json" |
	sed 's/^"counter"/"clocks": {},\n&/' >"$scratch/b.json"
run report "$scratch/b.json"
has "$out" 'clocks in this run: none was measured' 'no clock at all'

# The table is there without --clocks where an error matters, and only there.
# shows ASSIGNMENT...: prints "table" or the line about the clocks
shows() {
	write_report "$scratch/a.json" "$@"
	sed -i "${change-}" "$scratch/a.json"
	run report "$scratch/a.json"
	grep -q '^clocks in this run' "$out" && echo table
	grep '^clock errors' "$out"
}
refit() {
	echo 's/"source"/"refit": {"against": "CLOCK_MONOTONIC_RAW", "hz": 1e9,
		"uncertainty_ppb": 0.5, "bound_ppb": 1.5, "frozen_error_ppb": '"$1"',
		"over_ns": 10}, &/' | tr '\n' ' '
}
is "$(shows)" 'clock errors (RAW): tickwise +0.150 +-0.300 ppb, fio -7439 +-2.500 ppb' \
	'one line'
is "$(shows against=CLOCK_MONOTONIC | cut -c 1-24)" 'clock errors (MONOTONIC)' \
	'with another reference'
run report --html="$scratch/page" "$scratch/a.json"
has "$scratch/page" '<details><summary>clocks in this run</summary>' 'folded in the HTML'
is "$(shows verdict=unreliable)" table 'an unreliable counter'
is "$(shows fallback=true)" table 'one that is not used'
is "$(shows fio_ppb=49999 | cut -c 1-12) $(shows fio_ppb=-50001)" 'clock errors table' \
	'an error that shows in four digits'
is "$(shows tw_ns=4 tw_ppb=0.4)" table "not the kernel's rate, although it was taken for it"
is "$(change='s/"source": "kernel"/"source": "regression"/' shows tw_ns=4 tw_ppb=0.4 |
	cut -c 1-12)" 'clock errors' 'a measured rate has an error'
is "$(change=$(refit 1.4) shows | cut -c 1-12) $(change=$(refit -1.6) shows)" \
	'clock errors table' 'a refit that differs'
run report --html="$scratch/page" "$scratch/a.json"
has "$scratch/page" '<h3>clocks in this run</h3>' 'not folded then'
done_testing
