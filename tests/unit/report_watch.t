#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: of reports with tw_watch_cpu it is said of how many I/Os of how many
# the end was seen, on the page, in the HTML and in the JSON, for several jobs in
# sum; that a ring differs and that nobody watched is said as well.
# Defect: coverage rounded up to 100 %, jobs left out of the sum, silence.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/report_files.sh"

# watched FILE THREAD STAMPED REST: a report with that many of 100 stamped
watched()
{
	write_report "$scratch/plain.json" thread="$2"
	{
		sed -n 1p "$scratch/plain.json"
		echo '"watch": {"mode": "cq", "cpu": 1, '
		echo "\"stamped\": {\"read\": $3, \"write\": 0, \"trim\": 0, \"sync\": 0},"
		echo '"of": {"read": 100, "write": 0, "trim": 0, "sync": 0},'
		echo "\"unproved\": 2, \"late\": 1, \"disordered\": 0, $4},"
		sed 1d "$scratch/plain.json"
	} >"$1"
}

page()
{
	tr '\n' ' ' <"$out" | tr -s ' ' >"$scratch/page"
}

rest='"away_ns": 2500000, "counter_uncertainty_ns": 85.0'
watched "$scratch/a.json" 1 97 "\"ring_differs\": false, $rest"
watched "$scratch/b.json" 2 50 "\"ring_differs\": true, $rest"
run report "$scratch/a.json"
page
has "$scratch/page" 'when it was done is known of 97.0 % of 100 I/Os' 'coverage'
has "$scratch/page" 'of 2 it was not certain whose end was seen' 'unproved'
has "$scratch/page" 'for 2.500 ms something else had' 'away'
has "$scratch/page" 'differ by at most 85 ns' 'what the counters differ by'
has_not "$scratch/page" 'the ring is not the one' 'the ring is as fio sets it up'
run report "$scratch/b.json"
page
has "$scratch/page" 'the ring is not the one' 'or it is not'
run report "$scratch/a.json" "$scratch/b.json"
page
has "$scratch/page" 'known of 73.5 % of 200 I/Os' 'two jobs: their sum'
run report --json "$scratch/a.json" "$scratch/b.json"
has "$out" '"watch": {"jobs": 2, "jobs_unwatched": 0, "jobs_ring_differs": 1, "stamped": {"read": 147,' \
	'in the JSON, too'
run report --html="$scratch/page.html" "$scratch/a.json"
has "$scratch/page.html" 'is known of 97.0 % of 100' 'and in the HTML'

watched "$scratch/c.json" 3 0 '"ring_differs": false, "why_not": "it rained"'
run report "$scratch/c.json"
page
has "$scratch/page" 'nobody watched: it rained' 'nobody watched'
has_not "$scratch/page" 'known of' 'then there is no coverage'
run report "$scratch/plain.json"
has_not "$out" 'watched' 'not a word if nobody asked'
run report --json "$scratch/plain.json"
has "$out" '"watch": null' 'null in the JSON'

watched "$scratch/d.json" 4 101 "\"ring_differs\": false, $rest"
run report "$scratch/d.json"
is "$status" 65 'more stamps than I/Os: not a report'
has "$err" 'watch.stamped.read is more than watch.of.read' 'says which'
done_testing
