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
# statistics), p10-p90. ROUNDS=9, SECONDS_EACH=2, CPU=(the last), ARGUMENTS=more
# options of fio, CLOCK=cpu.
set -eu

[ $# -ge 2 ] || { echo "usage: $0 STOCK PATCHED [MORE...]" >&2; exit 64; }
rounds=${ROUNDS:-9}
seconds=${SECONDS_EACH:-2}
cpu=${CPU:-$(($(nproc) - 1))}
clock=${CLOCK:-cpu}
results=$(mktemp)
trap 'rm -f "$results"' EXIT
trap 'exit 130' INT TERM

iops()
{
	# shellcheck disable=SC2086
	taskset -c "$cpu" "$1" --name=j --ioengine=null --size=1t --rw=read \
		--time_based --runtime="$seconds" --clocksource="$clock" \
		--lat_percentiles=1 --clat_percentiles=1 --slat_percentiles=1 \
		${ARGUMENTS-} --minimal | awk -F';' '{ print $8 }'
}

# Ten starts, in milliseconds each; a job of one I/O.
start_ms()
{
	begin=$(date +%s%N)
	for start in 1 2 3 4 5 6 7 8 9 10; do
		"$1" --name=j --ioengine=null --size=4k --thread \
			--clocksource="$clock" --minimal >/dev/null
	done
	echo $((($(date +%s%N) - begin) / 10000)) | awk '{ print $1 / 1000 }'
}

round=0
while [ "$round" -lt "$rounds" ]; do
	turn=0
	while [ "$turn" -lt $# ]; do
		arm=$(((turn + round) % $# + 1))
		eval "program=\${$arm}"
		echo "iops $round $arm $(iops "$program")" >>"$results"
		echo "start $round $arm $(start_ms "$program")" >>"$results"
		turn=$((turn + 1))
	done
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

echo "clocksource=$clock, $rounds rounds of $seconds s, cpu $cpu"
arm=2
while [ "$arm" -le $# ]; do
	eval "program=\${$arm}"
	for what in iops start; do
		echo "$what of $program / stock: $(awk -v what=$what \
			-v arm="$arm" '$1 == what { v[$2, $3] = $4 }
			END { for (r = 0; (r, 1) in v; r++)
				print v[r, arm] / v[r, 1] }' "$results" |
			quantiles)"
	done
	arm=$((arm + 1))
done
awk '{ s[$1 " of arm " $3] += $4; n[$1 " of arm " $3]++ }
	END { for (k in s) printf "mean %s: %.2f\n", k, s[k] / n[k] }' \
	"$results" | sort
