#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The reader and tickwise-report(5) agree. A report of the manual's version with all
# keys is taken. Without a key that is always there it is refused, without any other
# it is not. Fails if a key becomes mandatory or optional in one of the two only.
. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/../../../report_files.sh"
. "$(dirname "$0")/../../../schema.sh"

keys=$root/tests/report_keys.pl
manual=${TW_BUILD:-$root/build}/man/tickwise-report.5

# all_of HISTOGRAM: prints it with the numbers that follow from the others, too
all_of() {
	echo "$1" | sed 's/"bins"/"mean_ns": 189.0, "stddev_ns": 254.61200428745053,\
		"percentiles": {"50.000000": 100, "99.000000": 900}, &/'
}

write_report "$scratch/a.json" split=most \
	run='"run": "7", "start_monotonic_ns": "8", "test_nop": false,' kernel='"kernel":
	{"state": "on", "why": "x", "by_helper": true}, "causes": {"state": "on", "why": "x",
	"not_followed": 3}, "options": {"bs": "4k"}, "options_left_out": 2,' \
	reasons='{"code": "x", "text": "words"}'
sed '/^"slowest"/d
	s/"reasons"/"covers": {"job_cpus": "0-3", "start_cpus": "0-3",\
		"end_cpus": "0-1,3", "over_ns": 9}, &/
	s/"hz"/"rate_uncertainty_ppb": 0.5, "rate_window_ns": 9, "refit": {"against": "x",\
		"hz": 1.5, "uncertainty_ppb": 0.5, "bound_ppb": 1.5, "over_ns": 9,\
		"frozen_error_ppb": -0.5}, &/
	s/"clocksource"/"off_monotonic": {"against": "x", "error_ns": -0.5,\
		"error_ppb": 0.5, "uncertainty_ns": 0.5, "over_ns": 9,\
		"uncertainty_ppb": 0.5}, &/' "$scratch/a.json" >"$scratch/b.json"
window='{"width_ns": 1000000, "windows": [{"start": "1700000000000000000", "read":
	{"digits": 1, "count": 1, "min_ns": 9, "max_ns": 9, "sum_ns": "9",
	"sum_squares_ns2": "81", "bins": {"9": 1}}, "errors": {"read": 1}}]}'
cat >>"$scratch/b.json" <<END
"bytes": $(counts 409600 moves),
"linked": $(counts 0), "drained": $(counts 0), "cancelled": $(counts 0),
"no_cqe": $(counts 0), "unseen": $(counts 0), "negative_stages": 0,
"kernel_stages": {"split": $(counts 90), "not_split": {"no_request": $(counts 1),
	"missing_stamp": $(counts 1), "sync_write": $(counts 1), "no_stamps": $(counts 1),
	"waited": $(counts 1)}, "requests": 120, "retries": 2, "negative_within": 7,
	"negative_beyond": 0, "missed_runs": 3, "clock_error_ns": 61},
"fio_lat": {"count": $(counts 100 moves), "sum_ns": $(counts 18950 moves)},
"fio_times": {"residual": {"read": $(all_of "$(histogram 1000)")}},
"writer": {"cpu_ns": 5},
"options": {"rw": "randread"},
"machines": [{"host": "box", "cpu": "x", "cpus": 2, "kernel": "x", "hypervisor": "x",
	"clocksource": "tsc", "governor": "x"}],
"files": [{"host": "box", "path": "x", "size": 1, "filesystem": "x", "device": "8:0"}],
"files_left_out": 1,
"devices": [{"host": "box", "device": "8:0", "name": "sda", "model": "x", "scheduler": "x",
	"nr_requests": 1, "queue_depth": 1, "rotational": true, "write_cache": "x",
	"logical_block_size": 512, "size": 512, "members": ["x"], "jobs": 1,
	"ios": $(counts 60), "lat": {"read": $(digits=2; counted 900 60)}, "device_time":
	{"read": $(digits=2; counted 800 60)}, "over_time": $window}],
"devices_other_files": 3, "devices_other_ios": 3,
"slowest": [{"job": 0, "offset": 0, "size": 4096, "ddir": "read", "ticks": "5",
	"raw_ns": "6", "monotonic_ns": "7",
	"stages": {"queue": 1, "kernel": 5, "deliver": 3, "lat": 9},
	"submitting_call_ns": 2, "causes": {"stage": "kernel", "stall": {
	"from_ns": "8", "ns": 5}, "ran_ns": 1, "waited_ns": 1,
	"interrupts_ns": 1, "woken_late_ns": 1, "asleep_ns": 0,
	"unexplained_ns": 1, "since_interrupt_ns": 1, "stolen_at_most_ns": 1,
	"lost": false, "had_cpu": [{"kind": "process", "ns": 1, "id": 7,
	"name": "x"}]}, "ring": 1, "operation": "read", "file": "x"}, {"job": 0,
	"offset": 0, "size": 4096, "ddir": "read",
	"stages": {"queue": 1, "submit": 1, "blockq": 1, "device": 1,
		"complete": 1, "reap": 1, "deliver": 1, "lat": 7}}],
"stages_by_lat": {"read": [{"from_ns": 96, "to_ns": 103, "ios": 89,
	"stages": {"queue": 890, "kernel": 6230, "deliver": 1780}}, {"from_ns": 896,
	"to_ns": 959, "ios": 10, "stages": {}}, {"from_ns": 960, "to_ns": 1023, "ios": 1,
	"stages": {}}]},
"attached": {"others": {"recv": 1}, "rings": [{"ring": 1, "program": "x", "pid": 1,
	"fd": -1, "sq_entries": 8, "cq_entries": 16}], "operations": [{"ring": 1,
	"operation": "read", "file": "x", "ios": 100, "split": 0, "no_request": 100,
	"stages": {"lat": $(histogram 1000)}}], "more_rings": 0, "in_flight": 0,
	"more_cqes": 0, "lost_records": 0, "lost_ios": 0, "lost_rings": 0,
	"lost_names": 0, "lost_processes": 0},
"over_time": $window,
"triggers": [{"job": 0, "state": "on", "why": "x", "above_ns": 5, "slower": 1, "io":
	{"offset": 0, "size": 4096, "ddir": "read", "ticks": "5", "monotonic_ns": "7",
	"lat_ns": 9}, "event_count": 1, "whole_from_ns": "8", "stopped_for": 2, "events": [
	{"monotonic_ns": "8", "cpu": 0, "task": "x", "pid": 1, "event": "x",
	"args": "", "own": true}]}],
"response": {"resolution_ns": 1000, "slip": {"read": $(histogram 1000)},
	"total": {"read": $(histogram 1000)}, "slip_at_end_ns": $(counts 3 moves)},
"lacks": ["more"], "unknown": ["less"]}
END
is "$(perl "$keys" "$manual" "$scratch/b.json")" '' \
	'a full report is as in the manual'
is_valid report "$scratch/b.json"
run report "$scratch/b.json"
is "$status" 0 'and is taken'
is "$(sed -n '/^\.BR version " /{n;p;}' "$manual" | tr -d .)" \
	"$(sed -n 's/^{"schema.*"version": \([0-9]*\),.*/\1/p' "$scratch/b.json")" \
	'of the version that the manual names'

mkdir "$scratch/without"
perl "$keys" "$manual" "$scratch/b.json" "$scratch/without" >"$scratch/list"
[ "$(wc -l <"$scratch/list")" -gt 100 ]
ok $? "$(wc -l <"$scratch/list") keys"
: >"$scratch/wrong"
# Other keys need these.
needed='stages.lat.read stages_by_lat.read devices[].jobs devices[].ios'
while read -r file path; do
	case $file in *.always.json) should=65 ;; *) should=0 ;; esac
	case " $needed " in *" $path "*) should=65 ;; esac
	run report "$file"
	[ "$status" = "$should" ] || echo "$path: $status, not $should" \
		>>"$scratch/wrong"
done <"$scratch/list"
is "$(cat "$scratch/wrong")" '' 'each is needed or not, as the manual says'

if [ -n "$no_schema" ]; then
	tap_count=$((tap_count + 1))
	echo "ok $tap_count # SKIP $no_schema"
	done_testing
fi
: >"$scratch/wrong"
while read -r file path; do
	case $file in *.always.json) should=refused ;; *) should=taken ;; esac
	echo "$file $should $path"
done <"$scratch/list" >"$scratch/should"
awk '{ print $1 }' "$scratch/should" | xargs "$python" -W ignore \
	"$root/tests/schema.py" refused "$schemas/tickwise-report.schema.json" \
	>"$scratch/refused"
while read -r file should path; do
	is_so=taken
	! grep -qxF "$file" "$scratch/refused" || is_so=refused
	[ $is_so = "$should" ] || echo "$path: $is_so" >>"$scratch/wrong"
done <"$scratch/should"
is "$(cat "$scratch/wrong")" '' 'and so does the schema'
is "$(schema broken "$schemas/tickwise-report.schema.json" "$scratch/b.json")" '' \
	'which refuses each key that is of another type'
done_testing
