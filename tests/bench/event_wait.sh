#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Measures what tw_event_wait=1 costs: IOPS and CPU time per I/O, relative to runs
# without it, alternating in one run. A second arm without it shows what the
# machine's noise alone does. The jobs take eight completions at a time, so that
# there is something to wait for.
#
#	tests/bench/event_wait.sh FILE [ROUNDS [SECONDS]]
#
# FILE, a device or one of 64 MB at least, is only read. DEPTHS="8 32", BS=4k,
# DIRECT=1 and CPU=(the last one) may be set.
#
# Prints for each depth the median of the rounds' ratios and its 95 % interval (from
# order statistics).
set -eu
# shellcheck source=tests/bench/fio_figures.sh
. "$(dirname "$0")/fio_figures.sh"

file=$(realpath "$1")
rounds=${2:-15}
seconds=${3:-1}
so=$(realpath "${TW_BUILD:-build}/tickwise.so")
cpu=${CPU:-$(($(nproc) - 1))}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
cd "$scratch"

# arm WAIT DEPTH: prints IOPS and CPU seconds per I/O
arm()
{
	figures=$(fio_figures "${FIO:-fio}" --name=j \
		--ioengine="external:$so" --tw_report=none \
		--tw_event_wait="$1" --filename="$file" --size=64m --readonly \
		--rw=randread --bs="${BS:-4k}" --direct="${DIRECT:-1}" \
		--norandommap=1 --iodepth="$2" --iodepth_batch_submit=8 \
		--iodepth_batch_complete_min=8 --iodepth_batch_complete_max=8 \
		--time_based=1 --cpus_allowed="$cpu" --runtime="$(awk -v s="$seconds" \
			'BEGIN { printf "%d", s * 1e3 }')ms") || return 1
	echo "$figures" | awk '{ printf "%.3f %.9f", $1 / $2, $3 / $1 }'
}

# ratios DEPTH WHAT COLUMN ARM: prints the ratio of each round to the arm without
ratios()
{
	printf 'depth %-3d %-12s %-6s ' "$1" "$2" "$4"
	awk -v column="$3" -v arm="$4" '
		{ v[$1, $2] = $column; last = $1 }
		END { for (r = 0; r <= last; r++)
			print v[r, arm] / v[r, "without"] }' results |
		quantiles | in_words
	echo
}

for depth in ${DEPTHS:-8 32}; do
	round=0
	: >results
	arm 0 "$depth" >/dev/null
	while [ "$round" -lt "$rounds" ]; do
		case $((round % 3)) in
		0) order="without again with" ;;
		1) order="with without again" ;;
		2) order="again with without" ;;
		esac
		for name in $order; do
			[ "$name" = with ] && wait=1 || wait=0
			figures=$(arm "$wait" "$depth")
			echo "$round $name $figures" >>results
		done
		round=$((round + 1))
	done
	for arm in with again; do
		ratios "$depth" IOPS 3 "$arm"
	done
	for arm in with again; do
		ratios "$depth" "CPU per I/O" 4 "$arm"
	done
done
