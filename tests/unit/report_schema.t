#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The reader and tickwise-report(5) agree. A report of the manual's version with all
# keys is taken. Without a key that is always there it is refused, without any other
# it is not. Fails if a key becomes mandatory or optional in one of the two only.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/report_files.sh"
. "$(dirname "$0")/../schema.sh"

keys=$(dirname "$0")/report_keys.pl
manual=${TW_BUILD:-$root/build}/man/tickwise-report.5

write_report "$scratch/a.json" split=most kernel_stages="$(on_of 99 1 0 0 |
	sed 's/"state"/"by_helper": true, &/')" \
	run='"run": "7", "start_monotonic_ns": "8",' \
	reasons='{"code": "x", "text": "words"}'
sed '/^"slowest"/d
	s/"fallback"/"covers": {"job_cpus": "0-3", "start_cpus": "0-3",\
		"end_cpus": "0-1,3", "over_ns": 9}, &/
	s/"hz"/"rate_uncertainty_ppb": 0.5, "refit": {"against": "x", "hz": 1.5,\
		"uncertainty_ppb": 0.5, "bound_ppb": 0.5, "over_ns": 9,\
		"frozen_error_ppb": -0.5}, &/
	s/"clocksource"/"off_monotonic": {"against": "x", "error_ns": -0.5,\
		"error_ppb": 0.5, "uncertainty_ns": 0.5, "over_ns": 9,\
		"uncertainty_ppb": 0.5}, &/' "$scratch/a.json" >"$scratch/b.json"
cat >>"$scratch/b.json" <<END
"fio_lat": {"read": {"count": 100, "mean_ns": 189.5}},
"slowest": [{"offset": 0, "size": 4096, "ddir": "read", "ticks": "5",
	"raw_ns": "6", "monotonic_ns": "7",
	"stages": {"queue": 1, "kernel": 5, "deliver": 3, "lat": 9},
	"submitting_call_ns": 2, "causes": {"stage": "kernel", "stall": {
	"from_ns": "8", "ns": 5}, "ran_ns": 1, "waited_ns": 1,
	"interrupts_ns": 1, "woken_late_ns": 1, "asleep_ns": 0,
	"unexplained_ns": 1, "since_interrupt_ns": 1, "stolen_at_most_ns": 1,
	"lost": false, "had_cpu": [{"kind": "process", "ns": 1, "id": 7,
	"name": "x"}]}}, {"offset": 0, "size": 4096, "ddir": "read",
	"stages": {"queue": 1, "submit": 1, "blockq": 1, "device": 1,
		"complete": 1, "reap": 1, "deliver": 1, "lat": 7}}],
"stages_by_lat": {"read": [{"from_ns": 96, "to_ns": 103, "ios": 89,
	"stages": {"queue": 890, "kernel": 6230, "deliver": 1780}}]},
"devices": [{"device": "8:0", "name": "sda", "ios": {"read": 60, "write": 0, "trim": 0,
	"sync": 0}, "lat": {"read": $(digits=2; counted 900 60)}, "device_time":
	{"read": $(digits=2; counted 800 60)}, "over_time": [{"from_ns": 0, "over_ns": 9,
	"read": {"count": 60, "sum_ns": 54000}}]}], "devices_other_files": 3,
"causes": {"state": "on"},
"attached": {"more_rings": 0, "others": {"recv": 1}, "in_flight": 0, "more_cqes": 0, "lost_records": 0,
	"lost_ios": 0, "lost_rings": 0, "lost_names": 0, "lost_processes": 0, "rings": [{"ring": 1, "program": "x", "pid": 1,
	"fd": -1, "sq_entries": 8, "cq_entries": 16}], "operations": [{"ring": 1,
	"operation": "read", "file": "x", "ios": 100, "split": 0, "no_request": 100,
	"missing_stamp": 0, "linked": 0, "empty": 0, "errors": 0, "cancelled": 0,
	"sync_write": 0, "waited": 0, "drained": 0, "no_cqe": 0, "unseen": 0,
	"stages": {"lat": $(histogram 1000)}}]},
"over_time": [{"from_ns": 0, "over_ns": 10, "read": {"count": 1, "sum_ns": 9,
	"min_ns": 9, "max_ns": 9, "percentiles": {"99.000000": 9}}}],
"trigger": {"state": "on", "why": "x", "above_ns": 5, "slower": 1, "io": {"offset": 0,
	"size": 4096, "ddir": "read", "ticks": "5", "monotonic_ns": "7",
	"lat_ns": 9}, "event_count": 1, "whole_from_ns": "8", "stopped_for": 2, "events": [
	{"monotonic_ns": "8", "cpu": 0, "task": "x", "pid": 1, "event": "x",
	"args": "", "own": true}]},
"response": {"resolution_ns": 1000, "slip": {"read": $(histogram 1000)},
	"total": {"read": $(histogram 1000)}, "slip_at_end_ns": {"read": 3}}}
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
while read -r file path; do
	case $file in *.always.json) should=65 ;; *) should=0 ;; esac
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
