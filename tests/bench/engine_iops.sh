#!/bin/sh
# SPDX-License-Identifier: MIT
#
# I/Os per second and CPU time of the engine against fio's own io_uring engine,
# pair by pair on the same file and CPU: ours and stock, ours with tw_stages=0
# and stock, stock and stock. The last shows what the machine's noise alone does.
#
#	tests/bench/engine_iops.sh [ROUNDS [SECONDS [FILE]]]
#
# Without more it reads 512 bytes at a time from the page cache, where the
# engine's own cost is the largest part; a FILE that exists, or a device, is
# only read. BS=512, DIRECT=0, DEPTHS="1 32 128", LAYOUT=64m, CPU=(the last one)
# may be set; all run on that CPU, since moving between CPUs is half of the
# noise.
#
# The two of a pair run at once and take turns on the CPU every few
# milliseconds, so that whatever else goes on is the same for both, and I/Os are
# counted per second of CPU time: the speed of a job that never waits, and the
# inverse of CPU time per I/O. With TOGETHER=0 they run one after the other and
# I/Os are counted per second of time: for a device that has to be waited for,
# which any is taken for that is read with DIRECT=1 and is no zram or ram disk.
#
# Where a process has its memory is worth some percent: a buffer of fio's that
# begins in the middle of a cache line is copied to more slowly, and whether it
# does hangs on how long its options are, the engine's path included. So buffers
# are aligned, and names are of another length each time.
#
# Prints per depth the median of the rounds' ratios, the 95 % interval of that
# median (from order statistics: no assumption about the noise), the ratios'
# p10-p90, and whether the bar is reached: the interval has to lie above the
# bar less the spread of stock against stock, which is half its interval. For
# CPU time per I/O it has to lie below the bar and that. A spread above 0.05
# says nothing of an engine: undecided. BAR=, BAR_CPU= and BAR_TOTAL=
# (tw_stages=0) set the bars; else 0.97 at depth 1 and 1.00 at others, 1.03,
# 1.02.
set -eu

rounds=${1:-15}
seconds=${2:-1}
build=${TW_BUILD:-build}
file=${3:-$build/bench.data}
depths=${DEPTHS:-1 32 128}
case ${DIRECT:-0}$file in
0* | 1/dev/zram* | 1/dev/ram*) together=${TOGETHER:-1} ;;
*) together=${TOGETHER:-0} ;;
esac
so=$(realpath "$build/tickwise.so")
cpu=${CPU:-$(($(nproc) - 1))}
scratch=$(mktemp -d)
results=$scratch/results
made=
jobs=
finish()
{
	# shellcheck disable=SC2086
	[ -z "$jobs" ] || kill $jobs 2>/dev/null || :
	rm -rf "$scratch"
	[ -z "$made" ] || rm -f "$file"
}
trap finish EXIT
trap 'exit 130' INT TERM

# A file or device that is there already is only read, as far as it goes.
size=
if [ ! -e "$file" ]; then
	made=1
	size=--size=${LAYOUT:-64m}
	"${FIO:-fio}" --name=layout --filename="$file" "$size" --rw=write \
		--bs=1m --end_fsync=1 --minimal >/dev/null
fi

# letters COUNT
letters()
{
	printf "%$1s" '' | tr ' ' j
}

# one SIDE ARM DEPTH LENGTH: I/Os, seconds and CPU seconds into $scratch/SIDE
one()
{
	case $2 in
	stock) engine=io_uring extra= ;;
	*)	link=$scratch/$1$(letters "$4").so
		ln -sf "$so" "$link"
		engine=external:$link extra=--tw_report=none ;;
	esac
	[ "$2" != total ] || extra="$extra --tw_stages=0"
	# shellcheck disable=SC2086
	"${FIO:-fio}" --name="$(letters "$4")" --ioengine="$engine" $extra \
		--filename="$file" $size --readonly --rw=randread \
		--bs="${BS:-512}" --direct="${DIRECT:-0}" --invalidate=0 \
		--norandommap=1 --iomem_align=4096 --iodepth="$3" \
		--time_based=1 --cpus_allowed="$cpu" \
		--runtime="$(awk -v s="$seconds" 'BEGIN { printf "%d", s * 1e3 }')ms" \
		--output-format=json >"$scratch/$1.json" || {
		echo "engine_iops: fio failed with $2" >&2
		return 1
	}
	perl -MJSON::PP -e 'local $/; my $text = <>; $text =~ s/\A.*?^(?=\{)//ms;
		my $j = decode_json($text)->{jobs}[0];
		my $seconds = $j->{job_runtime} / 1000;
		printf "%d %.3f %.6f", $j->{read}{total_ios}, $seconds,
			($j->{usr_cpu} + $j->{sys_cpu}) / 100 * $seconds' \
		"$scratch/$1.json" >"$scratch/$1"
}

# pair ARM DEPTH ROUND: with stock; who begins alternates
pair()
{
	length=$((($3 * 37 + $2 * 11) % 89 + 1))
	if [ $(($3 % 2)) -eq 0 ]; then
		sides="a b"
	else
		sides="b a"
	fi
	jobs=
	for side in $sides; do
		arm=$1
		[ "$side" = a ] || arm=stock
		one "$side" "$arm" "$2" "$length" &
		jobs="$jobs $!"
		length=$(((length * 5 + 17) % 89 + 1))
		[ "$together" -ne 0 ] || wait $! || exit 1
	done
	if [ "$together" -ne 0 ]; then
		for job in $jobs; do
			wait "$job" || exit 1
		done
	fi
	jobs=
	echo "$2 $3 $1 $(cat "$scratch/a") $(cat "$scratch/b")" >>"$results"
}

# What lies below may keep the file in a cache of its own and get faster the
# more of it has been read: read all of it, then one round for nothing.
# shellcheck disable=SC2086
"${FIO:-fio}" --name=warm --filename="$file" $size --readonly --rw=read \
	--bs=1m --direct="${DIRECT:-0}" --iodepth=1 --invalidate=0 \
	--minimal >/dev/null

# Each result: DEPTH ROUND ARM, then I/Os, seconds, CPU seconds of it and of stock
for depth in $depths; do
	round=0
	while [ "$round" -lt "$rounds" ]; do
		case $((round % 3)) in
		0) order="stock ours total" ;;
		1) order="ours total stock" ;;
		2) order="total stock ours" ;;
		esac
		for arm in $order; do
			pair "$arm" "$depth" "$round"
		done
		round=$((round + 1))
	done
done

# verdicts DEPTH BAR
verdicts()
{
	perl -e '
	use strict; use warnings;
	my ($depth, $bar, $bar_cpu, $bar_total, $together, $file) = @ARGV;
	my (%speed, %cost);

	open my $in, "<", $file or die $!;
	while (<$in>) {
		my ($d, $round, $arm, $ios, $time, $cpu, $ios2, $time2, $cpu2)
			= split;
		next if $d != $depth;
		($time, $time2) = ($cpu, $cpu2) if $together;
		push @{$speed{$arm}}, $ios / $time / ($ios2 / $time2);
		push @{$cost{$arm}}, $cpu / $ios / ($cpu2 / $ios2);
	}
	# The median and its interval: ranks n/2 +- 0.98 sqrt(n), the
	# 95 % of the binomial.
	sub summary {
		my @v = sort { $a <=> $b } @_;
		my $at = sub { my $rank = int($_[0] + .5);
			$v[$rank < 1 ? 0 : $rank > @v ? $#v : $rank - 1] };
		my $middle = (@v + 1) / 2;
		my $half = .98 * sqrt(@v);
		return (($at->($middle - .25) + $at->($middle + .25)) / 2,
			$at->($middle - $half), $at->($middle + $half),
			$at->(1 + $#v * .1), $at->(1 + $#v * .9));
	}
	sub line {
		my ($what, @s) = @_;
		printf "depth %-4d %-26s %.3f (95 %% %.3f-%.3f), " .
			"p10-p90 %.3f-%.3f", $depth, $what, @s;
	}
	# @sign 1: not below the bar, -1: not above
	sub judge {
		my ($what, $bar, $spread, $sign, @s) = @_;
		my $limit = $bar - $sign * $spread;
		my $reached = $sign > 0 ? $s[1] >= $limit : $s[2] <= $limit;

		line($what, @s);
		printf "; bar %.2f, limit %.3f: %s\n", $bar, $limit,
			$spread > .05 ? "undecided" :
			$reached ? "reached" : "NOT reached";
	}
	my $rate = $together ? "I/Os per CPU s" : "IOPS";
	my @noise = summary(@{$speed{stock}});
	my @cpu_noise = summary(@{$cost{stock}});

	judge("$rate, ours/stock", $bar, ($noise[2] - $noise[1]) / 2, 1,
		summary(@{$speed{ours}}));
	judge("$rate, tw_stages=0", $bar_total, ($noise[2] - $noise[1]) / 2, 1,
		summary(@{$speed{total}}));
	line("$rate, stock/stock", @noise);
	print "\n";
	judge($together ? "CPU per I/O, the inverse" : "CPU per I/O, ours",
		$bar_cpu, ($cpu_noise[2] - $cpu_noise[1]) / 2, -1,
		summary(@{$cost{ours}}));
	exit if $together;
	line("CPU per I/O, stock", @cpu_noise);
	print "\n"' "$1" "$2" "${BAR_CPU:-1.03}" "${BAR_TOTAL:-1.02}" \
		"$together" "$results"
}

[ "$together" -ne 0 ] && how="at once" || how="one after the other"
echo "bs=${BS:-512} direct=${DIRECT:-0}, $rounds rounds of $seconds s, pairs $how"
for depth in $depths; do
	[ "$depth" -eq 1 ] && bar=0.97 || bar=1.00
	verdicts "$depth" "${BAR:-$bar}"
done
