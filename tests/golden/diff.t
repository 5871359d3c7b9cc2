#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: core/command
#
# Compares all that tickwise diff prints and writes, for small reports made by hand:
# every verdict, other differences of the runs, what is left out, and what is
# refused. Fails if a character of it changes.
. "$(dirname "$0")/golden.sh"

# run_of FILE [variable=value]...: writes the report of a job of 10 s
run_of()
{
	perl "$root/tests/golden/diff_report.pl" "$@"
}

# sets NAME SCALES SCALES [variable=value]...: writes runs of NAME.a and NAME.b in
# turn. Each run takes as long as its I/Os.
sets()
{
	prefix=$1 as=$2 bs=$3 at=0
	shift 3
	for of_a in $as; do
		of_b=${bs%% *} bs=${bs#* }
		for pair in "a $of_a" "b $of_b"; do
			at=$((at + 1))
			run_of "$prefix.${pair% *}.$at" scale="${pair#* }" run="$prefix-$at" \
				pid=$at start=$((1700000000 + 100 * at)) \
				run_ns=$((10000000 * ${pair#* })) "$@"
		done
	done
}

alike='1000 1004 997 1002 999'
slow='1050 1046 1053 1049 1051'
sets slower "$alike" "$slow"
sets same "$alike" '1001 998 1003 1000 1002'
sets split "$alike" "$slow" split=1

golden help diff --help
golden slower diff --html=slower.html slower.a.* -- slower.b.*
golden_file slower.html slower.html
golden slower_json diff --json slower.a.* -- slower.b.*
golden slower_csv diff --csv slower.a.* -- slower.b.*
golden faster diff slower.b.* -- slower.a.*
golden same diff same.a.* -- same.b.*
# 60 % from run to run hide a third more I/Os a second.
sets noisy '1000 1900 600 2400 1300' '800 1350 450 1800 900'
golden noisy diff noisy.a.* -- noisy.b.*
golden noisy_json diff --json --threshold=20% noisy.a.* -- noisy.b.*
# One job is faster. The other is noisy, which is no reason to be silent about it.
sets quiet "$slow" "$alike"
sets loud '1000 1900 600 2400 1300' '800 1350 450 1800 900' name=loud thread=2
sed -i 's/"run": "loud-/"run": "quiet-/' loud.*
golden faster_noisy diff quiet.a.* loud.a.* -- quiet.b.* loud.b.*
golden threshold diff --threshold=6% slower.a.* -- slower.b.*
golden beyond diff --threshold=3 slower.a.* -- slower.b.*
golden split diff split.a.* -- split.b.*

# With end_fsync fio's own IOPS are others, of which 1.1 s of fsync in B are a tenth.
sets end "$alike" "$alike" more='"fio_run_ns": {"read": 11100000000},' \
	facts='"fio_lat": {"count": {"read": 10000, "write": 0, "trim": 0},
	"sum_ns": {"read": 910000000, "write": 0, "trim": 0}},'
sed -i 's/11100000000/12200000000/' end.b.*
golden fio_iops diff end.a.* -- end.b.*

# ---- more time, but a shorter tail ----
i=0
for file in slower.b.*; do
	i=$((i + 1))
	run_of mixed.$i scale=1060 tail=$((i % 2 + 20)) run=m-$i pid=$((50 + i)) \
		start=$((1700000150 + 200 * i)) run_ns=10000000000
done
golden mixed diff slower.a.* -- mixed.*

# ---- too few runs, or not in turn ----
golden differ diff slower.a.1 slower.b.2
golden two diff slower.a.1 slower.a.3 -- slower.b.2 slower.b.4
golden undecided_json diff --json same.a.1 same.b.2
run_of again.1 run=again pid=77 start=1700009999
run_of again.2 run=again-2 pid=78 start=1700010999
golden nothing diff again.1 again.2
i=0
for scale_now in $slow; do
	i=$((i + 1))
	run_of later.$i scale="$scale_now" run=l-$i pid=$((200 + i)) \
		start=$((1700010000 + 100 * i)) run_ns=$((10000000 * scale_now))
done
golden not_in_turn diff slower.a.* -- later.*

# ---- other differences of the runs ----
run_of other scale=1200 run=o pid=9 start=1700000005 fio=fio-3.36 depth=64 host=far \
	clock=clocksource run_ns=60000000000 failed=3 split=1
golden besides diff slower.a.1 -- other
# Where 9,000 of 10,000 I/Os were split, the stages are those of the 9,000, and add up to lat.
run_of most scale=1200 run=m pid=10 start=1700000006 split=most
golden estimates diff split.a.1 -- most
# Of a sample of I/Os the stages have errors: here of 1,000 of 10,000 I/Os.
for i in a.1 b.2; do
	perl -MJSON::PP -0777 -e '$r = JSON::PP->new->decode(<STDIN>);
		my @no = (read => 0, write => 0, trim => 0, sync => 0);
		$r->{kernel_stages} = { every => 10, split => { @no, read => 1000 },
			not_split => { not_chosen => { @no, read => 9000 } } };
		@{$r->{stages}{$_}{read}}{qw(weight count)} = (10000, 1000)
			for qw(submit device reap);
		print JSON::PP->new->canonical->encode($r)' <split.$i >sampled.$i
done
golden sampled diff --all sampled.a.1 -- sampled.b.2

# above ARGUMENT...: records what stands above the figures, and what is left out
above()
{
	run "$@"
	{
		echo "\$ tickwise $*"
		sed '/^Runs: /,$d; /^job, read$/,/^Left out:$/ { /^Left/!d }' "$out"
		cat "$err"
	} >>"$scratch/above"
}

options='"options": {},'

# facts_of KERNEL GOVERNOR SCHEDULER REQUESTS FILES OPTIONS
facts_of()
{
	facts='"options": {"rw": "randread", "tw_report": "'"$1"'.json", '$6'},'
	facts="$facts \"machines\": [{\"host\": \"box\", \"cpu\": \"Processor\","
	facts="$facts \"cpus\": 8, \"kernel\": \"$1\", \"clocksource\": \"tsc\"$2}],"
	facts="$facts \"files\": [$(echo "$5" | sed 's/{/{"host": "box", /g')],"
	facts="$facts \"devices\": [{\"host\": \"box\", \"device\": \"259:0\","
	facts="$facts \"name\": \"nvme0n1\", \"scheduler\": \"$3\","
	facts="$facts \"nr_requests\": $4, \"rotational\": false}],"
}
facts_of 6.1.0 '' none 1023 '{"path": "/data/a"}' \
	'"iodepth": "32", "time_based": "", "runtime": "10"'
run_of facts.a run=f-a pid=21 start=1700000305 facts="$facts" more="$options"
facts_of 6.12.0 ', "governor": "powersave"' mq-deadline 256 \
	"$(for i in 1 2 3 4 5 6; do echo "{\"path\": \"/data/$i\"}"; done |
		paste -s -d ,)" '"iodepth": "64", "runtime": "60", "tw_kernel": "off"'
run_of facts.b run=f-b pid=22 start=1700000405 depth=64 run_ns=60000000000 \
	facts="$facts" more="$options"
golden facts diff facts.a facts.b
golden all diff --all facts.a facts.b
golden facts_json diff --json facts.a facts.b
# What follows from the options that are compared is no fact: the scheduler sets nr_requests.
# Nor is the time of a job that has a size, which is a result.
facts_of 6.1.0 '' none 1023 '{"path": "/a/0.0"}' '"ioscheduler": "none"'
run_of asked.a run=k-a pid=41 start=1700000305 run_ns=8600000000 facts="$facts" more="$options"
facts_of 6.1.0 '' mq-deadline 256 '{"path": "/a/0.0"}' '"ioscheduler": "mq-deadline"'
run_of asked.b run=k-b pid=42 start=1700000405 facts="$facts" more="$options"
golden asked diff asked.a asked.b
# So are facts of the devices whose files are asked for.
facts_of 6.1.0 '' none 1023 '{"path": "/a/0.0"}' '"directory": "/a"'
run_of places.a run=p-a pid=43 start=1700000305 facts="$facts" more="$options"
facts_of 6.1.0 '' mq-deadline 256 '{"path": "/b/0.0", "filesystem": "ext4"}' '"directory": "/b"'
run_of places.b run=p-b pid=44 start=1700000405 facts="$facts" more="$options"
above diff places.a places.b
# So are files of more jobs, and stages in the kernel, which buffered I/O lacks.
facts_of 6.1.0 '' none 1023 '{"path": "/a/0.0"}' '"direct": "1", "numjobs": "1"'
run_of jobs.a run=j-a pid=45 start=1700000305 facts="$facts" \
	more="$options \"kernel\": {\"state\": \"on\"},"
facts_of 6.1.0 '' none 1023 '{"path": "/a/1.0"}' '"direct": "0", "numjobs": "2"'
run_of jobs.b run=j-b pid=46 start=1700000405 facts="$facts" \
	more="$options \"kernel\": {\"state\": \"off\", \"why\": \"buffered I/O\"},"
above diff jobs.a jobs.b
# Many options differ; paths and iodepth do after many bytes, and after these options.
long=$(printf '%0300d' 0)
of_a='"a00": "1"' of_b='"a00": "2"'
i=1
while [ $i -lt 42 ]; do
	of_a="$of_a, \"a$i\": \"1\"" of_b="$of_b, \"a$i\": \"2\"" i=$((i + 1))
done
facts_of 6.1.0 '' none 1023 '{"path": "/'$long'a"}' "$of_a, \"iodepth\": \"8\""
run_of many.a run=m-a pid=23 start=1700000505 depth=8 facts="$facts" more="$options"
facts_of 6.1.0 '' none 1023 '{"path": "/'$long'b"}' "$of_b, \"iodepth\": \"16\""
run_of many.b run=m-b pid=24 start=1700000605 depth=16 facts="$facts" more="$options"
above diff many.a many.b
# Of six files the last one differs.
files_of()
{
	for i in 1 2 3 4 5 "$1"; do echo "{\"path\": \"/data/$i\"}"; done | paste -s -d ,
}
facts_of 6.1.0 '' none 1023 "$(files_of a)" '"iodepth": "8"'
run_of last.a run=l-a pid=26 start=1700000805 depth=8 facts="$facts" more="$options"
facts_of 6.1.0 '' none 1023 "$(files_of b)" '"iodepth": "8"'
run_of last.b run=l-b pid=27 start=1700000905 depth=8 facts="$facts" more="$options"
above diff last.a last.b
# What is not listed is not taken for an option that was not given.
facts_of 6.1.0 '' none 1023 '{"path": "/data/a"}' '"a1": "1"'
run_of unlisted run=u pid=25 start=1700000705 facts="$facts" \
	more="$options \"options_left_out\": 1,"
above diff unlisted facts.a
above diff slower.a.1 facts.b
run_of beside_2 run=p pid=10 start=1700000105
above diff slower.a.1 -- beside_2
golden_file above.txt "$scratch/above"

# ---- jobs of a run are merged; some are not in every run ----
for i in 1 2; do
	run_of "many.$i.1" run=many-$i pid=$((300 + i)) start=$((1700020000 + i * 100)) \
		scale=$((1000 + i * 200))
	run_of "many.$i.2" run=many-$i pid=$((310 + i)) start=$((1700020000 + i * 100)) \
		thread=2 scale=$((1000 + i * 200))
	run_of "many.$i.3" run=many-$i pid=$((320 + i)) start=$((1700020000 + i * 100)) \
		thread=3 name=writer direction=write tail=3
done
run_of many.2.4 run=many-2 pid=334 start=1700020200 thread=4 name=alone
run_of many.1.5 run=many-1 pid=335 start=1700020100 thread=5 name=first
golden jobs diff many.1.* -- many.2.*

# ---- programs that tickwise attach observed ----
# taking NS COUNT: a histogram of I/Os that took so long
taking()
{
	printf '{"digits": 3, "count": %d, "min_ns": %d, "max_ns": %d, "sum_ns": "%d",' \
		"$2" "$1" "$1" $(($1 * $2))
	printf '"sum_squares_ns2": "%d", "bins": {"%d": %d}}' $(($1 * $1 * $2)) "$1" "$2"
}
# attached FILE START NS: 400 reads of a program
attached()
{
	cat >"$1" <<END
{"schema": "tickwise-report", "version": 1, "jobs": [{"name": "db", "host": "box",
"fio_version": "", "engine": "attach", "tickwise_version": "0.1", "groupid": 0,
"thread_number": 1, "subjob_number": 0, "pid": 7643, "start": "$2000000000", "iodepth": 0,
"first_ns": 0, "run_ns": 2000000000, "event_time": false, "event_wait": false,
"fallback": true, "kernel": {"state": "on"}}], "ios": {"read": 400, "write": 0, "trim": 0,
"sync": 0}, "stages": {"kernel": {"read": $(taking "$3" 400)}, "lat": {"read":
$(taking "$3" 400)}}, "attached": {"rings": [], "operations": [], "others": {}, "more_rings": 0,
"in_flight": 0, "more_cqes": 0, "lost_records": 0, "lost_ios": 0, "lost_rings": 0,
"lost_names": 0, "lost_processes": 0},
"counter": {"verdict": "unchecked", "reasons": []}, "clocks": {}}
END
}
at=1700050000
for of in a b a b a b a b a b; do
	at=$((at + 100))
	attached attached.$of.$at $at $(($([ $of = a ]; echo $?) * 200 + 1000 + at / 100 % 3))
done
golden attached diff attached.a.* -- attached.b.*

# ---- their waits, also without any I/O of io_uring ----
# waits ROW...: the wait table of these rows
waits()
{
	printf '"waits": {"read_calls": 1, "write_calls": 1, "read_bytes": 1, "written_bytes": 1,
		"storage_bytes": 1, "run_ns": 1, "ready_ns": 1, "ready_in_waits_ns": 1, "calls_that_waited": 1,
		"not_over": 0, "lost_waits": 0, "of_32_bits": 0, "rows": [%s]}' "$(IFS=,; echo "$*")"
}
# row CALL REASON FUNCTION FILE NS COUNT
row()
{
	echo "{\"call\": \"$1\", \"reason\": \"$2\", \"function\": \"$3\", \"file\": \"$4\",
		\"blockq_ns\": 0, \"device_ns\": 0, \"complete_ns\": 0, \"time\": $(taking "$5" "$6")}"
}
# waited FILE START NS WAITS [NAME=VALUE]: with these waits. NS 0: no I/O
waited()
{
	attached "$1" "$2" "$3"
	sed -i "s|\"counter\": {|$(echo "$4" | tr '\n' ' '), &|" "$1"
	[ "$3" -gt 0 ] || perl -0777 -i -pe 's/"read": 400/"read": 0/;
		s/"stages".*?"attached"/"stages": {"lat": {}}, "attached"/s' "$1"
}
waited waits.1 1700060100 0 "$(waits "$(row pread64 'cache miss' x /a 1000 8)" \
	"$(row pread64 'cache miss' y /b 300 4)" "$(row read 'file system' fuse /f 500 2)")"
waited waits.2 1700060200 0 "$(waits "$(row pread64 'cache miss' x /a 900 10)" \
	"$(row fsync flush x /a 900 300)" "$(row read 'file system' nfs4 /f 500 2)")"
waited waits.3 1700060300 0 "$(waits)"
waited waits.4 1700060400 500 "$(waits $(for i in 1 2 3 4 5 6 7 8 9 10; do
	row "call$i" metadata x /a $((100 * i)) 1 | tr -d '\n\t '; echo; done))"
golden waits diff waits.1 waits.2
golden waits_json diff --json waits.1 waits.2
golden waits_of_runs diff waits.1 waits.2 -- waits.3 waits.4
waited waits.5 1700060500 600 "$(waits)"
golden waits_too diff waits.4 waits.5
golden waits_all diff --all waits.4 waits.5
waited waits.6 1700060600 0 "$(waits)"
golden waits_none diff waits.3 waits.6

# ---- what can't be compared ----
run_of no_time run=z pid=400 start=1700040000 run_ns=0
run_of no_stages run=y pid=401 start=1700040100
perl -0777 -i -pe 's/"stages": \{.*?("lat")/"stages": {$1/s; s/"submitting_call".*?\}\},\n//s' no_stages
golden left_out diff no_time no_stages

# ---- what is refused ----
run_of writes run=w pid=501 start=1700050000 direction=write
i=0
while [ $i -lt 65 ]; do
	i=$((i + 1))
	sed "s/\"run\": \"z\"/\"run\": \"z$i\"/; s/\"pid\": 400/\"pid\": $((i + 600))/" no_time \
		>"run.$i"
done
run_of nameless name=else run=n pid=500 start=1700030000
sed 's/"stages": {/"stages": {}, "left": {/' nameless >no_times
echo '[]' >array.json
usage_errors diff <<'LINES'

slower.a.1
-- slower.b.2
slower.a.1 --
slower.a.1 slower.a.3 slower.b.2
--threshold=-1% slower.a.1 slower.b.2
--threshold=x slower.a.1 slower.b.2
missing -- slower.b.2
slower.a.1 -- array.json
slower.a.1 slower.a.1 -- slower.b.2
slower.a.1 -- slower.a.1
many.1.1 -- many.1.2
slower.a.1 -- nameless
no_times again.1
slower.a.1 -- writes
slower.a.1 attached.b.1700050200
run.1 run.2 run.3 run.4 run.5 run.6 run.7 run.8 run.9 -- run.1? run.2? run.3? run.4? run.5? run.6?
LINES
golden_done
