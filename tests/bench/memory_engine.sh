#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Do the fio engine for memory and tickwise memlat find the same latency? They
# alternate on one CPU, two seconds each, with the same sizes, order and pages.
# Loads come in parts of about a tenth of a millisecond (16 KB: 1.5 ns x 65536),
# each time in other memory.
#
#	tests/bench/memory_engine.sh [ROUNDS [SIZE...]]
#
# ROUNDS: 5. SIZE: 16K 256K 1M 64M. Prints for each size the ratio of engine to
# memlat: of the minima of all rounds, and of the medians (the median of all rounds'
# ratios, the least and the most). Next to it is the ratio of memlat to memlat,
# between every other run of it, which is the machine's own noise.
set -eu

rounds=${1:-5}
[ $# -eq 0 ] || shift
sizes=${*:-16K 256K 1M 64M}
build=${TW_BUILD:-build}
fio=${FIO:-fio}
tickwise=$(realpath "${TICKWISE:-$build/tickwise}")
engine=$(realpath "$build/tickwise-memory.so")
cpu=$(perl -ne 'print $1 if /^Cpus_allowed_list:.*?(\d+)\s*$/' /proc/self/status)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
cd "$scratch"

# Print the options of an I/O. It covers at most 64 KB of lines, as often as makes
# 65536 loads in a cache; of memory 1024 loads.
engine_run() {
	bs=65536 repeat=1
	case $1 in
	16K) bs=16384 repeat=256 ;;
	256K | 1M) repeat=16 ;;
	esac
	"$fio" --name=m --ioengine="external:$engine" --rw=randread \
		--size="$1" --bs=$bs --tw_repeat=$repeat --time_based=1 \
		--runtime=2 --cpus_allowed="$cpu" --tw_report=report \
		--output=out
	perl -MJSON::PP -0ne 'my $l = decode_json($_)->{load};
		print "$l->{min_ns} $l->{median_ns}\n" if $l->{min_ns}' report
}

memlat_run() {
	"$tickwise" memlat --cpu="$cpu" --min="$1" --max="$1" --pages=small \
		--curves=random --point=2000 --csv |
		awk -F, 'NR == 2 && $11 { print $11, $12 }'
}

round=0
while [ "$round" -lt "$rounds" ]; do
	for size in $sizes; do
		echo "$(memlat_run "$size") $(engine_run "$size")" \
			"$(memlat_run "$size")" >>"$size"
	done
	round=$((round + 1))
done

for size in $sizes; do
	awk 'NF == 6' "$size" | perl -e '
		my $size = shift; my (@min, @engine, @memlat);
		while (<STDIN>) {
			my @f = split;
			for (0 .. 2) {
				$min[$_] = $f[2 * $_] if !defined $min[$_] ||
					$f[2 * $_] < $min[$_];
			}
			push @engine, $f[3] / (($f[1] + $f[5]) / 2);
			push @memlat, $f[5] / $f[1];
		}
		exit print "$size: too disturbed\n" if !@engine;
		my $least = $min[0] < $min[2] ? $min[0] : $min[2];
		sub spread {
			my @sorted = sort { $a <=> $b } @_;
			my $mid = ($sorted[$#sorted / 2] +
				$sorted[@sorted / 2]) / 2;
			return sprintf "%.3f (%.3f - %.3f)", $mid,
				@sorted[0, -1];
		}
		printf "%-5s minima %.3f  medians %s  memlat by itself: " .
			"minima %.3f  medians %s\n", $size, $min[1] / $least,
			spread(@engine), $min[2] / $min[0], spread(@memlat)' \
		"$size"
done
