#!/bin/sh
# SPDX-License-Identifier: MIT
#
# IOPS of the engine against fio's own io_uring engine on the same file, in one
# run: stock, ours, stock again, the order turning from round to round. The
# second stock arm against the first shows what the machine's noise alone does.
#
#	tests/bench/engine_iops.sh [ROUNDS [SECONDS [FILE]]]
#
# BS=4k, DIRECT=1, DEPTHS="1 32", LAYOUT=256m, CPU=(the last one) may be set;
# all arms run on that CPU, since moving between CPUs is half of the noise.
# Prints per depth the median of the rounds' ratios, the 95 % interval of that
# median (from order statistics: no assumption about the noise), and the
# ratios' p10-p90.
set -eu

rounds=${1:-9}
seconds=${2:-3}
build=${TW_BUILD:-build}
file=${3:-$build/bench.data}
depths=${DEPTHS:-1 32}
so=$(realpath "$build/tickwise.so")
cpu=${CPU:-$(($(nproc) - 1))}
results=$(mktemp)
made=
trap 'rm -f "$results" "$results.run"; [ -z "$made" ] || rm -f "$file"' EXIT
trap 'exit 130' INT TERM

# A file or device that is there already is only read, as far as it goes.
size=
if [ ! -e "$file" ]; then
	made=1
	size=--size=${LAYOUT:-256m}
	"${FIO:-fio}" --name=layout --filename="$file" "$size" --rw=write \
		--bs=1m --end_fsync=1 --minimal >/dev/null
fi

# iops ENGINE DEPTH
iops()
{
	extra=
	case $1 in external*) extra=--tw_report=none ;; esac
	# shellcheck disable=SC2086
	"${FIO:-fio}" --name=j --ioengine="$1" $extra --filename="$file" \
		$size --readonly --rw=randread --bs="${BS:-4k}" \
		--direct="${DIRECT:-1}" --iodepth="$2" --time_based=1 \
		--cpus_allowed="$cpu" --runtime="$seconds" --minimal \
		>"$results.run" || {
		echo "engine_iops: fio failed with $1" >&2
		exit 1
	}
	awk -F';' '{ print $8 }' "$results.run"
}

# What lies below may keep the file in a cache of its own and get faster the
# more of it has been read: read all of it, then one round for nothing.
# shellcheck disable=SC2086
"${FIO:-fio}" --name=warm --filename="$file" $size --readonly --rw=read \
	--bs=1m --direct="${DIRECT:-1}" --iodepth=1 --minimal >/dev/null

for depth in $depths; do
	iops io_uring "$depth" >/dev/null
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

echo "bs=${BS:-4k} direct=${DIRECT:-1}, $rounds rounds of $seconds s an arm"
for depth in $depths; do
	ours=$(awk -v d="$depth" '$1 == d { print 2 * $4 / ($2 + $3) }' \
		"$results" | quantiles)
	stock=$(awk -v d="$depth" '$1 == d { print $3 / $2 }' "$results" |
		quantiles)
	echo "depth $depth: ours / stock $ours"
	echo "depth $depth: stock / stock $stock"
done
