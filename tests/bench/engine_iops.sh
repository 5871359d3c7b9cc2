#!/bin/sh
# SPDX-License-Identifier: MIT
#
# IOPS and CPU time of the engine against fio's own io_uring engine on the same
# file, in one run: stock, ours, stock again, ours with tw_stages=0, the order
# turning from round to round. The second stock arm against the first shows
# what the machine's noise alone does.
#
#	tests/bench/engine_iops.sh [ROUNDS [SECONDS [FILE]]]
#
# Without more it reads 512 bytes at a time from the page cache, where the
# engine's own cost is the largest part; a FILE that exists, or a device, is
# only read. BS=512, DIRECT=0, DEPTHS="1 32 128", LAYOUT=64m, CPU=(the last one)
# may be set; all arms run on that CPU, since moving between CPUs is half of the
# noise.
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
	size=--size=${LAYOUT:-64m}
	"${FIO:-fio}" --name=layout --filename="$file" "$size" --rw=write \
		--bs=1m --end_fsync=1 --minimal >/dev/null
fi

# arm NAME DEPTH: prints IOPS and CPU seconds per second
arm()
{
	case $1 in
	stock*) engine=io_uring extra= ;;
	ours) engine=external:$so extra=--tw_report=none ;;
	total) engine=external:$so extra="--tw_report=none --tw_stages=0" ;;
	esac
	# shellcheck disable=SC2086
	"${FIO:-fio}" --name=j --ioengine="$engine" $extra --filename="$file" \
		$size --readonly --rw=randread --bs="${BS:-512}" \
		--direct="${DIRECT:-0}" --invalidate=0 --norandommap=1 \
		--iodepth="$2" --time_based=1 --cpus_allowed="$cpu" \
		--runtime="$(awk -v s="$seconds" 'BEGIN { printf "%d", s * 1e3 }')ms" \
		--output-format=json >"$results.run" || {
		echo "engine_iops: fio failed with $1" >&2
		exit 1
	}
	perl -MJSON::PP -e 'local $/; my $text = <>; $text =~ s/\A.*?^(?=\{)//ms;
		my $j = decode_json($text)->{jobs}[0];
		printf "%.3f %.6f", $j->{read}{iops},
			($j->{usr_cpu} + $j->{sys_cpu}) / 100' "$results.run"
}

# What lies below may keep the file in a cache of its own and get faster the
# more of it has been read: read all of it, then one round for nothing.
# shellcheck disable=SC2086
"${FIO:-fio}" --name=warm --filename="$file" $size --readonly --rw=read \
	--bs=1m --direct="${DIRECT:-0}" --iodepth=1 --invalidate=0 \
	--minimal >/dev/null

# Each result: DEPTH ROUND ARM IOPS CPU
for depth in $depths; do
	arm stock "$depth" >/dev/null
	round=0
	while [ "$round" -lt "$rounds" ]; do
		case $((round % 4)) in
		0) order="stock ours stock2 total" ;;
		1) order="ours stock2 total stock" ;;
		2) order="stock2 total stock ours" ;;
		3) order="total stock ours stock2" ;;
		esac
		for name in $order; do
			echo "$depth $round $name $(arm "$name" "$depth")" \
				>>"$results"
		done
		round=$((round + 1))
	done
done

# verdicts DEPTH
verdicts()
{
	perl -e '
	use strict; use warnings;
	my ($depth, $bar, $bar_cpu, $bar_total, $file) = @ARGV;
	my (%iops, %cost);

	open my $in, "<", $file or die $!;
	while (<$in>) {
		my ($d, $round, $arm, $iops, $cpu) = split;
		next if $d != $depth;
		$iops{$arm}[$round] = $iops;
		$cost{$arm}[$round] = $cpu / $iops;
	}
	# of one arm to the mean of both stock arms, round by round
	sub ratios {
		my ($of, $arm, $one) = @_;
		return sort { $a <=> $b } map {
			$of->{$arm}[$_] / ($one ? $of->{stock}[$_] :
				($of->{stock}[$_] + $of->{stock2}[$_]) / 2)
		} 0 .. $#{$of->{$arm}};
	}
	# The median and its interval: ranks n/2 +- 0.98 sqrt(n), the
	# 95 % of the binomial.
	sub summary {
		my @v = @_;
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
		printf "depth %-4d %-22s %.3f (95 %% %.3f-%.3f), " .
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
	my @noise = summary(ratios(\%iops, "stock2", 1));
	my @cpu_noise = summary(ratios(\%cost, "stock2", 1));

	judge("IOPS, ours/stock", $bar, ($noise[2] - $noise[1]) / 2, 1,
		summary(ratios(\%iops, "ours")));
	judge("IOPS, tw_stages=0", $bar_total, ($noise[2] - $noise[1]) / 2, 1,
		summary(ratios(\%iops, "total")));
	line("IOPS, stock/stock", @noise);
	print "\n";
	judge("CPU per I/O, ours", $bar_cpu,
		($cpu_noise[2] - $cpu_noise[1]) / 2, -1,
		summary(ratios(\%cost, "ours")));
	line("CPU per I/O, stock", @cpu_noise);
	print "\n"' "$1" "$2" "${BAR_CPU:-1.03}" "${BAR_TOTAL:-1.02}" "$results"
}

echo "bs=${BS:-512} direct=${DIRECT:-0}, $rounds rounds of $seconds s an arm"
for depth in $depths; do
	[ "$depth" -eq 1 ] && bar=0.97 || bar=1.00
	verdicts "$depth" "${BAR:-$bar}"
done
