#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: core/latency core/report core/command/analysis core/command core/command/output
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

# ---- the parts of blockq: exact ones, and with those of a job that has a bound ----
parts()
{
	with "$1" '"slowest": [{"job": 0, "offset": 8192, "size": 4096, "ddir": "read",
		"monotonic_ns": "7000", "stages": {"queue": 50, "submit": 20, "blockq": 620,
		"device": 30, "complete": 50, "reap": 30, "deliver": 200, "lat": 1000},
		"blockq": {'"$2}}]"
}
scheduler="\"scheduler\": {\"read\": $(values 5 30 10)}"
write_report plain.json split=all kernel="$(on_or_off)" kernel_stages="$(on_of 100 0 0 0)
	\"blockq\": {\"before\": {\"read\": $(values 2 10 5)},
	\"admission\": {\"read\": $(values 3 20 5)}, $scheduler},"
parts exact.json '"before": 20, "admission": 500, "scheduler": 100'
write_report plain.json thread=2 pid=101 split=all kernel="$(on_or_off)" \
	kernel_stages="$(on_of 100 0 0 0) \"blockq\": {$scheduler},"
parts bound.json '"scheduler": 100'
# A worker of io_uring had some of them. The slowest waited for one.
stages=$(on_of 100 0 0 0)
write_report plain.json split=all kernel="$(on_or_off | sed 's/}/}, "causes": {"state": "on"}/')" \
	kernel_stages="${stages%\},} , \"workers\": $(counts 20),
	\"to_workers\": {\"asked\": $(counts 1), \"block_layer\": $(counts 14),
	\"file_system\": $(counts 5), \"unknown\": $(counts 0)}, \"workers_late\": 2}, \"blockq\": {
	\"worker\": {\"read\": $(values 1 8 5)},
	\"before\": {\"read\": $(values 1 2 0)},
	\"admission\": {\"read\": $(values 3 20 5)}, $scheduler},"
slept='"slept": [{"reason": "worker", "function": "", "ns": 400}, {"reason": "tag",
	"function": "blk_mq_get_tag", "ns": 80}, {"reason": "inode lock",
	"function": "ext4_dio_write_iter", "ns": 20}]'
parts worker.json '"worker_is_bound": true, "worker": 400, "before": 20, "admission": 100, "scheduler": 100}, "causes":
	{"stage": "blockq", "stall": {"from_ns": "70", "ns": 620}, '"$slept"

# ---- a job behind its schedule, over time ----
width=512000000
from=$((1700000000000000000 / width * width))
window()
{
	echo "{\"start\": \"$((from + $1 * width))\", \"read\": $(shift; digits=1; counted "$@")}"
}
over_time="\"over_time\": {\"width_ns\": $width, \"windows\": [$(window 0 100 50 900 10),
	$(window 2 100 33 900 6), $(window 3 2000 1)]}"
response="\"response\": {\"resolution_ns\": 1000, \"backlog\": {\"read\":
	$(histogram 950)},
	\"backlog_at_end_ns\": $(counts 940 moves)}"
by_lat='"stages_by_lat": {"read": [
	{"from_ns": 96, "to_ns": 103, "ios": 89, "stages": {"queue": 890, "device": 8010}},
	{"from_ns": 896, "to_ns": 959, "ios": 10, "stages": {"queue": 1600, "kernel": 7400}},
	{"from_ns": 4718592, "to_ns": 5242879, "ios": 1, "stages": {"submit": 20000,
	"device": 80000, "complete": 5000000}}]}'
write_report plain.json name=rated group=1 pid=103 thread=4 slow=2000
with rated.json "$over_time, $response, \"slowest\": []"

# ---- troubles: a counter that is unreliable, errors, an older engine ----
write_report troubled.json name=troubled group=2 pid=104 thread=5 verdict=unreliable \
	reasons='{"code": "offset", "text": "CPU 1 is ahead of CPU 0"}' fallback=true \
	errors=3 short_ios=2 zero_byte=4 requeued=5 unaccounted=7777 clock_went_back=9 \
	event_time=true against=CLOCK_MONOTONIC fio_ns=-1e12 fio_ppb=1e9
write_report undecided.json name=undecided group=3 pid=105 thread=6 \
	verdict=undecided run_ns=0
write_report plain.json name=older group=4 pid=106 thread=8
grep -v '^"batches"\|^"clock_went_back"' plain.json |
	sed 's/"stages": {"queue"/"stages": {"lunch"/' >older.json

# ---- what happened to the job in its slowest I/O, and what the kernel recorded ----
write_report plain.json name=caused group=5 pid=107 thread=9 split=all slow=5100000 \
	queue=0 deliver=10000 run='"start_monotonic_ns": "500000",' \
	kernel='"causes": {"state": "on"},' kernel_stages='
	"triggers": [{"job": 0, "state": "on", "above_ns": 5000000, "slower": 3, "io":
	{"offset": 8192, "size": 4096, "ddir": "read", "ticks": "7",
	"monotonic_ns": "9007199254000740", "lat_ns": 5100000}, "event_count": 12, "events": [
	{"monotonic_ns": "9007199253997000", "cpu": 0, "task": "sh", "pid": 22, "event":
	"sched_switch",
	"args": "prev_comm=sh prev_pid=22 prev_state=R+ ==> next_comm=fio next_pid=9",
	"own": true}, {"monotonic_ns": "9007199254002000", "cpu": 13, "task":
	"kworker/0:1", "pid": 44, "event": "workqueue_execute_start", "args":
	"work struct 0000: function flush"}]}],'
with caused.json "$over_time, $response, $by_lat, "'"slowest": [{"job": 0, "offset": 8192,
	"size": 4096, "ddir": "read", "monotonic_ns": "1000000",
	"stages": {"queue": 0, "submit": 10000, "blockq":
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
"ios": $(counts 100), "errors": $(counts 1), "zero_byte": $(counts 2 moves),
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
"waited": 0, "linked": 0, "drained": 0, "zero_byte": 2, "errors": 1, "cancelled": 0,
"no_cqe": 0, "unseen": 0, "stages": {$(attached_stages '')}}, {"ring": 0, "operation":
"fdatasync", "file": "/data/log", "ios": 2, "written_bytes": 8192, "no_request": 2, "unseen": 1, "stages": {
"kernel": $(counted 200 1 300 1), "lat": $(counted 200 1 300 1), "data": $(counted 20 1 30 1),
"journal": $(counted 5 1 0 1), "flush": $(counted 140 1 260 1), "wake": $(counted 35 1 10 1)}}],
"others": {"recv": 7},
"more_rings": 0, "in_flight": 3, "more_cqes": 0, "lost_records": 0, "lost_ios": 2,
"lost_rings": 0, "lost_names": 0, "lost_processes": 0},
"counter": {"verdict": "unchecked", "reasons": []}, "clocks": {}}
END

# ---- a program without a ring, which waits ----
waits()
{
	cat <<-END
	{"schema": "tickwise-report", "version": 1, "jobs": [{"name": "db", "host": "box",
	"fio_version": "", "engine": "attach", "tickwise_version": "0.1", "groupid": 0,
	"thread_number": 1, "subjob_number": 0, "pid": 7643, "start": "1700000000000000000",
	"iodepth": 0, "first_ns": 0, "run_ns": 2000000000, "event_time": false,
	"event_wait": false, "fallback": true, "kernel": {"state": "on"}}],
	"ios": $(counts 0), "stages": {"lat": {}},
	"attached": {"rings": [], "operations": [], "others": {}},
	"waits": {"read_calls": 1000, "write_calls": 200, "read_bytes": 4096000,
	"written_bytes": 819200, "storage_bytes": 405504, "run_ns": 900000, "ready_ns": 30000, "ready_in_waits_ns": 5000,
	"calls_that_waited": 120, "not_over": 1, "lost_waits": 0, "of_32_bits": 2, "rows": [$1],
	"slowest": [{"monotonic_ns": "13584924461442", "ns": 575, "call": "pread64",
	"file": "/data/db", "reason": "cache miss", "function": "folio_wait_bit_common",
	"pid": 7643, "program": "db\u001b[2J", "tid": 7644, "offset": 4096, "bytes": 512,
	"in_flight_of_others": {"own": 1, "more": 0, "requeues": 0, "cut": false, "kind": "writes",
	"requests": 8, "bytes": 65536, "who": {"kind": "process", "id": 9, "name": "cp\u001b[2J",
	"requests": 6, "bytes": 49152}}},
	{"monotonic_ns": "13584924461443", "ns": 400, "call": "pwrite64",
	"file": "/data/db", "reason": "inode lock", "function": "ext4_buffered_write_iter",
	"pid": 7643, "program": "db", "tid": 7643, "who": {"kind": "process", "id": 9,
	"name": "cp\u001b[2J"}}]},
	"counter": {"verdict": "unchecked", "reasons": []}, "clocks": {}}
	END
}
row()
{
	echo "{\"call\": \"$1\", \"file\": \"$2\", \"reason\": \"$3\", \"function\":
		\"$4\", ${7:-} \"blockq_ns\": $(($5 / 10)), \"device_ns\": $5, \"complete_ns\": $(($5 / 5)), \"time\": $6}"
}
waits "$(row pread64 /data/db 'cache miss' folio_wait_bit_common 4000 "$(counted 65 89 575 10)" '"in_flight_of_others":
		[{"kind": "writes", "who": {"kind": "process", "name": "cp\u001b[2J"}, "waits": 3, "device_ns": 300},
		{"kind": "flushes", "waits": 1, "device_ns": 100}, {"waits": 6, "device_ns": 100}],'),
	$(row pread64 /data/db 'cache miss' folio_lock 1000 "$(counted 640 3)" '"in_flight_of_others":
		[{"waits": 2, "device_ns": 500}],'),
	$(row 'page fault' - "other's page" folio_wait_bit_common 0 "$(counted 300 2)"),
	$(row pwrite64 /data/db other ext4_does 0 "$(counted 100 1)"),
	$(row read /mnt/f 'file system' fuse 0 "$(counted 400 1)"),
	$(row fdatasync /data/log writeback folio_wait_writeback 50 "$(counted 80 1)"),
	$(row openat - 'no such word' x 0 "$(counted 20 1)"),
	$(row read /data/db io.max folio_wait_bit_common 0 "$(counted 15 1)" '"limit": "riops=500", "cgroup":
		"/system.slice/a-database-with-a-long-name.service\u001b[2J",')" >waits.json
waits "" >no_waits.json
# More than have rows of their own, which are most of the time; and small ones
waits "$(for i in $(seq 16); do row openat "/data/$i" metadata x 0 "$(counted 20 3)"; echo ,; done)
	$(row pread64 'many files below /srv/data/' 'cache miss' x 4000 "$(counted 65 89 575 10)")" >many_files.json

# ---- another direction, another host ----
sed 's/{"read": \([0-9]*\), "write": 0/{"read": 0, "write": \1/
	s/{"read": {/{"write": {/g; s/"thread_number": 1/"thread_number": 7/
	s/"name": "randread"/"name": "writer"/' one.json >write.json
sed 's/"host": "box"/"host": "far"/; s/"pid": 100/"pid": 200/' one.json >far.json

# ---- syncs: with all their parts and without a flush, and one with an unknown wait ----
# syncs PARTS FILE [CACHE]: makes the I/Os of one.json syncs, of a device with that cache
syncs()
{
	json=$(cat one.json)
	perl -MJSON::PP -e 'my ($r, $parts) = map { decode_json($_) } @ARGV[0, 1];
		for ($r->{stages}, $r) {
			for my $by (grep { ref eq "HASH" } values %$_) {
				$by->{sync} = delete $by->{read} if ref $by->{read};
				@$by{qw(read sync)} = (0, $by->{read}) if exists $by->{sync} && !ref $by->{sync};
			}
		}
		@$r{qw(bytes sync slowest)} = ({ read => 0, write => 0, trim => 0 }, $parts, [{ job => 0,
			offset => 0, size => 0, ddir => "sync", monotonic_ns => "9000",
			stages => { queue => 50, kernel => 750, deliver => 200, lat => 1000 },
			sync => { worker => 50, data => 100, journal => 250, flush => 300, wake => 50 },
			written_bytes => 4096, commit => { waits => 2, others => 3, who => { kind => "process", id => 77,
				name => "dd", handles => 5 } } }]);
		$r->{commits} = [ { job => 0, who => { kind => "process", id => 77, name => "dd" },
			ios => 14, journal_ns => 900 }, { job => 0, who => { kind => "hidden" },
			ios => 2, journal_ns => 300 }];
		$r->{jobs}[0]{syncs} = { state => "on" };
		$r->{devices} = [{ host => "box", device => "8:0", name => "sda",
			write_cache => $ARGV[2] }];
		print JSON::PP->new->canonical->encode($r)' "$json" "$1" "${3:-write back}" >"$2"
}
sync_of()
{
	echo "\"$1\": {\"sync\": $(shift; counted "$@")}"
}
syncs "{$(sync_of worker 5 89 40 10 50 1), $(sync_of data 10 89 100 11),
	$(sync_of journal 20 89 200 10 250 1), $(sync_of flush 30 89 250 10 300 1),
	$(sync_of wake 5 89 50 11), \"written_bytes\": {\"read\": 0, \"write\": 0,
	\"trim\": 0, \"sync\": 614400},
	\"not_split\": $(counts 0)}" synced.json
syncs "{$(sync_of worker 5 89 40 10 50 1), $(sync_of data 60 89 550 10 650 1),
	$(sync_of journal 0 100), $(sync_of flush 0 100),
	$(sync_of wake 5 89 50 11), \"not_split\": $(counts 0)}" no_flush.json 'write through'
syncs "{$(sync_of worker 5 89 40 10), $(sync_of data 10 89 100 10),
	$(sync_of journal 20 89 200 10), $(sync_of flush 30 89 250 10),
	$(sync_of wake 5 89 50 10), \"not_split\": {\"read\": 0, \"write\": 0, \"trim\": 0,
	\"sync\": 1}}" some_whole.json

# Direct writes with a sync in `complete`, and without one.
# synced_writes WORKER DATA JOURNAL FLUSH WAKE SLOW FILE: the first five are values and counts
synced_writes()
{
	write_report plain.json split=all kernel="$(on_or_off)" kernel_stages="$(on_of 100 0 0 0)
		\"complete\": {$(sync_of worker $1), $(sync_of data $2), $(sync_of journal $3),
		$(sync_of flush $4), $(sync_of wake $5)},"
	with direct.json "\"slowest\": [${slow_of_all%%\}\}, *}}, \"complete\": {$6}}]"
	sed 's/{"read": \([0-9]*\), "write": 0/{"read": 0, "write": \1/
		s/{"\(read\|sync\)": {/{"write": {/g; s/"ddir": "read"/"ddir": "write"/' \
		direct.json >"$7"
}
synced_writes '1 89 4 10 5 1' '0 100' '2 89 20 10 10 1' '3 89 60 10 25 1' '4 89 15 10 8 1' \
	'"worker": 5, "data": 0, "journal": 10, "flush": 25, "wake": 10' synced_writes.json
synced_writes '0 100' '0 100' '0 100' '0 100' '10 89 100 10 50 1' \
	'"worker": 0, "data": 0, "journal": 0, "flush": 0, "wake": 50' through.json
# The stages device and complete change places: nearly all of complete is the flush.
synced_writes '1 100' '0 100' '0 100' '39 89 399 10 629 1' '0 100' \
	'"worker": 1, "data": 0, "journal": 0, "flush": 629, "wake": 0' flushed.json
sed -i 's/"device": \({"write"\|[0-9]\)/"was_device": \1/g
	s/"complete": \({"write"\|[0-9]\)/"device": \1/g; s/was_device/complete/g' flushed.json

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
golden split report --trace=split.trace --percentiles=p. all.json most.json off.json
golden_file split.trace split.trace
{ ls p.*; cat p.randread.read.lat.hgrm; } >percentiles
golden_file percentiles percentiles
golden split_json report --json all.json most.json off.json
golden parts report exact.json
golden parts_worker report worker.json
golden parts_bound report exact.json bound.json
golden syncs report synced.json
golden syncs_no_flush report no_flush.json
golden syncs_some_whole report some_whole.json
golden syncs_json report --json synced.json
# Its bar and its lines have the parts of the sync, in place of the whole.
"$tickwise" report --html=synced.html synced.json >/dev/null 2>&1
is "$(grep -oE "<title>stage (data|journal|flush|wake|kernel): " synced.html | sort -u | tr -d "\n")" \
	"<title>stage data: <title>stage flush: <title>stage journal: <title>stage wake: " \
	"parts of a sync are drawn"
# No label of a plot covers another: of that page, and of jobs, some with the same load.
jobs=
for depth in 1 2 4 8 16 32 64; do
	write_report depth.$depth.json name=depth-$depth group=$depth depth=$depth \
		run_ns=$((10000000000 / (depth < 8 ? depth : 8))) slow=$((1000 * depth))
	jobs="$jobs depth.$depth.json"
done
# shellcheck disable=SC2086	# names
"$tickwise" report --html=jobs.html $jobs >/dev/null 2>&1
is "$(grep -c '>depth-[0-9]*</text>' jobs.html)" 7 "jobs have a label each"
is "$(perl "$root/tests/unit/command/output/overlaps.pl" synced.html jobs.html)" "" \
	"no label covers another"
# The second job begins when a half of the first one is over.
write_report first_half.json run_ns=10000000000
write_report other_half.json run_ns=10000000000 thread=2 pid=102 start=1700000005000000000
is "$("$tickwise" report first_half.json other_half.json | grep -A1 WARNING)" \
	"WARNING: the jobs did not run at the same time: IOPS and MiB/s are over the
    10 s of the longest one, and all took 15 s" "jobs that began at different times"
golden synced_writes report synced_writes.json
golden synced_writes_through report through.json
is "$("$tickwise" report flushed.json | grep 'largest stage')" \
	"write: largest stage flush, 43 %: in the drive as it empties its cache" \
	"of the sync after a write, the largest part is named"
golden rated report rated.json
golden rated_json report --json rated.json
golden whole report --all caused.json
# What hardly matters is left out of the page, and what matters is not.
changes <<'CASES'
all
	$r->{kernel_stages}{every} = 16; $r->{kernel_stages}{split}{read} = 6;
	not_chosen(94);
	$r->{kernel_stages}{cost} = { pairs => 25, cpu_off_ps => 100000000,
	cpu_on_ps => 101500000, cpu_squares_ns2 => 150000, lat_off_ps => 500000000,
	lat_on_ps => 500010000, lat_squares_ns2 => 900000 }
all
	$r->{kernel_stages}{every} = 16;
	not_chosen(1);
	$r->{kernel_stages}{split}{read} = 99;
	$r->{kernel_stages}{cost} = { pairs => 25, cpu_off_ps => 80000000,
	cpu_on_ps => 120000000, cpu_squares_ns2 => 150000, lat_off_ps => 500000000,
	lat_on_ps => 501000000, lat_squares_ns2 => 900000 }
worker
	$r->{options} = { rw => "randread", bs => "4k", direct => 1 };
	$_ .= "" for values %{$r->{options}}; $j->{options} = {}; $r->{bytes} = moves(10485760);
	$r->{files} = [{ host => "box", path => "/data/file", size => 1610612736, device => "8:0",
	filesystem => "xfs" }]; $r->{devices} = [{ host => "box", device => "8:0", name => "sda",
	model => "Model 7", scheduler => "mq-deadline", nr_requests => 64, queue_depth => 32,
	rotational => $true, write_cache => "write back", size => "240057409536" }];
	$r->{slowest} = [map { my %c = %{$s->[0]}; $c{offset} = $_; \%c } 1 .. 9]
caused
	my $t = $r->{triggers}[0] // $r->{kernel_stages}{triggers}[0]; $r->{errors}{read} = 5;
	$t->{events} = [map { { %{$t->{events}[0]}, cpu => $_ } } 1 .. 12];
	$j->{options} = { iodepth_batch_complete_min => "8", verify => "crc32c" };
	$r->{files} = [{ host => "box", path => "/data/" x 30, size => 1610612736,
	device => "8:0" }];
	$r->{slowest} = [map { my %c = %{$s->[0]}; $c{offset} = $_; \%c } 1 .. 9]
all
	$r->{kernel_stages}{every} = 16; $r->{kernel_stages}{split}{read} = 6;
	not_chosen(94);
	$r->{kernel_stages}{cost} = { pairs => 25, cpu_off_ps => 100000000,
	cpu_on_ps => 101500000, cpu_squares_ns2 => 150000, lat_off_ps => 500000000,
	lat_on_ps => 515000000, lat_squares_ns2 => 9000000 }
CASES
cp changes/3.json rich.json
cp changes/4.json crowded.json
golden rich report rich.json
golden crowded report crowded.json
cp changes/1.json cheap.json
cp changes/2.json dear.json
golden cheap report cheap.json
golden dear report dear.json
# The CPU costs little, but lat is longer by 3 %.
cp changes/5.json slowed.json
golden slowed report slowed.json
golden caused report --html=caused.html --trace=caused.trace caused.json
golden_file caused.html caused.html
golden_file caused.trace caused.trace
golden caused_json report --json caused.json
golden attached report attached.json
golden attached_json report --json attached.json
golden waits report --all --html=waits.html waits.json
golden waits_json report --json waits.json
golden no_waits report no_waits.json
waits "$(row pread64 /data/db io.max x 0 "$(counted 300 2)" '"limit": "riops=100", "cgroup": "/db",')" >limited.json
sed 's/"others": {}}/"others": {}, "processes": 7}/' limited.json >several.json
run report several.json
tr -s ' \n' ' ' <"$out" | grep -q 'process 7643, 6 more, and those they started '
ok $? 'a title says how many processes were followed'
golden limited_waits report limited.json
# No I/O of these has a lat: the one is not called the slower one.
sed 's/"name": "db"/"name": "log"/; s/7643/7644/' limited.json >log.json
golden several_waits report waits.json log.json
# Most of them wait for a scheduler.
sed 's/"blockq_ns": 400,/"blockq_ns": 4000,/' many_files.json >blockq.json
run report blockq.json
grep -q '^time of all waits: 32 % before the device, 32 % in the device, 6 % after it,$' "$out"
ok $? 'the time of waits before the device is told'
# Of a job, whose waits are a part of its stages.
job_waits()
{
	write_report plain.json slow=300
	with "$1" "\"waits\": {\"lost_waits\": $3, \"rows\": [$(row io_uring_enter /data/x tag x 0 "$2")]}"
}
job_waits job_waits.json "$(counted 3000000 40)" 2
golden job_waits report job_waits.json
job_waits few_waits.json "$(counted 3000000 30)" 2
run report few_waits.json
grep -q '2 waits or bios not followed' "$out"
ok $? 'lost waits of a job are told'
job_waits few_waits.json "$(counted 3000000 30)" 0
run report few_waits.json
! grep waits "$out"
ok $? 'those of a job are left out if they took less than a hundredth of the run'
run report --all few_waits.json
grep -q '^io_uring_enter  *30 ' "$out"
ok $? 'but not with --all'
run report --all --from=1 job_waits.json
! grep waits "$out"
ok $? 'nor are those of the whole run on the page of a part of it'
golden many_files report many_files.json
golden devices report four.json
golden devices_json report --json four.json
golden drives report first.json second.json
golden troubled report troubled.json undecided.json older.json
golden groups report one.json write.json
golden groups_csv report --csv all.json rated.json write.json troubled.json older.json
golden groups_json report --json write.json troubled.json older.json
golden merge_hosts report --merge-hosts one.json far.json
golden intervals report one.jsonl two.jsonl
golden intervals_of_report report ran.json one.jsonl
golden span report --from=1 --to=1500ms ran.json one.jsonl
golden span_json report --json --from=3500ms one.jsonl
sed 's/"host": *"box"/"host": "far"/; s/"pid": *100/"pid": 200/' one.jsonl >far.jsonl
golden span_hosts report --from=1 --to=1500ms one.jsonl far.jsonl
sed 's/"host": *"box"/"host": "far"/; s/"pid": *100/"pid": 200/' rated.json >far_rated.json
golden span_windows report --to=200ms rated.json far_rated.json

for page in one caused rated parts_worker cheap dear rich crowded; do
	[ "$(wc -l <"$got/report_$page.txt")" -le 42 ]
	ok $? "$page: 40 lines at most, without the command and its exit code"
done

# ---- what a change of a report changes on its page ----
write_report two.json thread=2 pid=102
write_report large.json depth=16 slow=100000 deliver=50000
changes <<'CASES'
one
	fio_lat(100, 19060)
one
	fio_lat(100, 18200); $j->{fio_run_ns} = { read => 20000000000 };
	$j->{options} = { end_fsync => "1" }
one
	fio_lat(100, 18200); $j->{fio_run_ns} = { read => 8000000000 };
	$j->{options} = { verify => "md5" }
one
	fio_lat(100, 18200); $j->{fio_run_ns} = { read => 10900000000 }
one
	fio_lat(100, 18200); $j->{fio_run_ns} = { read => 10000000000 }; $r->{errors}{read} = 100
one
	$r->{unaccounted}{sync} = 1
one @ @2
	fio_lat(100, 18020)
one
	fio_lat(101, 19251); $r->{clock_went_back}{read} = 1
one
	$j->{event_time} = $true
one @ @2
	$j->{event_time} = $true
one @ two.json
	$j->{event_time} = $true
one
	$j->{event_time} = $true; fio_lat(100, 16020)
one
	delete @{$r->{stages}}{qw(queue kernel deliver)}
one
	delete @{$r->{stages}}{qw(queue kernel deliver)}; fio_lat(100, 16020)
one
	delete @{$r->{stages}}{qw(queue kernel deliver)}; $j->{event_time} = $true
one @ two.json
	delete @{$r->{stages}}{qw(queue kernel deliver)}
one
	$r->{stages}{lunch} = delete $r->{stages}{kernel}
one
	$r->{submitting_call} = reads(3, 1, 5, 1)
one
	$r->{stages} = { lat => reads(200000000, 100) }
one
	$r->{ios}{read} = 150; $j->{run_ns} = 0; $r->{batches}{enters} = 0
one
	$r->{batches}{enters} = 0; $r->{batches}{reaps} = 0
one
	@{$r}{qw(errors short_ios unaccounted)} = (counts(3), moves(1), counts(7777))
one
	$r->{zero_byte}{read} = 41; $r->{kernel_stages}{workers} = counts(2)
one
	$r->{requeued}{read} = 1
one
	$r->{errors}{write} = 7
one
	$j->{run_ns} = "9007199254740992"
one
	delete @{$r}{qw(errors short_ios zero_byte unaccounted clock_went_back batches slowest requeued)}
one @ two.json
	delete $r->{errors}; $r->{over_time} = windows(256, 1, 9)
one
	$r->{stages}{lat}{peek} = 3; $r->{clocks}{sundial} = {}; $j->{nickname} = []; $r->{new} = 1
one
	$j->{name} = "job\e[2J\nread: 5 \x{9b}2J"; $r->{stages}{"\e[2J"} = {}; $j->{host} = "\e"
one
	$r->{counter} = { verdict => "undecided", reasons => [{ code => "x", text => "\e]0;x\a" }] }
one
	$r->{counter}{verdict} = "unchecked"
one
	$r->{counter}{reasons} = [{ code => "x", text => "one" }, { code => "y", text => "two" }]
one
	$r->{counter}{verdict} = "undecided"
one
	$r->{counter} = { verdict => "undecided", reasons => [{ code => "clocksource",
	text => "x" }] }
one
	$r->{counter} = { verdict => "undecided", reasons => [{ code => "not_invariant",
	text => "x" }] }
one
	$r->{counter}{verdict} = "undecided"; $j->{fallback} = $true
one
	$j->{fallback} = $true
one @ @2
	$j->{fallback} = $true
one @ two.json
	$r->{counter} = { verdict => "unreliable", reasons => [] }; $j->{fallback} = $true
one
	@{$r->{clocks}{fio}}{qw(error_ns error_ppb)} = (-25, -2.5)
one
	@{$r->{clocks}{fio}}{qw(error_ns error_ppb)} = (26, 2.6)
one
	@{$r->{clocks}{fio}}{qw(error_ns error_ppb)} = (0, 0)
one
	@{$r->{clocks}{tickwise}}{qw(source rate_window_ns hz)} = ("regression", 9, 0)
one
	@{$r->{clocks}{tickwise}}{qw(source rate_bound_ppb)} = ("lunch", 0)
one @ @2
	$r->{clocks}{fio}{off_monotonic} = { against => "CLOCK_MONOTONIC", over_ns => 10,
	error_ns =>
	12.5, error_ppb => 1.25, uncertainty_ns => 60, uncertainty_ppb => 6 };
	$r->{clocks}{monotonic} = { %{$r->{clocks}{fio}}, error_ns => 3 };
	delete $r->{clocks}{monotonic}{clocksource}
one
	@{$r->{clocks}{tickwise}}{qw(error_ns error_ppb)} = (4, 0.4)
one
	@{$r->{clocks}{tickwise}}{qw(error_ns error_ppb source)} = (4, 0.4, "regression")
one
	$r->{clocks}{fio}{error_ppb} = 49999
one
	$r->{clocks}{fio}{error_ppb} = -50001
one
	$r->{clocks}{fio}{against} = "CLOCK_MONOTONIC"
one
	$r->{clocks}{tickwise}{against} = "CLOCK_MONOTONIC"; delete $r->{clocks}{fio}
one
	$r->{clocks} = {}
one
	$r->{options} = { rw => "randrw", bs => "4k", direct => 1, time_based => "" };
	$_ .= "" for values %{$r->{options}}; $j->{options} = {}; $r->{bytes} = moves(10485760);
	$r->{machines} = [{ host => "box", cpu => "Processor 9", cpus => 16, kernel => "6.12.1",
	hypervisor => "KVMKVMKVM", governor => "performance", clocksource => "tsc" }];
	$r->{files} = [{ host => "box", path => "/data/file", size => 1610612736, device => "8:0",
	holes => 1000000000, filesystem => "xfs" }]; $r->{devices} = [{ host => "box", device => "8:0", name => "sda",
	model => "Model 7", scheduler => "mq-deadline", nr_requests => 64, queue_depth => 32,
	rotational => $true, write_cache => "write back", size => "240057409536",
	members => ["sdb", "sdc"] }]
one
	$r->{options} = { rw => "trimwrite", direct => "1" }; $j->{options} = {}
one
	$r->{options} = { bssplit => "4k/50", bs => "8k", direct => "0" }; $j->{options} = {};
	$r->{bytes} = moves(0); $j->{options_left_out} = 2; $r->{machines} = [{ host => "box",
	cpus => 1 }]
one
	$r->{devices} = [map +{ host => "box", device => "8:$_", size => 1048576 }, 0 .. 5];
	$r->{files} = [map +{ host => "box", path => "/f$_", device => "8:$_" }, 0 .. 6]
one @ two.json
	$j->{options} = { rw => "read" }; $r->{files} = [{ host => "box", path => "/a" }];
	$r->{files_left_out} = 3
one --merge-hosts @ two.json
	$j->{host} = "far"; $r->{devices} = [map +{ host => $_, device => "8:0", name => "sda" },
	"box", "far"]; $r->{files} = [{ host => "far", path => "/d", device => "8:0" }]
large
	$j->{options} = { bs => "4k" }
large
	$j->{options} = { iodepth_batch_complete_max => "1" }
large
	$j->{options} = { iodepth_batch_complete_max => "8" }
large
	$j->{options} = { iodepth_batch_complete_min => "8" }
large
	$j->{options} = { iodepth_batch_complete => "8" }
large
	$j->{options} = { bs => "4k" }; $j->{iodepth} = 1
one
	$j->{options} = { bs => "4k" }; $r->{stages}{lat} = reads(100, 89, 900, 10, 8001, 1)
all
	$j->{kernel}{by_helper} = $true; $r->{kernel_stages}{missed_runs} = 3
all @ @2
	$r->{kernel_stages}{negative_beyond} = 4; $r->{kernel_stages}{clock_error_ns} = 81
most
	$r->{ios}{read} = 412331; $r->{kernel_stages}{split}{read} = 412330
most
	$r->{kernel_stages}{split}{read} = 91; my $not = $r->{kernel_stages}{not_split};
	@{$_}{read} = 2 for @{$not}{qw(missing_stamp sync_write no_stamps)};
	$not->{waited} = counts(1)
most
	$r->{kernel_stages}{split}{read} = 0; $r->{kernel_stages}{missed_runs} = 1
most
	$r->{$_}{sync} = $r->{$_}{read} for qw(ios);
	$r->{stages}{lat}{sync} = $r->{stages}{lat}{read}
all
	delete $r->{stages}{reap}
off
	$j->{kernel}{why} = "<b>\e[2J&"
off @ @2
	$j->{kernel}{why} = "another"
most
	$r->{slowest} = [slow(1000,
	qw(queue 50 submit 100 kernel 500 complete 100 reap 50 deliver 200)),
	slow(3000, qw(queue 50 submit 100 blockq 25 kernel 525 reap 100 deliver 150)),
	slow(5000, qw(queue 50 submit 50 kernel 700 deliver 100)), slow(6000, qw(kernel 4))];
	@{$s = $r->{slowest}[3]}{qw(offset size ddir)} = (0, 0, "sync"); delete $s->{monotonic_ns}
one
	$r->{slowest} = [map { slow(1000 * $_, queue => 5000 + 7 * $_, deliver => 97) } 1 .. 7]
one
	$r->{slowest} = [map { slow(1000, kernel => $_) } 3000, 1400, 2900];
	$j->{start_monotonic_ns} = "1"
one @ @2
	$r->{slowest} = [map { slow(1000 * $_, kernel => 3000 - 10 * $_) } 1 .. 9]
rated
	delete $r->{response}{backlog_at_end_ns}
rated @ @2
	$r->{response}{resolution_ns} = 2000
rated
	$r->{over_time} = windows(1024, 0, 9, 1, 9, 2, 9); $j->{run_ns} = 2148000000
rated
	$r->{over_time} = windows(1024, 0, 9, 1, 29, 2, 9); $j->{run_ns} = 3000000000;
	$r->{over_time}{windows}[1]{errors}{read} = 3
rated
	$r->{over_time} = windows(1024, map { $_ => 1 } 0 .. 44); $j->{run_ns} = 46080000000
rated
	$r->{over_time} = windows(1024, map { $_ => 1 } -9, -8)
rated
	$r->{over_time} = windows(1024, 0, 9)
one
	hundred_times(); $r->{stages_by_lat} = slices(96, 103, 8900, { queue => 89000,
	kernel => 800000 }, 896, 959, 1000, { queue => 160000, kernel => 740000 }, 960, 1023,
	100, { queue => 5000, kernel => 75000,
	deliver => 20000 })
one
	hundred_times();
	$r->{slowest} = [map { slow(1000 * $_, kernel => 3000 + $_, deliver => 120) } 1 .. 3]
caused
	$s->[0]{causes}{stage} = "new"
caused
	$j->{causes} = { state => "off", why => "no privilege" }; delete $s->[0]{causes}
caused
	delete $j->{causes}; delete $s->[0]{causes}
caused
	$j->{causes}{cost} = { over_ns => 2000, cpus => [{ cpu => 0, runs => 9, ns => 1 },
	{ cpu => 5, runs => 9, ns => 61 }] }
caused
	$j->{causes}{cost} = { over_ns => 0, cpus => [] }
caused @ @2
	$j->{start_monotonic_ns} = "400000"
caused
	$r->{jobs}[1] = { %$j, thread_number => 10, causes => { state => "off", why => "no" } }
caused
	$r->{slowest} = [map { my %c = %{$s->[0]}; @c{qw(causes offset)} = ({ %{$c{causes}}, %$_ },
	$_->{at} // 0); \%c } { at => 4096 }, { had_cpu => [map +{ kind => $_, ns => 500000,
	id => 5 },
	qw(hidden idle softirq interrupt kernel process)] },
	{ waited_ns => 0, interrupts_ns => 2600000, ran_ns => 2300000,
	stolen_at_most_ns => 300000 },
	{ waited_ns => 0, woken_late_ns => 2600000, since_interrupt_ns => 7, lost => $true,
	asleep_ns => 2000000, ran_ns => 240000 },
	{ waited_ns => 0, ran_ns => 1, unexplained_ns => 4999999 },
	{ waited_ns => 0, ran_ns => 5000000 }]
caused
	$r->{slowest} = [map { my %c = (%{slow(1000000, queue => 1, $_ => 9)},
	causes => { %{$s->[0]{causes}}, stage => $_ });
	delete @{$c{causes}}{qw(ran_ns waited_ns interrupts_ns woken_late_ns asleep_ns
	unexplained_ns had_cpu)}; \%c } qw(device blockq reap)]
caused
	$r->{slowest} = [{ %{slow(1000000, queue => 1, blockq => 9)},
	causes => { %{$s->[0]{causes}},
	stage => "blockq", waited_ns => 0, ran_ns => 0, unexplained_ns => 9, had_cpu => [] } }]
caused
	$r->{slowest} = [map { my $ns = $_; my $io = slow(1000000, blockq => $ns, device => 100);
	$io->{blockq} = { before => 100, admission => $ns - 150, scheduler => 50 };
	$io->{causes} = { stage => "blockq", stall => { from_ns => 9, ns => $ns }, slept =>
	[{ reason => "tag", ns => $ns - 300, function => "" },
	{ reason => "other", ns => 90, function => "down" }] };
	$io } 3000, 1000]; $j->{start_monotonic_ns} = "1"
caused
	$r->{slowest} = [map { { %{slow(1000000, blockq => 5000, device => 100)}, blockq => $_->[0],
	causes => { stage => "blockq", stall => { from_ns => 9, ns => 5000 }, slept =>
	[{ reason => $_->[1], ns => 2000, function => "f" }] } } }
	[{ before => 2500, admission => 2000, scheduler => 500 }, "tag"],
	[{ before => 2000, admission => 0, scheduler => 3000 }, "io.max"],
	[{ before => 1000, admission => 500, scheduler => 3500 }, "other"]]
caused
	delete $j->{causes}; $r->{slowest} = [map { { %{slow(1000000, kernel => 100, deliver =>
	900)}, waited_at_most_ns => $_ } } 900, 500]
caused
	delete $j->{causes}; $r->{slowest} = [map { { %{slow(1000000 + $_, kernel => 5000000 - 9 * $_,
	complete => 10)}, waited_at_most_ns => $_ == 3 ? 9 : 4000000 } } 1, 2, 3]
caused
	delete $j->{causes}; $r->{slowest} = [map { { %{slow(1000000 + $_, kernel => 5000000 - 9 * $_,
	complete => 10)}, waited_at_most_ns => 9 } } 1, 2, 3]
caused
	$r->{slowest} = [map { my $c = $_; +{ %{slow(1000000, device => 900, reap => 100)},
	in_flight_of_others => { own => 1, more => 0, %$c }, causes => { stage => "device", stall =>
	{ from_ns => 9, ns => 900 } } } } {}, map +{ kind => "writes", requests => $_, bytes =>
	4096 * $_ }, 1, 3]
caused
	delete $j->{causes}; $r->{slowest} = [{ %{slow(1000000, blockq => 900, reap => 100)},
	blockq => { scheduler => 600 } }]
caused
	delete $j->{causes}; $r->{devices} = [{ host => "box", device => "9:0", name => "md0",
	members => [qw(sdb sdc)] }]; $r->{slowest} = [map { { %{slow(1000000, device => 900,
	reap => 100)}, disk => $_ } } ("sdc") x 19, "sdb"]
caused
	delete $j->{causes}; $r->{devices} = [{ host => "box", device => "9:0", name => "md0",
	members => [qw(sdb sdc)] }]; $r->{slowest} = [map { { %{slow(1000000, device => 900,
	reap => 100)}, disk => $_ } }("sdc") x 3, "sdb"]
caused
	delete $j->{causes}; $r->{devices} = [{ host => "box", device => "9:0", name => "md0",
	members => [qw(sda sdb sdc sdd)] }]; $r->{slowest} = [map { { %{slow(1000000, device => 900,
	reap => 100)}, disk => $_ } }("sdc") x 3, "sdb"]
caused
	delete $j->{causes}; $r->{devices} = [{ host => "box", device => "9:0", name => "md0",
	members => [qw(sdb)] }]; $r->{slowest} = [map { { %{slow(1000000, device => 900,
	reap => 100)}, disk => $_ } } "sdb", "sdb"]
caused
	delete $j->{causes}; $r->{devices} = [{ host => "box", device => "9:0", name => "md0",
	members => [qw(sdb sdc)] }]; $r->{slowest} = [map { { %{slow(1000000, device => 900,
	reap => 100)}, disk => "sdc", in_flight_of_others => { own => 0, more => 0, kind => "writes",
	requests => 3, bytes => 4096 } } } 1, 2]
caused
	$r->{slowest} = [map { my $i = $_; +{ %{slow(1000000, deliver => 1000)}, causes => { stage
	=> "deliver", stall => { from_ns => 9, ns => 1 }, waited_ns => 999, ran_ns => 1, had_cpu =>
	[map +{ kind => "process", id => 4, name => "x" . (4 * $i + $_), ns => $i ? 1 : 200 }, 1 .. 4]
	} } } 0 .. 30]
caused
	my @limit = (reason => "io.max", function => "f", limit => "riops=50");
	$r->{slowest} = [map { { %{slow(1000000, queue => 1, blockq => 9)}, causes => { stage =>
	"blockq", stall => $s->[0]{causes}{stall}, slept => [{ ns => 9, %$_ }] } } }
	{ @limit, cgroup => "/a" }, { @limit, cgroup => "/b" x 40 }, { @limit },
	{ reason => "suspended" }, { reason => "freeze" }]
caused
	delete @{$r->{triggers}[0]}{qw(io events event_count)}
caused
	delete @{$r->{triggers}[0]}{qw(io events)}; $r->{triggers}[0]{stopped_for} = 17
caused
	delete @{$r->{triggers}[0]}{qw(io events)}; $r->{triggers}[0]{slower} = 0
caused
	@{$r->{triggers}[0]}{qw(state why)} = ("off", "<b>\e[2Jno"); delete $r->{triggers}[0]{io}
caused
	my $t = $r->{triggers}[0]; $t->{whole_from_ns} = "9007199255000740"; $t->{slower} = 1;
	$t->{events} = [map +{ %{$t->{events}[1]},
	monotonic_ns => 9007199254000000 + 1000 * $_ . "",
	own => $true, event => "event_$_" }, 0 .. 56]
caused
	$r->{triggers}[0]{whole_from_ns} = "9007199262100740"; delete $_->{own}
	for @{$r->{triggers}[0]{events}}; @{$r->{triggers}[0]{events}[1]}{qw(event args)} =
	("io_uring_submit_req", "ring 1, user_data 0x1\x{20ac}\a"); $r->{triggers}[0]{slower} = 1
caused
	$r->{triggers}[0]{io}{lat_ns} = 1; $r->{triggers}[0]{events} = []
caused @ @2
	$r->{triggers}[0]{io}{lat_ns} = 8100000
all
	@{$r->{kernel_stages}}{qw(every requests)} = (2, 50);
	$r->{kernel_stages}{split}{read} = 50;
	not_chosen(50)
all
	$r->{kernel_stages}{every} = 16; $r->{kernel_stages}{split}{read} = 6;
	not_chosen(94);
	$r->{kernel_stages}{cost} = { pairs => 25, cpu_off_ps => 100000000,
	cpu_on_ps => 101500000, cpu_squares_ns2 => 150000, lat_off_ps => 500000000,
	lat_on_ps => 501000000, lat_squares_ns2 => 900000 }
all
	$r->{kernel_stages}{every} = 16;
	not_chosen(1);
	$r->{kernel_stages}{split}{read} = 99;
	$r->{kernel_stages}{cost} = { pairs => 6, cpu_off_ps => 24000000,
	cpu_on_ps => 24000000, cpu_squares_ns2 => 300000, lat_off_ps => 600000000,
	lat_on_ps => 1200000000, lat_squares_ns2 => 6000000000 }
attached
	$r->{attached}{operations}[0]{$_} = 5 for qw(linked sync_write waited split);
	$r->{attached}{operations}[1] = { %{$r->{attached}{operations}[0]}, ios => 101, ring => 2,
	file => "-", stages => { lat => histogram(3, 1000, 50) }, operation => "write\e[2J" }
attached
	@{$r->{attached}}{qw(operations others)} = ([], {});
	$r->{attached}{rings}[0]{sq_entries} = 1;
	$r->{attached}{rings}[$_] = { %{$r->{attached}{rings}[0]}, ring => 1 + $_ } for 1 .. 21
attached
	@{$r->{attached}}{qw(operations rings lost_rings)} = ([], [], 1);
	$r->{kernel_stages}{missed_runs} = 11
attached
	@{$r->{attached}}{qw(operations rings others lost_ios in_flight)} = ([], [], {}, 0, 0)
attached
	my $o = $r->{attached}{operations}[0];
	$r->{ios}{read} = $o->{ios} = 1600;
	$r->{kernel_stages}{not_split}{not_chosen} = { %{$r->{errors}}, read => 1500 };
	$o->{not_chosen} = 1500;
	$r->{kernel_stages}{every} = 16;
	for my $h (map { $_->{read} } values %{$r->{stages}}) {
	$h->{weight} = $h->{count} * 16;
	$h->{$_} = $h->{$_} * 16 . '' for qw(sum_ns sum_squares_ns2);
	$_ *= 16 for values %{$h->{bins}} }
attached
	my $o = $r->{attached}{operations}; push @$o, { %{$o->[0]}, ring => 1 } for 1 .. 24
CASES
while read -r number arguments && read -r text; do
	changed "$number.base" "--all $arguments"
	cp "$out" base
	changed "$number" "--all $arguments"
	printf '## %s: %.80s\n' "$arguments" "$text"
	diff -U0 base "$out" | sed '1,2d'
	cat "$err"
done <changes/list >changed
# Only new lines, and what went if nothing came in its place. A line is printed once.
perl -ne '
	sub hunk {
		my @new = grep { /^\+/ } @hunk;

		$seen{$_}++ ? $again++ : print for @new ? @new : @hunk;
		@hunk = ();
	}
	if (/^[-+]/) {
		push @hunk, $_;
	} else {
		hunk();
		print "$again lines as before\n" if $again && /^#/;
		$again = 0 if /^#/;
		print unless /^@@/;
	}
	END { hunk() }' changed >changed_once
golden_file changes.txt changed_once

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
