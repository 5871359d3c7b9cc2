#!/bin/sh
# SPDX-License-Identifier: MIT
#
# --json prints one JSON object with sums of the jobs and the histograms
# merged. Fails if merged numbers differ from the page's, or keys go missing.
. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/../../../report_files.sh"

write_report "$scratch/a.json"
write_report "$scratch/b.json" thread=2 slow=1023 errors=4
write_report "$scratch/c.json" group=1 thread=3 verdict=undecided
run report --json "$scratch/c.json" "$scratch/a.json" "$scratch/b.json"
is "$status $(wc -l <"$out")" '0 2' 'a line for each group'
has "$out" '{"schema": "tickwise-report", "version": 1, "jobs": [' 'schema'
is "$(of_json 'join "; ", map { join " ", map { "$_->{groupid}/$_->{thread_number}" }
	@{$_->{jobs}} } @r')" '0/1 0/2; 1/3' 'merged jobs, and the other group'
has "$out" '"start": "1700000000000000000"' 'absolute times are strings'
has "$out" '"ios": {"read": 200, "write": 0, "trim": 0, "sync": 0}' 'I/Os'
has "$out" '"errors": {"read": 4, "write": 0, "trim": 0, "sync": 0}' 'errors'
has "$out" '"batches": {"enters": 14, "tails": 10, "largest_tail": 16}' \
	'batches: sums and the largest'
has "$out" '"count": 200, "min_ns": 100, "max_ns": 1023' 'a merged histogram'
has "$out" '"sum_ns": "37823"' 'its sum, as a string'
has "$out" '"bins": {"100": 178, "900": 20, "1000": 1, "1023": 1}' 'its bins'
is "$(grep -o '"stages": {"queue": ' "$out" | wc -l)" 2 'stages'
has "$out" '"submitting_call": {"read": {"digits": 3, "count": 200, ' \
	'the time in the submitting call'
is "$(of_json 'join " ", map { $_->{counter}{verdict} } @r')" 'reliable undecided' 'the verdict'
has "$out" '"clocksource": "cpu"' 'clocks'
has_not "$out" '"over_time"' 'nothing where nothing was recorded'

# ---- over time, and behind a schedule ----

# add FILE WINDOWS: writes such a report
add() {
	{
		sed '/"slowest"/d' "$scratch/$1.json"
		echo "\"response\": {\"slip\": {\"read\": $(histogram 901)}},"
		echo "\"over_time\": {\"width_ns\": $3, \"windows\": [$2]}}"
	} >"$scratch/$1.new"
}
# window MS VALUE COUNT...: prints a window that begins MS after the jobs
window() {
	echo "{\"start\": \"$((1700000000000000000 + $1 * 1000000))\",
	\"read\": $(shift; digits=1; counted "$@")}"
}
add a "$(window 0 100 1 200 1)" 1000000
add b "$(window 0 90 1 201 1), $(window 2 70 1)" 2000000
run report --json "$scratch/a.new" "$scratch/b.new"
is "$(of_json 'join " ", $r->{over_time}{width_ns}, map { join ":", $_->{start},
	@{$_->{read}}{qw(count sum_ns min_ns max_ns)} } @{$r->{over_time}{windows}}')" \
	'2000000 1700000000000000000:4:591:90:201 1700000000002000000:1:70:70:70' \
	'windows are added in the wider ones'
has "$out" '"response": {"slip": {"read": {"digits": 3, "count": 200,' \
	'response times are added'
add b "$(window 200 90 1)" 1000000
run report --json "$scratch/a.new" "$scratch/b.new"
is "$(of_json '$r->{over_time}{width_ns}')" 2000000 \
	'at most 128 windows: they become wider'
done_testing
