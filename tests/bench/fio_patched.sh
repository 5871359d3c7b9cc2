#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Measures what the patches gain, in one run: I/Os per second on ioengine=null with
# full latency statistics, and how long fio takes to start.
#
#	tests/bench/fio_patched.sh STOCK PATCHED [MORE...]
#
# Every figure is a ratio to STOCK in the same round: median, its 95 % interval
# (order statistics), p10-p90. ROUNDS=9, SECONDS_EACH=2, STARTS=10 (0: no starts),
# CPU=(the last), ARGUMENTS=more options of fio, CLOCK=cpu.
#
# Such a job never waits. So STOCK and each program run at once and take turns on
# one CPU every few milliseconds. Other programs disturb both alike, and I/Os are
# counted per second of CPU time. The first to start alternates. Names have another
# length each time, since the place of a process's memory is worth some percent.
# STOCK itself is the first program compared with STOCK: that is the noise.
#
# With TOGETHER=0 the programs run one after the other, and I/Os are counted per
# second of time; each round begins with another program. A disturbance only makes a
# run slower. So a round may take FASTEST_OF=N (1) turns, and each program's figure
# is that of its fastest run. IOS=N makes each run N I/Os long, not seconds. STOCK
# once more among the programs shows the remaining noise.
set -eu
# shellcheck source=tests/bench/fio_figures.sh
. "$(dirname "$0")/fio_figures.sh"

[ $# -ge 2 ] || { echo "usage: $0 STOCK PATCHED [MORE...]" >&2; exit 64; }
rounds=${ROUNDS:-9}
seconds=${SECONDS_EACH:-2}
cpu=${CPU:-$(($(nproc) - 1))}
clock=${CLOCK:-cpu}
starts=${STARTS:-10}
together=${TOGETHER:-1}
if [ -n "${IOS-}" ]; then
	length="--number_ios=$IOS" each="$IOS I/Os"
else
	length="--time_based --runtime=$seconds" each="$seconds s"
fi
fastest_of=${FASTEST_OF:-1}
programs=$#
named=$(printf '%s\n' "$@")
scratch=$(mktemp -d)
results=$scratch/results
jobs=
finish()
{
	# shellcheck disable=SC2086
	[ -z "$jobs" ] || kill $jobs 2>/dev/null || :
	rm -rf "$scratch"
}
trap finish EXIT
trap 'exit 130' INT TERM

# program ARM: prints the program of an arm
program()
{
	echo "$named" | sed -n "$1p"
}

# run PROGRAM NAME MORE...: runs a job
run()
{
	program=$1 name=$2
	shift 2
	# shellcheck disable=SC2086
	taskset -c "$cpu" "$program" --name="$name" --ioengine=null --size=1t \
		--rw=read $length --clocksource="$clock" \
		--lat_percentiles=1 --clat_percentiles=1 --slat_percentiles=1 \
		${ARGUMENTS-} "$@"
}

iops()
{
	run "$1" j --minimal | awk -F';' '{ print $8 }'
}

# of_cpu_time PROGRAM LENGTH: prints I/Os per second of CPU time of a job whose name
# has that length
of_cpu_time()
{
	figures=$(fio_figures run "$1" "$(letters "$2")") || return 1
	echo "$figures" | awk '{ printf "%.1f\n", $1 / $3 }'
}

# pair ROUND ARM: prints the ratio of the arm to STOCK, both run at once
pair()
{
	if [ $(($1 % 2)) -eq 0 ]; then
		sides="1 $2"
	else
		sides="$2 1"
	fi
	place=0
	for side in $sides; do
		place=$((place + 1))
		of_cpu_time "$(program "$side")" \
			"$(some_length $(($1 * 7 + $2 * 2 + place)))" \
			>"$scratch/$place" &
		jobs="$jobs $!"
	done
	for job in $jobs; do
		wait "$job" || exit 1
	done
	jobs=
	cat "$scratch/1" "$scratch/2" | awk -v turned=$(($1 % 2)) '
		{ v[NR] = $1 }
		END { print turned ? v[1] / v[2] : v[2] / v[1] }' |
		sed "s/^/pair $1 $2 /" >>"$results"
}

# Print the milliseconds of a start: those of a job of one I/O.
start_ms()
{
	begin=$(date +%s%N)
	start=0
	while [ "$start" -lt "$starts" ]; do
		"$1" --name=j --ioengine=null --size=4k --thread \
			--clocksource="$clock" --minimal >/dev/null
		start=$((start + 1))
	done
	echo $(($(date +%s%N) - begin)) "$starts" | awk '{ print $1 / $2 / 1e6 }'
}

# each_turn ROUND NAME COMMAND: writes a line of results for every turn of every program
each_turn()
{
	turns=0
	while [ "$turns" -lt $((fastest_of * programs)) ]; do
		arm=$(((turns + turns / programs + $1) % programs + 1))
		echo "$2 $1 $arm $("$3" "$(program "$arm")")" >>"$results"
		turns=$((turns + 1))
	done
}

round=0
while [ "$round" -lt "$rounds" ]; do
	if [ "$together" -eq 0 ]; then
		each_turn "$round" iops iops
	else
		for arm in $(seq 1 "$programs"); do
			pair "$round" "$arm"
		done
	fi
	[ "$starts" = 0 ] || each_turn "$round" start start_ms
	round=$((round + 1))
done

# ratios NAME ARM: prints the ratios to stock, of the fastest in each round
ratios()
{
	awk -v name="$1" -v arm="$2" '
		$1 == name {
			first = !(($2, $3) in v)
			more = $4 > v[$2, $3]
			if (first || more == (name == "iops"))
				v[$2, $3] = $4
		}
		END { for (r = 0; (r, 1) in v; r++)
			print v[r, arm] / v[r, 1] }' "$results"
}

if [ "$together" -eq 0 ]; then
	how="each the fastest of $fastest_of runs of $each"
else
	how="pairs at once for $each, I/Os per second of CPU time"
fi
echo "clocksource=$clock, $rounds rounds, $how, cpu $cpu"
for arm in $(seq 1 "$programs"); do
	if [ "$together" -ne 0 ]; then
		echo "I/Os per CPU s of $(program "$arm") / stock: median" \
			"$(awk -v arm="$arm" '$1 == "pair" && $3 == arm {
				print $4 }' "$results" | quantiles | in_words)"
	fi
	[ "$arm" -gt 1 ] || continue
	for name in iops start; do
		grep -q "^$name " "$results" || continue
		echo "$name of $(program "$arm") / stock: median" \
			"$(ratios "$name" "$arm" | quantiles | in_words)"
	done
done
awk '$1 != "pair" { s[$1 " of arm " $3] += $4; n[$1 " of arm " $3]++ }
	END { for (k in s) printf "mean %s: %.2f\n", k, s[k] / n[k] }' \
	"$results" | sort
