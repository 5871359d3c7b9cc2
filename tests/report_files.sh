# SPDX-License-Identifier: MIT
#
# Makes small reports of the engine; to be sourced by the report tests.

digits=3

# last_of VALUE: sets last to the last nanosecond of its bin
last_of() {
	case $digits in 1) bins=16 ;; 2) bins=128 ;; 3) bins=1024 ;; esac
	bin_width=1
	while [ $(($1 / bin_width)) -ge $((2 * bins)) ]; do
		bin_width=$((2 * bin_width))
	done
	last=$(($1 / bin_width * bin_width + bin_width - 1))
}

# counted VALUE COUNT [VALUE COUNT]...: prints a histogram, each value in a bin of its own
counted() {
	count=0 sum=0 squares=0 min=$1 max=$1 all_bins=
	while [ $# -gt 0 ]; do
		count=$((count + $2)) sum=$((sum + $1 * $2))
		if [ "$1" -lt 100000000 ]; then
			squares=$((squares + $1 * $1 * $2))
		else	# it may need more than 64 bits
			squares=$(perl -Mbigint -e 'print shift() + shift() ** 2 * shift' \
				"$squares" "$1" "$2")
		fi
		[ "$1" -ge "$min" ] || min=$1
		[ "$1" -le "$max" ] || max=$1
		last_of "$1"
		all_bins="$all_bins${all_bins:+, }\"$last\": $2"
		shift 2
	done
	echo "{\"digits\": $digits, \"count\": $count, \"min_ns\": $min, \"max_ns\": $max,
\"sum_ns\": \"$sum\", \"sum_squares_ns2\": \"$squares\", \"bins\": {$all_bins}}"
}

# values A B C: prints a histogram of 89 values of A ns, 10 of B ns, and one of C ns
values() {
	counted "$1" 89 "$2" 10 "$3" 1
}

# histogram SLOW: prints a histogram of 89 values of 100 ns, 10 of 900 ns, one of
# SLOW ns, which is more
histogram() {
	values 100 900 "$1"
}

# kernel_stages_of SPLIT KERNEL: prints the stages between queue and deliver. The
# slowest I/O was @KERNEL ns there. SPLIT is none, most (not that one) or all.
kernel_stages_of() {
	[ "$1" != none ] || { cat <<-END
		"submit": {}, "blockq": {}, "device": {}, "complete": {}, "reap": {},
		"kernel": {"read": $(values 70 640 "$2")},
	END
	return; }
	slowest=
	[ "$1" = most ] || slowest="$(($2 - 120))"
	for stage in "submit 5 30 20" "blockq 10 60 20" \
			"device 40 400 $slowest" "complete 10 100 50" \
			"reap 5 50 30"; do
		# shellcheck disable=SC2086	# a name and its values
		set -- "$1" "$2" $stage
		echo "\"$3\": {\"read\": $(counted "$4" 89 "$5" 10 \
			${slowest:+"$6" 1})},"
	done
	slowest=
	[ "$1" = all ] || slowest="\"read\": $(counted "$2" 1)"
	echo "\"kernel\": {$slowest},"
}

# counts READS [moves]: prints these counts by direction; of moves without sync
counts() {
	if [ $# -eq 1 ]; then
		echo "{\"read\": $1, \"write\": 0, \"trim\": 0, \"sync\": 0}"
	else
		echo "{\"read\": $1, \"write\": 0, \"trim\": 0}"
	fi
}

# on_of SPLIT NO_REQUEST MISSING_STAMP NO_STAMPS: prints kernel_stages with these
# numbers of reads
on_of() {
	cat <<-END
	"kernel_stages": {"split": $(counts "$1"), "not_split": {
	"no_request": $(counts "$2"), "missing_stamp": $(counts "$3"),
	"sync_write": $(counts 0), "no_stamps": $(counts "$4")},
	"clock_error_ns": 61, "negative_within": 7, "negative_beyond": 0,
	"requests": 120, "retries": 2},
	END
}

# on_or_off [WHY]: prints what a job has that splits its I/Os inside the kernel, or why not
on_or_off() {
	if [ $# -eq 0 ]; then
		echo '"kernel": {"state": "on"},'
	else
		echo "\"kernel\": {\"state\": \"off\", \"why\": \"$1\"},"
	fi
}

# write_report FILE [variable=value]...: writes one report; the variables below can
# be set. Its stages add up for each of the 100 I/Os: 10 + 70 + 20 = 100 ns, 160 +
# 640 + 100 = 900 ns, and the slowest waited @queue and @deliver ns. The time
# between them is split as @split tells. @run, @kernel and @kernel_stages
# end with a comma; the first two are keys of the job, the third are of the report.
write_report() (
	file=$1
	shift
	name=randread group=0 thread=1 pid=100 start=1700000000000000000
	run_ns=10000000000 slow=1000 queue=50 deliver=200 event_time=false
	errors=0 short_ios=0 zero_byte=0 requeued=0 unaccounted=0 clock_went_back=0
	run= depth=32 split=none kernel= kernel_stages=
	verdict=reliable fallback=false reasons= against=CLOCK_MONOTONIC_RAW
	fio_ns=-74390.5 fio_ppb=-7439.05 tw_ns=1.5 tw_ppb=0.15
	for assignment; do
		eval "${assignment%%=*}=\${assignment#*=}"
	done
	cat >"$file" <<-END
	{"schema": "tickwise-report", "version": 1,
	"jobs": [{$run "name": "$name", "groupid": $group, "thread_number": $thread,
	"subjob_number": 0, "pid": $pid, "host": "box", "start": "$start",
	"first_ns": 0, "run_ns": $run_ns, "fio_version": "fio-3.33",
	"engine": "tickwise", "tickwise_version": "0.1", $kernel
	"iodepth": $depth, "event_time": $event_time, "event_wait": false,
	"fallback": $fallback}],
	"ios": $(counts 100),
	"errors": $(counts "$errors"),
	"short_ios": $(counts "$short_ios" moves),
	"zero_byte": $(counts "$zero_byte" moves),
	"requeued": $(counts "$requeued"),
	"unaccounted": $(counts "$unaccounted"),
	"clock_went_back": $(counts "$clock_went_back"),
	"batches": {"enters": 7, "reaps": 5, "largest_reap": 16},
	"stages": {"queue": {"read": $(values 10 160 "$queue")},
	$(kernel_stages_of "$split" $((slow - queue - deliver)))
	"deliver": {"read": $(values 20 100 "$deliver")},
	"lat": {"read": $(histogram "$slow")}},
	$kernel_stages
	"submitting_call": {"read": $(values 5 6 80)},
	"clocks": {
	"tickwise": {"against": "$against", "error_ns": $tw_ns,
	"error_ppb": $tw_ppb, "uncertainty_ns": 3.0, "uncertainty_ppb": 0.3,
	"over_ns": 10000000000, "source": "kernel", "hz": 2599998000.0,
	"rate_bound_ppb": 41.25},
	"fio": {"against": "$against", "error_ns": $fio_ns,
	"error_ppb": $fio_ppb, "uncertainty_ns": 25.0, "uncertainty_ppb": 2.5,
	"over_ns": 10000000000, "clocksource": "cpu"}},
	"counter": {"verdict": "$verdict", "reasons": [$reasons]},
	"slowest": []}
	END
)

# growth COUNT VALUE [COUNT VALUE]...: prints what a histogram has grown by; 0 of a
# value is none
growth()
{
	pairs=
	while [ $# -gt 0 ]; do
		[ "$1" -eq 0 ] || pairs="$pairs $2 $1"
		shift 2
	done
	# shellcheck disable=SC2086	# values and counts
	counted $pairs
}

# window_of AT IOS-OF-VALUES...: prints a window with I/Os AT ns after @start
window_of()
{
	echo "{\"start\": \"$(((start + $1) / width * width))\"$(shift; digits=1
		[ $# -eq 0 ] || echo ", \"read\": $(growth "$@")"
		[ "$errors" -eq 0 ] || echo ", \"errors\": {\"read\": $errors}")}"
}

# interval N FROM TO A B C: prints a line of A I/Os of 100 ns, B of 900 ns and C
# that are as slow as the slowest of write_report, split like those; without its last
# brace. A of them ended when it began, the others half a second later.
interval()
{
	ios=$(($4 + $5 + $6)) width=256000000
	stages='"queue": {}, "submit": {}, "blockq": {}, "device": {}, "complete": {},
		"reap": {}, "kernel": {}, "deliver": {}, "lat": {}' call= windows=
	[ $ios -eq 0 ] || {
		stages="
		\"queue\": {\"read\": $(growth "$4" 10 "$5" 160 "$6" "$queue")},
		\"submit\": {}, \"blockq\": {}, \"device\": {}, \"complete\": {}, \"reap\": {},
		\"kernel\": {\"read\": $(growth "$4" 70 "$5" 640 "$6" $((slow - queue - deliver)))},
		\"deliver\": {\"read\": $(growth "$4" 20 "$5" 100 "$6" "$deliver")},
		\"lat\": {\"read\": $(growth "$4" 100 "$5" 900 "$6" "$slow")}"
		call="\"read\": $(growth "$4" 5 "$5" 6 "$6" 80)"
	}
	[ "$4" -eq 0 ] && [ "$errors" -eq 0 ] ||
		windows=$(window_of "$2" $([ "$4" -eq 0 ] || echo "$4" 100))
	[ $(($5 + $6)) -eq 0 ] || windows="$windows${windows:+, }$(errors=0
		window_of $(($2 + 500000000 > $3 ? $3 - 1 : $2 + 500000000)) \
			"$5" 900 "$6" "$slow")"
	tr -d '\n' <<-END
	{"interval": $1, "from_ns": $2, "to_ns": $3, "realtime_ns": "$((start + $2))",
	"first_ns": 0, "run_ns": $3,
	"stages": {$stages}, "submitting_call": {$call},
	"ios": $(counts $ios), "errors": $(counts "$errors"),
	"short_ios": $(counts 0 moves), "zero_byte": $(counts 0 moves),
	"requeued": $(counts 0), "unaccounted": $(counts 0), "clock_went_back": $(counts 0),
	"over_time": {"width_ns": $width, "windows": [$windows]}
	END
}

# write_intervals FILE [variable=value]...: writes the intervals of the job that
# write_report with the same variables reports: four lines of a second, and the last
write_intervals() (
	file=$1
	shift
	name=randread thread=1 pid=100 start=1700000000000000000 monotonic=77000000000
	slow=1000 queue=50 deliver=200 errors=0 run= fallback=false end=4500000000
	for assignment; do
		eval "${assignment%%=*}=\${assignment#*=}"
	done
	{
		tr -d '\n' <<-END
		{"schema": "tickwise-report", "version": 1, "kind": "intervals",
		"interval_ns": 1000000000, "digits": $digits, "clock": {"ticks": "5",
		"monotonic_ns": "$monotonic", "hz": 1e9}, "jobs": [{"run": "$run",
		"name": "$name", "groupid": 0, "thread_number": $thread,
		"subjob_number": 0, "pid": $pid, "host": "box", "start": "$start",
		"start_monotonic_ns": "$monotonic", "first_ns": 0, "run_ns": 0,
		"fio_version": "fio-3.33", "engine": "tickwise", "tickwise_version":
		"0.1", $(on_or_off "not asked for") "iodepth": 32, "event_time":
		false, "event_wait": false, "fallback": $fallback}]}
		END
		echo
		while read -r line; do
			# shellcheck disable=SC2086	# numbers
			echo "$(interval $line)}"
		done <<-END
		1 0 1000000000 40 0 0
		2 1000000000 2000000000 49 5 0
		3 2000000000 3000000000 0 0 0
		4 3000000000 4000000000 0 4 1
		END
		echo "$(interval 5 4000000000 "$end" 0 1 0), \"end\": true}"
	} >"$file"
)

# of_json PERL [FILE]: prints what the expression is for the reports in the file, or in
# the last output: @r, the first one is $r
of_json()
{
	perl -MJSON::PP -e '
		open my $f, "<", $ARGV[1] or die "$ARGV[1]: $!\n";
		our @r = map { JSON::PP->new->utf8->decode($_) } <$f>;
		our $r = $r[0];
		my $value = eval $ARGV[0];
		die $@ if $@;
		print ref $value ? JSON::PP->new->canonical->encode($value) : $value' \
		"$1" "${2-$out}"
}

# changes: writes the cases of standard input (report_change.pl) into the directory
# changes, and their list into changes/list
changes()
{
	mkdir -p changes
	perl "$root/tests/report_change.pl" changes >changes/list
}

# changed NUMBER ARGUMENT...: runs the program with the report of a case in place of @,
# and with that of thread 2 in place of @2
changed()
{
	cp "changes/$1.json" x.json
	cp "changes/$1.2.json" x2.json
	shift
	# shellcheck disable=SC2046	# words
	run report $(echo "$@" | sed 's/@2/x2.json/; s/@/x.json/')
}

# write_full FILE: writes a report with all keys
write_full()
{
	cp "$root/tests/fuzz/corpus/report/all" "$1"
}
