#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Do tickwise memlat and older programs find the same latency? By turns on one
# CPU, over the same sizes, strides, orders and pages: multichase
# (github.com/google/multichase), and lat_mem_rd of lmbench. They are not part
# of this project: give the directories where they were built, either or both.
#
#	tests/bench/memlat_agreement.sh DIR... [-- ROUNDS [SIZE...]]
#
# ROUNDS: 3. SIZE: 16K 256K 1M 64M 256M. What is compared is the minimum of all
# rounds: what disturbs a load only makes it longer. Small pages for all. Up to 1M
# that is of batches; beyond, the median of a run's batches, which are only a part
# of a pass, stands for it: theirs are means of whole passes.
#
# multichase   -s 64, -T the whole size: every order is equally likely, as in
#              our random curve. Three times half a second, the best one.
# lat_mem_rd   -t: each load on another page than the one before, in rounds over
#              all pages, one line of each. Our window curve does so with
#              windows of a page and as many rounds as a page has elements. A
#              stride of 256, for it goes through all smaller sizes first, which
#              takes minutes otherwise; up to 1M in a process of its own, whose
#              pages then lie side by side as ours do.
#
# Then three things of our own: L1 in whole cycles of the core (2 %), the ends
# of L1 and L2 beside sysfs's (one step of sizes), and the minimum of 5 runs
# beside that of 5 more (2 %, up to 1M).
#
# Prints a line with a verdict each; ends with 1 if one of them is "apart", with
# 2 if nothing could be compared.
set -eu

tolerance=5
multichase= lat_mem_rd=
while [ $# -gt 0 ] && [ "$1" != -- ]; do
	for dir in "$1" "$1/src" "$1/bin"; do
		[ ! -x "$dir/multichase" ] || multichase=$dir/multichase
		[ ! -x "$dir/lat_mem_rd" ] || lat_mem_rd=$dir/lat_mem_rd
	done
	shift
done
[ $# -eq 0 ] || shift
rounds=${1:-3}
[ $# -eq 0 ] || shift
sizes=${*:-16K 256K 1M 64M 256M}
build=${TW_BUILD:-build}
tickwise=$(realpath "${TICKWISE:-$build/tickwise}")
small=$(realpath "$build/tests/bench/small_pages")
page=$(getconf PAGESIZE)
cpu=$(perl -ne 'print $1 if /^Cpus_allowed_list:.*?(\d+)\s*$/' /proc/self/status)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

if [ -z "$multichase$lat_mem_rd" ]; then
	echo "memlat_agreement: no multichase and no lat_mem_rd in the" \
		"directories given" >&2
fi

in_mb() {
	echo "$1" | awk '/K$/ { printf "%.5f", $1 / 1024 }
			 /M$/ { printf "%.5f", $1 }
			 /G$/ { printf "%.5f", $1 * 1024 }'
}

is_small() {
	awk -v mb="$(in_mb "$1")" 'BEGIN { exit !(mb <= 1) }'
}

# ours SIZE KIND STRIDE POINT_MS BATCH_US [OPTION...]: minimum or median of a run,
# if there is one: all may have been too disturbed
ours() {
	size=$1 kind=$2 stride=$3 point=$4 batch=$5
	shift 5
	"$tickwise" memlat --cpu="$cpu" --min="$size" --max="$size" --pages=small \
		--curves="$kind" --stride="$stride" --point="$point" \
		--batch="$batch" --csv "$@" |
		awk -F, -v column="$(is_small "$size" && echo 11 || echo 12)" \
			'NR == 2 && $column { print $column }'
}

chase_round() {
	for size in $sizes; do
		taskset -c "$cpu" "$small" "$multichase" -X -m "$size" -s 64 \
			-T "$size" -n 3 >>"$scratch/multichase.$size"
		ours "$size" random 64 1500 10000 \
			>>"$scratch/multichase-ours.$size"
	done
}

# lmbench_run MB: what lat_mem_rd says up to so much memory. The variables are its
# own: 10 ms at least a measurement, and nothing subtracted.
lmbench_run() {
	ENOUGH=10000 LOOP_O=0 TIMING_O=0 \
		taskset -c "$cpu" "$small" "$lat_mem_rd" -t -N 1 "$1" 256 \
		>"$scratch/lmbench" 2>&1 </dev/null
}

lmbench_round() {
	done_small=
	for size in $sizes; do
		if is_small "$size"; then
			[ "$done_small" ] || lmbench_run 1
			done_small=1
		else
			mb=$(in_mb "$size")
			lmbench_run "${mb%.*}"
		fi
		awk -v mb="$(in_mb "$size")" '$1 == mb { print $2 }' \
			"$scratch/lmbench" >>"$scratch/lmbench.$size"
		ours "$size" window 256 1500 10000 --window="$page" \
			--passes=$((page / 256 > 64 ? 64 : page / 256)) \
			>>"$scratch/lmbench-ours.$size"
	done
}

round=0
while [ "$round" -lt "$rounds" ]; do
	[ -z "$multichase" ] || chase_round
	[ -z "$lat_mem_rd" ] || lmbench_round
	round=$((round + 1))
done

minimum() {
	sort -g "$1" | head -n 1
}

# say WHAT OURS THEIRS PERCENT: a verdict
say() {
	awk -v what="$1" -v ours="$2" -v theirs="$3" -v most="$4" 'BEGIN {
		off = (ours / theirs - 1) * 100
		verdict = off <= most && off >= -most ? "agrees" : "apart"
		printf "%-32s ours %9.3f  theirs %9.3f  %+6.2f %%  %s\n",
			what, ours, theirs, off, verdict
		exit verdict == "apart" }'
}

apart=0
compared=0
for who in multichase lmbench; do
	for size in $sizes; do
		[ -s "$scratch/$who.$size" ] || continue
		[ -s "$scratch/$who-ours.$size" ] || continue
		compared=1
		say "$who $size" "$(minimum "$scratch/$who-ours.$size")" \
			"$(minimum "$scratch/$who.$size")" "$tolerance" || apart=1
	done
done

# ---- of our own ----

repeated() {
	for run in 1 2 3 4 5; do
		ours "$1" window 64 300 100
	done >"$scratch/repeated"
	minimum "$scratch/repeated"
}
for size in 16K 256K 1M; do
	say "again $size (second, first five)" "$(repeated "$size")" \
		"$(repeated "$size")" 2 || apart=1
done

"$tickwise" memlat --cpu="$cpu" --curves=window --max=16M --pages=small --json \
	>"$scratch/levels"
perl -MJSON::PP -0ne '
	my $found = decode_json($_);
	my $apart = 0;
	for my $i (0, 1) {
		my $level = $found->{levels}[$i] or next;
		if ($i == 0 && $level->{low_cycles}) {
			my $off = ($level->{low_cycles} /
				int($level->{low_cycles} + 0.5) - 1) * 100;
			my $bad = abs($off) > 2;
			printf "%-32s %.3f cycles, %+.2f %% from a whole " .
				"number  %s\n", "L1", $level->{low_cycles},
				$off, $bad ? "apart" : "agrees";
			$apart ||= $bad;
		}
		my $bad = $level->{sysfs} ne "agrees";
		printf "%-32s %d bytes, sysfs %d, next size %d  %s\n",
			"end of $level->{name}", $level->{size_bytes} // 0,
			$level->{sysfs_bytes} // 0,
			$level->{next_size_bytes} // 0,
			$bad ? "apart" : "agrees";
		$apart ||= $bad;
	}
	exit $apart' "$scratch/levels" || apart=1

[ "$compared" -eq 1 ] || exit 2
exit "$apart"
