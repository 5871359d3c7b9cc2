#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Compares all that tickwise report prints and writes, for small reports made by
# hand that together have every section. Fails if a character of it changes.
. "$(dirname "$0")/golden.sh"
. "$root/tests/report_files.sh"

# with FILE KEYS: writes plain.json with more keys in place of its last one
with()
{
	sed '/^"slowest"/d' plain.json >"$1"
	printf '%s}\n' "$2" >>"$1"
}

# ---- one job, stages not split; nothing is wrong ----
write_report one.json

# ---- three jobs of a group, split inside the kernel in two of them ----
slow_of_all='{"job": 0, "offset": 8192, "size": 4096, "ddir": "read", "ticks": "77",
	"raw_ns": "5500", "monotonic_ns": "7000", "submitting_call_ns": 80,
	"stages": {"queue": 50, "submit": 20, "blockq": 20, "device": 630,
	"complete": 50, "reap": 30, "deliver": 200, "lat": 1000}}, {"job": 0,
	"offset": 16384, "size": 4096, "ddir": "read", "monotonic_ns": "8000",
	"stages": {"queue": 160, "submit": 30, "blockq": 60, "device": 400,
	"complete": 100, "reap": 50, "deliver": 100, "lat": 900}}'
slow_of_most='{"job": 0, "offset": 12288, "size": 4096, "ddir": "read", "monotonic_ns": "9000",
	"submitting_call_ns": 6, "stages": {"queue": 50, "kernel": 750,
	"deliver": 200, "lat": 1000}}, {"job": 0, "offset": 4096, "size": 512, "ddir": "read",
	"monotonic_ns": "12000", "stages": {"queue": 160, "submit": 30, "blockq": 60,
	"device": 400, "complete": 100, "reap": 50, "deliver": 100, "lat": 900}}'
write_report plain.json split=all kernel="$(on_or_off)" kernel_stages="$(on_of 100 0 0 0)"
with all.json "\"slowest\": [$slow_of_all]"
write_report plain.json split=most thread=2 pid=101 kernel="$(on_or_off)" \
	kernel_stages="$(on_of 99 1 0 0)"
with most.json "\"slowest\": [$slow_of_most]"
write_report plain.json thread=3 pid=102 kernel_stages="$(on_of 0 0 0 0)" \
	kernel="$(on_or_off 'no privilege: CAP_BPF and CAP_PERFMON are needed')"
with off.json '"slowest": [{"job": 0, "offset": 0, "size": 4096, "ddir": "read", "stages":
	{"queue": 50, "kernel": 750, "deliver": 200, "lat": 1000}}, {"job": 0, "offset":
	4096, "size": 4096, "ddir": "read", "stages": {"queue": 160, "kernel": 640,
	"deliver": 100, "lat": 900}}]'

# ---- a job behind its schedule, over time ----
width=512000000
from=$((1700000000000000000 / width * width))
window()
{
	echo "{\"start\": \"$((from + $1 * width))\", \"read\": $(shift; digits=1; counted "$@")}"
}
over_time="\"over_time\": {\"width_ns\": $width, \"windows\": [$(window 0 100 50 900 10),
	$(window 2 100 33 900 6), $(window 3 2000 1)]}"
response="\"response\": {\"resolution_ns\": 1000, \"slip\": {\"read\":
	$(histogram 950)}, \"total\": {\"read\": $(histogram 1000)},
	\"slip_at_end_ns\": $(counts 940 moves)}"
write_report plain.json name=rated group=1 pid=103 thread=4 slow=2000
with rated.json "$over_time, $response, \"slowest\": []"

# ---- troubles: a counter that is unreliable, errors, an older engine ----
write_report troubled.json name=troubled group=2 pid=104 thread=5 verdict=unreliable \
	reasons='{"code": "offset", "text": "CPU 1 is ahead of CPU 0"}' fallback=true \
	errors=3 short=2 empty=4 requeued=5 unaccounted=7777 backwards=9 \
	event_time=true against=CLOCK_MONOTONIC fio_ns=-1e12 fio_ppb=1e9
write_report undecided.json name=undecided group=3 pid=105 thread=6 \
	verdict=undecided run_ns=0
write_report plain.json name=older group=4 pid=106 thread=8
grep -v '^"batches"\|^"backwards"' plain.json |
	sed 's/"stages": {"queue"/"stages": {"lunch"/' >older.json

# ---- what happened to the job in its slowest I/O, and what the kernel recorded ----
write_report plain.json name=caused group=5 pid=107 thread=9 split=all slow=5100000 \
	queue=0 deliver=10000 kernel='"causes": {"state": "on"},' kernel_stages='
	"triggers": [{"job": 0, "state": "on", "above_ns": 5000000, "slower": 3, "io":
	{"offset": 8192, "size": 4096, "ddir": "read", "ticks": "7",
	"monotonic_ns": "9007199254000740", "lat_ns": 5100000}, "event_count": 12, "events": [
	{"monotonic_ns": "9007199253997000", "cpu": 0, "task": "sh", "pid": 22, "event":
	"sched_switch", "args": "prev_comm=sh prev_pid=22 prev_prio=120 prev_state=R+ ==> next_comm=fio next_pid=9 next_prio=120",
	"own": true}, {"monotonic_ns": "9007199254002000", "cpu": 13, "task":
	"kworker/0:1", "pid": 44, "event": "workqueue_execute_start", "args":
	"work struct 0000: function flush"}]}],'
with caused.json '"slowest": [{"job": 0, "offset": 8192, "size": 4096, "ddir": "read",
	"monotonic_ns": "1000000", "stages": {"queue": 0, "submit": 10000, "blockq":
	10000, "device": 60000, "complete": 5000000, "reap": 10000, "deliver": 10000,
	"lat": 5100000}, "causes": {"stage": "complete", "stall": {"from_ns": "1080000",
	"ns": 5000000}, "ran_ns": 100000, "waited_ns": 4900000, "interrupts_ns": 0,
	"woken_late_ns": 0, "asleep_ns": 0, "unexplained_ns": 0, "since_interrupt_ns": 0,
	"stolen_at_most_ns": 0, "lost": false, "had_cpu": [{"kind": "kernel", "id": 9,
	"name": "kworker/1:2", "ns": 4900000}]}}]'

# ---- a program that tickwise attach observed ----
attached_stages()
{
	for stage in "blockq 10 60" "device 40 400" "complete 15 115"; do
		# shellcheck disable=SC2086	# a name and its values
		set -- $stage "$1"
		echo "\"$1\": $4$(counted "$2" 89 "$3" 10)${4:+\}},"
		set -- "$4"
	done
	echo "\"kernel\": $1$(counted 640 1)${1:+\}},
		\"lat\": $1$(counted 65 89 575 10 640 1)${1:+\}}"
}
cat >attached.json <<END
{"schema": "tickwise-report", "version": 1, "jobs": [{"name": "db", "host": "box",
"fio_version": "", "engine": "attach", "tickwise_version": "0.1", "groupid": 0,
"thread_number": 1, "subjob_number": 0, "pid": 7643, "start": "1700000000000000000",
"iodepth": 0, "first_ns": 0, "run_ns": 2000000000, "event_time": false,
"event_wait": false, "fallback": true, "kernel": {"state": "on"}}],
"ios": $(counts 100), "errors": $(counts 1), "empty": $(counts 2 moves),
"linked": $(counts 0), "drained": $(counts 0), "cancelled": $(counts 0),
"no_cqe": $(counts 0), "unseen": $(counts 0),
"stages": {$(attached_stages '{"read": ')}, "kernel_stages": {"split": $(counts 99),
"not_split": {"no_request": $(counts 1), "missing_stamp": $(counts 0),
"sync_write": $(counts 0), "waited": $(counts 0)}, "requests": 100, "retries": 0,
"negative_beyond": 0, "negative_within": 0},
"slowest": [{"job": 0, "offset": 3764224, "size": 4096, "ddir": "read", "monotonic_ns":
"13584924461442", "stages": {"blockq": 60, "device": 400, "complete": 115, "lat": 575},
"ring": 1, "operation": "read", "file": "/data/db"}],
"attached": {"rings": [{"ring": 1, "program": "db", "pid": 7643, "fd": 7, "sq_entries": 4,
"cq_entries": 8}], "operations": [{"ring": 1, "operation": "read", "file": "/data/db",
"ios": 100, "split": 99, "no_request": 1, "missing_stamp": 0, "sync_write": 0,
"waited": 0, "linked": 0, "drained": 0, "empty": 2, "errors": 1, "cancelled": 0,
"no_cqe": 0, "unseen": 0, "stages": {$(attached_stages '')}}], "others": {"recv": 7},
"more_rings": 0, "in_flight": 3, "more_cqes": 0, "lost_records": 0, "lost_ios": 2,
"lost_rings": 0, "lost_names": 0, "lost_processes": 0},
"counter": {"verdict": "unchecked", "reasons": []}, "clocks": {}}
END

# ---- another direction, another host ----
sed 's/{"read": \([0-9]*\), "write": 0/{"read": 0, "write": \1/
	s/{"read": {/{"write": {/g; s/"thread_number": 1/"thread_number": 7/
	s/"name": "randread"/"name": "writer"/' one.json >write.json
sed 's/"host": "box"/"host": "far"/; s/"pid": 100/"pid": 200/' one.json >far.json

# ---- a job with several devices, and jobs with one each ----
drives()
{
	perl "$root/tests/device_reports.pl" "$@"
}
drives name=four thread=1 MODEL=A 8:0,sda,100000,200000 8:16,sdb,110000,220000 MODEL=B \
	8:32,sdc,100100,205000 8:48,sdd,100200,199000 >four.json
drives name=first thread=2 pid=301 259:1,nvme1n1,100000,200000 >first.json
drives name=second thread=3 pid=302 259:2,nvme2n1,101000,200000,99000,99000,99000 >second.json

# ---- files of intervals: of a job with its report, and of a killed job ----
write_intervals one.jsonl errors=1
write_report plain.json
with ran.json "$over_time, \"slowest\": []"
write_intervals two.jsonl thread=10 pid=108 name=killed fallback=true
sed -i '$d' two.jsonl

golden help report --help
golden one report one.json
golden split report --html=split.html --trace=split.trace --percentiles=p. all.json \
	most.json off.json
golden_file split.html split.html
golden_file split.trace split.trace
for file in p.*; do
	{ echo "$file"; cat "$file"; } >>percentiles
done
golden_file percentiles percentiles
golden split_json report --json all.json most.json off.json
golden rated report --html=rated.html rated.json
golden_file rated.html rated.html
golden rated_json report --json rated.json
golden caused report --html=caused.html --trace=caused.trace caused.json
golden_file caused.html caused.html
golden_file caused.trace caused.trace
golden caused_json report --json caused.json
golden attached report --html=attached.html attached.json
golden_file attached.html attached.html
golden attached_json report --json attached.json
golden devices report --html=devices.html four.json
golden_file devices.html devices.html
golden devices_json report --json four.json
golden drives report first.json second.json
golden troubled report --html=troubled.html troubled.json undecided.json older.json
golden_file troubled.html troubled.html
golden groups report all.json rated.json write.json troubled.json
golden groups_csv report --csv all.json rated.json write.json troubled.json older.json
golden groups_json report --json write.json troubled.json older.json
golden hosts report one.json far.json
golden merge_hosts report --merge-hosts one.json far.json
golden intervals report one.jsonl two.jsonl
golden intervals_of_report report ran.json one.jsonl
golden span report --from=1 --to=1500ms ran.json one.jsonl
golden span_json report --json --from=3500ms one.jsonl

sed 's/"sum_ns": "[0-9]*"/"sum_ns": "1"/' one.json >sum.json
head -n 5 one.json >cut_off.json
echo '{"schema": "tickwise-report", "version": 2}' >later.json
echo '{"schema": "another", "version": 1}' >schema.json
echo '[]' >array.json
: >empty.json
usage_errors report <<'LINES'

--jsn one.json
--html
missing.json
one.json one.json
sum.json
cut_off.json
later.json
schema.json
array.json
empty.json
LINES
golden_done
