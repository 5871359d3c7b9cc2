#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Next to its error against CLOCK_MONOTONIC_RAW, the page shows each clock's error
# against CLOCK_MONOTONIC, and the rate that the whole run gives; of several jobs,
# those of the one farthest off. Fails if one is shown under the other's name or of
# another job, and if nonsense is accepted.
. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/../../../report_files.sh"

# more FILE OFF FROZEN: adds an error against CLOCK_MONOTONIC in ns, and a refit
more() {
	off="\"off_monotonic\": {\"against\": \"CLOCK_MONOTONIC\", \"over_ns\":
		10000000000, \"error_ns\": $2, \"error_ppb\": 1.25,
		\"uncertainty_ns\": 60.0, \"uncertainty_ppb\": 6.0},"
	refit="\"refit\": {\"against\": \"CLOCK_MONOTONIC_RAW\", \"hz\":
		2599998001.25, \"uncertainty_ppb\": 0.5, \"bound_ppb\": 1.5,
		\"frozen_error_ppb\": $3, \"over_ns\": 10000000000},"
	OFF=$off REFIT=$refit perl -pe 's/"clocksource"/$ENV{OFF} $&/;
		s/"source"/$ENV{REFIT} $&/' "$scratch/plain.json" >"$1"
}

# row NAME: prints the columns of the second line that begins with it
row() {
	awk -v name="$1" '$1 == name && $2 != "lat" && ++n == 2 { $1 = ""; $0 = $0; $1 = $1; print }' "$out"
}

write_report "$scratch/plain.json"
more "$scratch/a.json" 12.5 0.25
run report --clocks "$scratch/a.json"
has "$out" 'fio (cpu) MONOTONIC  ' 'another reference'
is "$(row fio)" '(cpu) MONOTONIC +12.50 +1.250 60.00 6.000 10.00 s within' \
	"fio's clock against it"
has "$out" 'over the whole run it was 2599998001.250 Hz, +-1.500 ppb' 'a refit'
has "$out" 'ran +0.250 ppb off that' 'and what it says of the rate used'
write_report "$scratch/plain.json" thread=2 fio_ns=-90000 fio_ppb=-9000 \
	tw_ns=9 tw_ppb=0.9
more "$scratch/b.json" 13.5 0.75
run report --json "$scratch/a.json" "$scratch/b.json"
has "$out" '"error_ns": 13.5' 'of the job that fio is farthest off in'
has "$out" '"frozen_error_ppb": 0.75' 'and of that where we are'
run report --html="$scratch/page" "$scratch/a.json" "$scratch/b.json"
has "$scratch/page" '<td class="text">MONOTONIC</td><td>+13.50</td>' \
	'in the HTML, too'
has "$scratch/page" 'was 2599998001.250 Hz, +-1.500 ppb' 'with the refit'
write_report "$scratch/plain.json"
run report --clocks "$scratch/plain.json"
has_not "$out" ' MONOTONIC  ' 'nothing where it is not known'
has_not "$out" 'whole run' 'nor a refit'
for bad in 's/"off_monotonic": \{/"off_monotonic": 3, "x": {/' \
	's/"refit": \{/"refit": [], "x": {/' \
	's/"bound_ppb": 1.5/"bound_ppb": -1.5/' \
	's/"uncertainty_ns": 60.0/"uncertainty_ns": -1/' \
	's/"frozen_error_ppb": 0.25/"frozen_error_ppb": "no"/'; do
	perl -0777 -pe "$bad" "$scratch/a.json" >"$scratch/c.json"
	run report "$scratch/c.json"
	is "$status $(wc -l <"$err")" '65 1' "refused: $bad"
done
done_testing
