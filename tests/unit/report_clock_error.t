#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A clock's error stands beside its uncertainty, is marked where that covers it,
# and what else it was measured against is said. Fails if the page lets digits
# inside the uncertainty pass for a finding.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/report_files.sh"

# clocks_line ASSIGNMENT...: the fio row of such a report
fio_row() {
	write_report "$scratch/a.json" "$@"
	run report "$scratch/a.json"
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
run report "$scratch/a.json"
has "$out" 'fio (cpu) MONOTONIC  ' 'another reference is named'

write_report "$scratch/a.json"
sed '/^"clocks"/,/^"counter"/{/^"counter"/!d;}' "$scratch/a.json" |
	sed 's/^"counter"/"clocks": {},\n&/' >"$scratch/b.json"
run report "$scratch/b.json"
has "$out" 'clocks in this run: none was measured' 'no clock at all'
done_testing
