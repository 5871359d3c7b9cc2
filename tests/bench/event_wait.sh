#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What tw_event_wait=1 costs: IOPS and CPU time per I/O with it to those without,
# alternating in one run, beside a second arm without it for what the machine's
# noise alone does. Jobs that take eight completions at a time, where there is
# something to wait for.
#
#	tests/bench/event_wait.sh FILE [ROUNDS [SECONDS]]
#
# FILE, a device or one of 64 MB at least, is only read. DEPTHS="8 32", BS=4k,
# DIRECT=1 and CPU=(the last one) may be set.
#
# Prints for each depth the median of the rounds' ratios and its 95 % interval
# (of order statistics).
set -eu

file=$(realpath "$1")
rounds=${2:-15}
seconds=${3:-1}
so=$(realpath "${TW_BUILD:-build}/tickwise.so")
cpu=${CPU:-$(($(nproc) - 1))}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
cd "$scratch"

# arm WAIT DEPTH: IOPS, CPU seconds an I/O
arm()
{
	"${FIO:-fio}" --name=j --ioengine="external:$so" --tw_report=none \
		--tw_event_wait="$1" --filename="$file" --size=64m --readonly \
		--rw=randread --bs="${BS:-4k}" --direct="${DIRECT:-1}" \
		--norandommap=1 --iodepth="$2" --iodepth_batch_submit=8 \
		--iodepth_batch_complete_min=8 --iodepth_batch_complete_max=8 \
		--time_based=1 --cpus_allowed="$cpu" --runtime="$(awk -v s="$seconds" \
			'BEGIN { printf "%d", s * 1e3 }')ms" \
		--output-format=json >out.json
	perl -MJSON::PP -e 'local $/; my $text = <>; $text =~ s/\A.*?^(?=\{)//ms;
		my $j = decode_json($text)->{jobs}[0];
		printf "%.3f %.9f", $j->{read}{iops},
			($j->{usr_cpu} + $j->{sys_cpu}) / 100 / $j->{read}{iops}' \
		out.json
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
			[ $name = with ] && wait=1 || wait=0
			echo "$round $name $(arm $wait "$depth")" >>results
		done
		round=$((round + 1))
	done
	perl -e '
	use strict; use warnings;
	my ($depth, %v) = (shift);
	while (<>) {
		my ($round, $arm, @of) = split;
		$v{$_}{$arm}[$round] = $of[$_] for 0, 1;
	}
	for my $what (["IOPS", 0], ["CPU per I/O", 1]) {
		for my $arm ("with", "again") {
			my $of = $v{$what->[1]};
			my @r = sort { $a <=> $b } map
				{ $of->{$arm}[$_] / $of->{without}[$_] }
				0 .. $#{$of->{$arm}};
			my $half = .98 * sqrt(@r);
			my $at = sub { my $i = int($_[0] + .5) - 1;
				$r[$i < 0 ? 0 : $i > $#r ? $#r : $i] };
			printf "depth %-3d %-12s %-6s %.3f (95 %% %.3f-%.3f)\n",
				$depth, $what->[0], $arm, $at->((@r + 1) / 2),
				$at->((@r + 1) / 2 - $half),
				$at->((@r + 1) / 2 + $half);
		}
	}' "$depth" results
done
