#!/bin/sh
# SPDX-License-Identifier: MIT
#
# How far jobs were behind fio's schedule is merged as that of the one farthest
# behind, and shown on the page, in the JSON and in the HTML. Fails if jobs are
# added up or the last one wins, and if nonsense is accepted.
. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/../../../report_files.sh"

# rated FILE AT_END RESOLUTION: writes a report with response times
rated() {
	sed '/"slowest"/d' "$scratch/plain.json" >"$1"
	cat >>"$1" <<-END
	"response": {"resolution_ns": $3, "slip": {"read": $(histogram 950)},
	"total": {"read": $(histogram 1000)},
	"slip_at_end_ns": {"read": $2, "write": 0, "trim": 0}}}
	END
}

write_report "$scratch/plain.json"
rated "$scratch/a.json" 940 1000
run report "$scratch/a.json"
has "$out" "  behind fio's schedule: at most 950 ns, at the end 940 ns; the"\
' schedule is' 'one job'
has "$out" 'response ' 'with its response times'
write_report "$scratch/plain.json" thread=2
rated "$scratch/b.json" 7 2000
for order in "a b" "b a"; do
	# shellcheck disable=SC2086
	set -- $order
	run report "$scratch/$1.json" "$scratch/$2.json"
	has "$out" 'at the end 940 ns in the job farthest' "of $order: the worst"
	has "$out" 'known to 2.000 us' 'and the coarsest'
done
run report --json "$scratch/a.json" "$scratch/b.json"
is "$(of_json '"$r->{response}{resolution_ns} $r->{response}{slip_at_end_ns}{read}"')" \
	'2000 940' 'as JSON'
run report --html="$scratch/page" "$scratch/a.json" "$scratch/b.json"
has "$scratch/page" 'at most 950 ns, at the end 940 ns in the job' 'as HTML'

# Of a job whose end is unknown, that of both is not.
sed 's/"slip_at_end_ns": .*/"x": {}}}/; s/"thread_number": 2/"thread_number": 4/' \
	"$scratch/b.json" >"$scratch/d.json"
run report "$scratch/a.json" "$scratch/d.json"
has_not "$out" 'at the end 940 ns' 'of one with an end and one without'

run report "$scratch/plain.json"
has_not "$out" schedule 'nothing without a schedule'
has_not "$out" 'response times' 'nor are response times missed'
write_report "$scratch/plain.json" thread=3
run report "$scratch/a.json" "$scratch/plain.json"
has "$out" 'response.slip, response.total' 'but where one of two jobs has them'
write_report "$scratch/plain.json"
run report --json "$scratch/plain.json"
has_not "$out" slip_at_end 'nor in the JSON'
for bad in '-1' '"x"' '[]'; do
	rated "$scratch/c.json" "$bad" 1000
	run report "$scratch/c.json"
	is "$status $(wc -l <"$err")" '65 1' "refuses $bad at the end"
done
rated "$scratch/c.json" 1 '{}'
run report "$scratch/c.json"
is "$status" 65 'refuses a resolution that is no number'
sed 's/"slip_at_end_ns": .*/"slip_at_end_ns": 3}}/' "$scratch/a.json" \
	>"$scratch/c.json"
run report "$scratch/c.json"
has "$err" 'response.slip_at_end_ns is not an object' 'or an end that is none'
done_testing
