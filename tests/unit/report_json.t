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
has "$out" '{"schema": "tickwise-report-merged", "version": 3,' 'schema'
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
has "$out" '"bins": {"100": 178, "900": 20, "1000": 1, "1023": 1}' 'its bins'
is "$(grep -o '"stages": {"queue": ' "$out" | wc -l)" 2 'stages'
has "$out" '"submitting_call": {"read": {"digits": 3, "count": 200, ' \
	'the time in the submitting call'
has "$out" '"verdict": "undecided", "fallback": false' 'the verdict'
has "$out" '"clocksource": "cpu", "worst_of_jobs": 2' 'clocks'
has "$out" '"over_time": null' 'null where nothing was recorded'
has "$out" '"fio_times": {"event_time": false}' "fio's lat is lat"
write_report "$scratch/e.json" thread=2 event_time=true
run report --json "$scratch/e.json"
has "$out" '"fio_times": {"event_time": true}' "fio's lat is without deliver"
run report --json "$scratch/a.json" "$scratch/e.json"
has "$out" '"fio_times": {"event_time": null}' 'jobs that differ'
sed 's/"fallback": false/"fallback": true/' "$scratch/b.json" >"$scratch/f.json"
run report --json "$scratch/a.json" "$scratch/f.json"
has "$out" '"fallback": true, "fallback_jobs": 1' 'one of two on the system clock'

interval='{"from_ns": 0, "over_ns": 1000, "read": {"count": 2, "sum_ns": 300,
"min_ns": 100, "max_ns": 200, "percentiles": {"99.000000": 200}}}'
short='{"from_ns": 1000, "over_ns": 500, "read": {"count": 1, "sum_ns": 70,
"min_ns": 70, "max_ns": 70}}'
add="\"response\": {\"slip\": {\"read\": $(histogram 901)}},"
for file in a b; do
	{
		sed '/"slowest"/d' "$scratch/$file.json"
		echo "$add"
		echo "\"over_time\": [$interval"
		[ "$file" = a ] || echo ", $short"
		echo ']}'
	} | if [ "$file" = a ]; then cat; else
		sed 's/"min_ns": 100, "max_ns": 200, "perc/"min_ns": 90, "max_ns": 201, "perc/
			s/"99.000000": 200/"99.000000": 201/'
	fi >"$scratch/$file.new"
done
run report --json "$scratch/a.new" "$scratch/b.new"
has "$out" '"over_time": [{"from_ns": 0, "over_ns": 1000, "read": {"count": 4,'\
' "sum_ns": 600, "min_ns": 90, "max_ns": 201, "p99_of_worst_job_ns": 201}},'\
' {"from_ns": 1000, "over_ns": 500, "read": {"count": 1, "sum_ns": 70,' \
	'intervals are added, where a job has ended, too'
has "$out" '"response": {"slip": {"read": {"digits": 3, "count": 200,' \
	'response times are added'
sed 's/"from_ns": 0/"from_ns": 1/' "$scratch/b.new" >"$scratch/c.new"
run report --json "$scratch/a.new" "$scratch/c.new"
has "$out" '"over_time": null' 'no sum of intervals that differ'
done_testing
