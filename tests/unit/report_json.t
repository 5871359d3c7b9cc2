#!/bin/sh
# SPDX-License-Identifier: MIT
#
# --json prints one JSON object with sums of the jobs and the histograms
# merged. Fails if merged numbers differ from the page's, or keys go missing.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/report_files.sh"

write_report "$scratch/a.json"
write_report "$scratch/b.json" thread=2 slow=1023 errors=4
write_report "$scratch/c.json" group=1 thread=3 verdict=undecided
run report --json "$scratch/c.json" "$scratch/a.json" "$scratch/b.json"
is "$status $(wc -l <"$out")" '0 1' 'one line'
has "$out" '{"schema": "tickwise-report-merged", "version": 1,' 'schema'
has "$out" "\"files\": [\"$scratch/a.json\", \"$scratch/b.json\", \
\"$scratch/c.json\"]" 'all files'
has "$out" '"groupid": 0, "jobs": 2, "thread_numbers": [1, 2]' 'merged jobs'
has "$out" '"groupid": 1, "jobs": 1, "thread_numbers": [3]' 'the other group'
has "$out" '"start": "1700000000000000000"' 'absolute times are strings'
has "$out" '"ios": {"read": 200, "write": 0, "trim": 0, "sync": 0}' 'I/Os'
has "$out" '"errors": {"read": 4, "write": 0, "trim": 0, "sync": 0}' 'errors'
has "$out" '"batches": {"enters": 14, "tails": 10, "largest_tail": 16}' \
	'batches: sums and the largest'
has "$out" '"count": 200, "min_ns": 100, "max_ns": 1023' 'a merged histogram'
has "$out" '"sum_ns": "37823"' 'its sum, as a string'
has "$out" '"bins": [[100, 100, 178], [900, 900, 20], [1000, 1000, 1], '\
'[1023, 1023, 1]]' 'its bins'
has "$out" '"verdict": "undecided", "fallback": false' 'the verdict'
has "$out" '"clocksource": "cpu", "worst_of_jobs": 2' 'clocks'
done_testing
