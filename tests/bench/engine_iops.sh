#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Compares I/Os per second and CPU time of the engine with those of fio's own
# io_uring engine, in pairs on the same file and CPU. The pairs are ours and stock,
# ours with tw_stages=0 and stock, stock and stock. The last pair shows what the
# machine's noise alone does.
#
#	tests/bench/engine_iops.sh [ROUNDS [SECONDS [FILE]]]
#
# By default it reads 512 bytes at a time from the page cache, where the engine's
# own cost is the largest part. A FILE that exists, or a device, is only read. These
# may be set: BS=512, DIRECT=0, DEPTHS="1 32 128", LAYOUT=64m, CPU=(the last one),
# and TICKWISE_KERNEL=off (auto: with stages inside the kernel). OTHER=BUILD is the
# build/ of another version, for pairs of its engine and stock in the same rounds. All
# runs are on that CPU, since moving between CPUs is half of the noise.
#
# The two of a pair are jobs of one fio, which starts them at the same moment. They
# take turns on the CPU every few milliseconds, so that other programs disturb both
# alike. I/Os are counted per second of CPU time: the speed of a job that never
# waits, and the inverse of CPU time per I/O. (Two fios do not start at the same
# moment. The one that starts later finds the caches filled by the other, which is
# worth more than a percent.)
#
# With TOGETHER=0 the jobs run one after the other, and I/Os are counted per second
# of time. This is for a device that jobs have to wait for: with DIRECT=1, any that
# is no zram or ram disk.
#
# With zram, fio's figures of CPU time (usr and sys) lack the larger part of the
# work. zram cannot be asked not to wait, so io_uring hands each I/O to a worker
# thread of the kernel (iou-wrk), on any CPU. I/Os are then counted per second of
# CPU time of all of the job's threads. CPU time per I/O stays fio's figure, of the
# job's own thread; the same difference is more than twice as large there in
# percent.
#
# The place of a process's memory is worth some percent. A buffer of fio's that
# begins in the middle of a cache line is slower to copy to. Whether it does depends
# on the length of fio's options, the engine's path included. So buffers are
# aligned, and names have another length in each round.
#
# Prints for each depth the median of the rounds' ratios, the 95 % interval of that
# median (from order statistics: no assumption about the noise), and the ratios'
# p10-p90. The bar is reached if the upper end of the interval of ours/stock is at
# least BAR (0.98). The run is undecided if stock against stock has an interval
# wider than 0.1, or one whose middle is farther from 1 than it is wide.
set -eu
# shellcheck source=tests/bench/fio_figures.sh
. "$(dirname "$0")/fio_figures.sh"

rounds=${1:-15}
seconds=${2:-1}
build=${TW_BUILD:-build}
file=${3:-$build/bench.data}
depths=${DEPTHS:-1 32 128}
case ${DIRECT:-0}$file in
0* | 1/dev/zram* | 1/dev/ram*) together=${TOGETHER:-1} ;;
*) together=${TOGETHER:-0} ;;
esac
# An idle worker ends after 5 s, and then its CPU time cannot be read any more.
case $together$file in
1/dev/zram* | 1/dev/ram*)
	workers=1
	if awk -v s="$seconds" 'BEGIN { exit s <= 4 }'; then
		echo "$file: at most 4 s a run" >&2
		exit 1
	fi ;;
*) workers= ;;
esac
so=$(realpath "$build/tickwise.so")
other=${OTHER:+$(realpath "$OTHER/tickwise.so")}
cpu=${CPU:-$(($(nproc) - 1))}
scratch=$(mktemp -d)
results=$scratch/results
made=
trap 'rm -rf "$scratch"; [ -z "$made" ] || rm -f "$file"' EXIT
trap 'exit 130' INT TERM

# An existing file or device is only read, as far as it goes.
size=
if [ ! -e "$file" ]; then
	made=1
	size=--size=${LAYOUT:-64m}
	"${FIO:-fio}" --name=layout --filename="$file" "$size" --rw=write \
		--bs=1m --end_fsync=1 --minimal >/dev/null
fi

# job SIDE ARM DEPTH LENGTH: prints fio's arguments for the job, one per line
job()
{
	echo "--name=$(letters "$4")"
	if [ "$2" = stock ]; then
		echo --ioengine=io_uring
	else
		link=$scratch/$1$(letters "$4").so
		[ "$2" = other ] && from=$other || from=$so
		ln -sf "$from" "$link"
		printf '%s\n' "--ioengine=external:$link" --tw_report=none
	fi
	# fio appends a redirection of its own, which becomes a comment.
	for moment in ${workers:+pre post}; do
		echo "--exec_${moment}run=cat /proc/\$PPID/task/*/schedstat" \
			">$scratch/cpu.$1.$moment #"
	done
	[ "$2" != total ] || echo --tw_stages=0
	# shellcheck disable=SC2086
	printf '%s\n' "--filename=$file" $size --rw=randread \
		--bs="${BS:-512}" --direct="${DIRECT:-0}" --invalidate=0 \
		--norandommap=1 --iomem_align=4096 --iodepth="$3" \
		--time_based=1 --cpus_allowed="$cpu" \
		--runtime="$(awk -v s="$seconds" 'BEGIN { printf "%d", s * 1e3 }')ms"
}

# fios ARGUMENTS-FILE...: runs a fio for each file; prints the figures of all jobs
fios()
{
	for arguments; do
		tr '\n' '\0' <"$arguments" >"$scratch/arguments"
		fio_figures xargs -0 -a "$scratch/arguments" "${FIO:-fio}" \
			--readonly || return 1
	done
}

# pair ARM DEPTH ROUND: runs a pair of the arm and stock; the first one alternates
pair()
{
	length=$(some_length $(($3 + $2)))
	job a "$1" "$2" "$length" >"$scratch/a"
	job b stock "$2" "$length" >"$scratch/b"
	if [ $(($3 % 2)) -eq 0 ]; then
		first=$scratch/a second=$scratch/b arm_first=cat
	else
		first=$scratch/b second=$scratch/a arm_first=tac
	fi
	if [ "$together" -ne 0 ]; then
		cat "$first" "$second" >"$scratch/both"
		fios "$scratch/both"
	else
		fios "$first" "$second"
	fi >"$scratch/figures"
	all_a=
	all_b=
	if [ -n "$workers" ]; then
		all_a=$(cpu_seconds a)
		all_b=$(cpu_seconds b)
	fi
	echo "$2 $1 $($arm_first "$scratch/figures" | tr '\n' ' ')" \
		"$all_a $all_b" >>"$results"
}

# cpu_seconds SIDE: prints the CPU time of all threads while the job ran
cpu_seconds()
{
	for moment in pre post; do
		[ -s "$scratch/cpu.$1.$moment" ] || {
			echo "no /proc/PID/task/TID/schedstat at exec_${moment}run" >&2
			exit 1
		}
	done
	awk 'FILENAME ~ /post$/ { ns += $1; next } { ns -= $1 }
		END { printf "%.6f", ns * 1e-9; exit ns <= 0 }' \
		"$scratch/cpu.$1.pre" "$scratch/cpu.$1.post" || {
		echo "/proc/PID/task/TID/schedstat does not count" >&2
		exit 1
	}
	rm "$scratch/cpu.$1.pre" "$scratch/cpu.$1.post"
}

# The layer below may keep the file in a cache of its own and get faster the more of
# it has been read: read all of it.
# shellcheck disable=SC2086
"${FIO:-fio}" --name=warm --filename="$file" $size --readonly --rw=read \
	--bs=1m --direct="${DIRECT:-0}" --iodepth=1 --invalidate=0 \
	--minimal >/dev/null

# Each result: DEPTH ARM; I/Os, seconds, fio's CPU seconds of the arm and of stock;
# with workers all CPU seconds of both
for depth in $depths; do
	round=0
	while [ "$round" -lt "$rounds" ]; do
		case $((round % 3)) in
		0) order="stock ours total" ;;
		1) order="ours total stock" ;;
		2) order="total stock ours" ;;
		esac
		for arm in $order ${other:+other}; do
			pair "$arm" "$depth" "$round"
		done
		round=$((round + 1))
	done
done

# speeds DEPTH ARM: prints ratios to stock in the same round, and summarises them
speeds()
{
	awk -v depth="$1" -v arm="$2" -v together="$together" '
		$1 == depth && $2 == arm {
			t = together ? $5 : $4; t2 = together ? $8 : $7
			if (NF > 8) {
				t = $9
				t2 = $10
			}
			print $3 / t / ($6 / t2)
		}' "$results" | quantiles
}

# costs DEPTH ARM: prints fio's CPU time per I/O, relative to stock's
costs()
{
	awk -v depth="$1" -v arm="$2" '
		$1 == depth && $2 == arm { print $5 / $3 / ($8 / $6) }' \
		"$results" | quantiles
}

# shown DEPTH WHAT FIGURES
shown()
{
	printf 'depth %-4d %-26s %s' "$1" "$2" "$(echo "$3" | in_words)"
}

# judged DEPTH WHAT FIGURES NOISE
judged()
{
	shown "$1" "$2" "$3"
	echo "$3 $4" | awk -v bar="${BAR:-0.98}" '{
		width = $9 - $8
		off = ($9 + $8) / 2 - 1
		verdict = $3 >= bar ? "reached" : "NOT reached"
		if (width > .1 || off > width || off < -width)
			verdict = "undecided"
		printf "; bar %.2f: %s\n", bar, verdict
	}'
}

verdicts()
{
	[ "$together" -ne 0 ] && rate="I/Os per CPU s" || rate=IOPS
	noise=$(speeds "$1" stock)
	judged "$1" "$rate, ours/stock" "$(speeds "$1" ours)" "$noise"
	shown "$1" "$rate, tw_stages=0" "$(speeds "$1" total)"
	echo
	shown "$1" "$rate, stock/stock" "$noise"
	echo
	if [ -n "$other" ]; then
		shown "$1" "$rate, other/stock" "$(speeds "$1" other)"
		echo
	fi
	shown "$1" "CPU per I/O, ours/stock" "$(costs "$1" ours)"
	echo
	# Else it is the inverse of the figure above.
	[ "$together" -eq 0 ] || [ -n "$workers" ] || return 0
	shown "$1" "CPU per I/O, stock/stock" "$(costs "$1" stock)"
	echo
}

[ "$together" -ne 0 ] && how="at once" || how="one after the other"
echo "bs=${BS:-512} direct=${DIRECT:-0}, $rounds rounds of $seconds s, pairs $how"
for depth in $depths; do
	verdicts "$depth"
done
