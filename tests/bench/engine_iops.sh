#!/bin/sh
# SPDX-License-Identifier: MIT
#
# IOPS of the engine against fio's own io_uring engine on the same file, in one
# run: stock, ours, stock again, the order turning from round to round. The
# second stock arm against the first shows what the machine's noise alone does.
#
#	tests/bench/engine_iops.sh [ROUNDS [SECONDS [FILE]]]
#
# BS=4k, DIRECT=1, DEPTHS="1 32", LAYOUT=256m may be set. Prints per depth the
# median of the ratios and their p10-p90.
set -eu

rounds=${1:-9}
seconds=${2:-3}
build=${TW_BUILD:-build}
file=${3:-$build/bench.data}
depths=${DEPTHS:-1 32}
so=$(realpath "$build/tickwise.so")
results=$(mktemp)
made=
trap 'rm -f "$results"; [ -z "$made" ] || rm -f "$file"' EXIT
trap 'exit 130' INT TERM

[ -e "$file" ] || made=1
"${FIO:-fio}" --name=layout --filename="$file" --size="${LAYOUT:-256m}" \
	--rw=write --bs=1m --end_fsync=1 --minimal >/dev/null

iops()
{
	extra=
	case $1 in external*) extra=--tw_report=none ;; esac
	"${FIO:-fio}" --name=j --ioengine="$1" $extra --filename="$file" \
		--size="${LAYOUT:-256m}" --rw=randread --bs="${BS:-4k}" \
		--direct="${DIRECT:-1}" --iodepth="$2" --time_based=1 \
		--runtime="$seconds" --minimal | awk -F';' '{ print $8 }'
}

for depth in $depths; do
	round=0
	while [ "$round" -lt "$rounds" ]; do
		case $((round % 3)) in
		0) order="a t b" ;;
		1) order="t b a" ;;
		2) order="b a t" ;;
		esac
		for arm in $order; do
			case $arm in
			t) t=$(iops "external:$so" "$depth") ;;
			a) a=$(iops io_uring "$depth") ;;
			b) b=$(iops io_uring "$depth") ;;
			esac
		done
		echo "$depth $a $b $t" >>"$results"
		round=$((round + 1))
	done
done

quantiles()
{
	sort -n | awk '{ v[NR] = $1 } END {
		printf "median %.3f, p10-p90 %.3f-%.3f", v[int((NR + 1) / 2)],
		v[int(1 + (NR - 1) * .1 + .5)], v[int(1 + (NR - 1) * .9 + .5)] }'
}

echo "bs=${BS:-4k} direct=${DIRECT:-1}, $rounds rounds of $seconds s an arm"
for depth in $depths; do
	ours=$(awk -v d="$depth" '$1 == d { print 2 * $4 / ($2 + $3) }' \
		"$results" | quantiles)
	stock=$(awk -v d="$depth" '$1 == d { print $3 / $2 }' "$results" |
		quantiles)
	echo "depth $depth: ours / stock $ours"
	echo "depth $depth: stock / stock $stock"
done
