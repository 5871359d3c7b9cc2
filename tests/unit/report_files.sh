# SPDX-License-Identifier: MIT
#
# Small handmade reports of the engine, to be sourced by the report tests.

# histogram SLOW: 89 values of 100 ns, 10 of 900 ns, one of SLOW ns (901-1023,
# so that each value has a bin of its own)
histogram() {
	sum=$((89 * 100 + 10 * 900 + $1))
	cat <<-END
	{"digits": 3, "count": 100, "min_ns": 100, "max_ns": $1,
	"mean_ns": $((sum / 100)).$((sum % 100 / 10))$((sum % 10)),
	"stddev_ns": 244.0, "sum_ns": "$sum",
	"percentiles": {"50.000000": 100, "99.000000": 900},
	"bins": {"100": 89, "900": 10, "$1": 1}}
	END
}

# write_report FILE [variable=value]...: one report; the variables below can
# be set
write_report() (
	file=$1
	shift
	name=randread group=0 thread=1 pid=100 start=1700000000000000000
	run_ns=10000000000 slow=1000 errors=0 short=0 empty=0 requeued=0 unaccounted=0 backwards=0
	run=
	verdict=reliable fallback=false reasons= against=CLOCK_MONOTONIC_RAW
	fio_ns=-74390.5 fio_ppb=-7439.05 tw_ns=1.5 tw_ppb=0.15
	for assignment; do
		eval "${assignment%%=*}=\${assignment#*=}"
	done
	cat >"$file" <<-END
	{"schema": "tickwise-report", "version": 2, "tickwise_version": "0.1",
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
	"stages": {"queue": {"read": $(histogram 950)},
	"total": {"read": $(histogram "$slow")}},
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
	"slowest": []}
	END
)
