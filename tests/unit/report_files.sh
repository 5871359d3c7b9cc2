# SPDX-License-Identifier: MIT
#
# Small handmade reports of the engine, to be sourced by the report tests.

digits=3

# last_of VALUE: the last nanosecond of its bin
last_of() {
	case $digits in 1) bins=16 ;; 2) bins=128 ;; 3) bins=1024 ;; esac
	width=1
	while [ $(($1 / width)) -ge $((2 * bins)) ]; do
		width=$((2 * width))
	done
	echo $(($1 / width * width + width - 1))
}

# values A B C: a histogram of 89 values of A ns, 10 of B ns, and one of C ns,
# each in a bin of its own
values() {
	sum=$((89 * $1 + 10 * $2 + $3))
	min=$1 max=$1
	for value in "$2" "$3"; do
		[ "$value" -ge $min ] || min=$value
		[ "$value" -le $max ] || max=$value
	done
	cat <<-END
	{"digits": $digits, "count": 100, "min_ns": $min, "max_ns": $max,
	"mean_ns": $((sum / 100)).$((sum % 100 / 10))$((sum % 10)),
	"stddev_ns": 244.0, "sum_ns": "$sum",
	"percentiles": {"50.000000": $1, "99.000000": $2},
	"bins": {"$(last_of "$1")": 89, "$(last_of "$2")": 10, "$(last_of "$3")": 1}}
	END
}

# histogram SLOW: 89 values of 100 ns, 10 of 900 ns, one of SLOW ns, which is more
histogram() {
	values 100 900 "$1"
}

# write_report FILE [variable=value]...: one report; the variables below can
# be set. Its stages add up for each of the 100 I/Os: 10 + 70 + 20 = 100 ns,
# 160 + 640 + 100 = 900 ns, and the slowest waited @queue and @deliver ns.
write_report() (
	file=$1
	shift
	name=randread group=0 thread=1 pid=100 start=1700000000000000000
	run_ns=10000000000 slow=1000 queue=50 deliver=200 event_time=false errors=0 short=0 empty=0 requeued=0 unaccounted=0 backwards=0
	run=
	verdict=reliable fallback=false reasons= against=CLOCK_MONOTONIC_RAW
	fio_ns=-74390.5 fio_ppb=-7439.05 tw_ns=1.5 tw_ppb=0.15
	for assignment; do
		eval "${assignment%%=*}=\${assignment#*=}"
	done
	cat >"$file" <<-END
	{"schema": "tickwise-report", "version": 3, "tickwise_version": "0.1",
	"job": {"name": "$name", "groupid": $group, "thread_number": $thread,
	$run "subjob_number": 0, "pid": $pid, "host": "box",
	"start": "$start", "fio_version": "fio-3.33", "engine": "tickwise",
	"iodepth": 32, "run_ns": $run_ns},
	"ios": {"read": 100, "write": 0, "trim": 0, "sync": 0},
	"errors": {"read": $errors, "write": 0, "trim": 0, "sync": 0},
	"short": {"read": $short, "write": 0, "trim": 0, "sync": 0},
	"empty": {"read": $empty, "write": 0, "trim": 0, "sync": 0},
	"requeued": {"read": $requeued, "write": 0, "trim": 0, "sync": 0},
	"unaccounted": {"read": $unaccounted, "write": 0, "trim": 0, "sync": 0},
	"backwards": {"read": $backwards, "write": 0, "trim": 0, "sync": 0},
	"batches": {"enters": 7, "tails": 5, "largest_tail": 16},
	"stages": {"queue": {"read": $(values 10 160 "$queue")},
	"kernel": {"read": $(values 70 640 $((slow - queue - deliver)))},
	"deliver": {"read": $(values 20 100 "$deliver")},
	"lat": {"read": $(histogram "$slow")}},
	"submitting_call": {"read": $(values 5 6 80)},
	"clocks": {
	"tickwise": {"against": "$against", "error_ns": $tw_ns,
	"error_ppb": $tw_ppb, "uncertainty_ns": 3.0, "uncertainty_ppb": 0.3,
	"over_ns": 10000000000, "source": "kernel", "hz": 2599998000.0,
	"rate_bound_ppb": 41.25},
	"fio": {"against": "$against", "error_ns": $fio_ns,
	"error_ppb": $fio_ppb, "uncertainty_ns": 25.0, "uncertainty_ppb": 2.5,
	"over_ns": 10000000000, "clocksource": "cpu"}},
	"counter": {"verdict": "$verdict", "fallback": $fallback,
	"reasons": [$reasons]},
	"fio_times": {"event_time": $event_time, "event_wait": false},
	"slowest": []}
	END
)
