#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What the patches gain, in one run: IOPS on ioengine=null with full latency
# statistics, and how long fio takes to start.
#
#	tests/bench/fio_patched.sh STOCK PATCHED [MORE...]
#
# The programs take turns, each round begins with another, and every figure is a
# ratio to STOCK in the same round: median, 95 % interval of it (order
# statistics), p10-p90. ROUNDS=9, SECONDS_EACH=2, STARTS=10 (0: no starts), CPU=
# (the last), ARGUMENTS=more options of fio, CLOCK=cpu.
#
# On a machine with neighbours: what disturbs a run only makes it slower, so a
# round may take FASTEST_OF=N (1) turns, and each program's figure is that of its
# fastest run. IOS=N makes each run N I/Os long, not seconds. STOCK once more
# among the programs shows the noise that is left.
set -eu

[ $# -ge 2 ] || { echo "usage: $0 STOCK PATCHED [MORE...]" >&2; exit 64; }
rounds=${ROUNDS:-9}
seconds=${SECONDS_EACH:-2}
cpu=${CPU:-$(($(nproc) - 1))}
clock=${CLOCK:-cpu}
starts=${STARTS:-10}
if [ -n "${IOS-}" ]; then
	length="--number_ios=$IOS" each="$IOS I/Os"
else
	length="--time_based --runtime=$seconds" each="$seconds s"
fi
fastest_of=${FASTEST_OF:-1}
programs=$#
named=$(printf '%s\n' "$@")
results=$(mktemp)
trap 'rm -f "$results"' EXIT
trap 'exit 130' INT TERM

# program ARM
program()
{
	echo "$named" | sed -n "$1p"
}

iops()
{
	# shellcheck disable=SC2086
	taskset -c "$cpu" "$1" --name=j --ioengine=null --size=1t --rw=read \
		$length --clocksource="$clock" \
		--lat_percentiles=1 --clat_percentiles=1 --slat_percentiles=1 \
		${ARGUMENTS-} --minimal | awk -F';' '{ print $8 }'
}

# Milliseconds of a start; a job of one I/O.
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

# each_turn ROUND NAME COMMAND: a line of results for every turn of every program
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
	each_turn "$round" iops iops
	[ "$starts" = 0 ] || each_turn "$round" start start_ms
	round=$((round + 1))
done

# The median's interval: ranks n/2 +- 0.98 sqrt(n), the binomial's 95 %.
quantiles()
{
	sort -n | awk '
	function at(rank) { rank = int(rank + .5); return v[rank < 1 ? 1 :
		rank > NR ? NR : rank] }
	{ v[NR] = $1 }
	END {
		half = .98 * sqrt(NR)
		printf "median %.3f (95 %% %.3f-%.3f), p10-p90 %.3f-%.3f",
			(at((NR + 1) / 2 - .25) + at((NR + 1) / 2 + .25)) / 2,
			at((NR + 1) / 2 - half), at((NR + 1) / 2 + half),
			at(1 + (NR - 1) * .1), at(1 + (NR - 1) * .9)
	}'
}

# ratios NAME ARM: to stock, of each round's fastest
ratios()
{
	awk -v name="$1" -v arm="$2" '
		$1 == name {
			better = name == "iops" ? $4 > v[$2, $3] :
				!(($2, $3) in v) || $4 < v[$2, $3]
			if (better)
				v[$2, $3] = $4
		}
		END { for (r = 0; (r, 1) in v; r++)
			print v[r, arm] / v[r, 1] }' "$results"
}

echo "clocksource=$clock, $rounds rounds, each the fastest of $fastest_of runs" \
	"of $each, cpu $cpu"
arm=2
while [ "$arm" -le "$programs" ]; do
	for name in iops start; do
		grep -q "^$name " "$results" || continue
		echo "$name of $(program "$arm") / stock:" \
			"$(ratios "$name" "$arm" | quantiles)"
	done
	arm=$((arm + 1))
done
awk '{ s[$1 " of arm " $3] += $4; n[$1 " of arm " $3]++ }
	END { for (k in s) printf "mean %s: %.2f\n", k, s[k] / n[k] }' \
	"$results" | sort
