#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Do tickwise memlat and older programs find the same latency? They alternate on one
# CPU, over the same sizes, strides, orders and pages: multichase
# (github.com/google/multichase), and lat_mem_rd of lmbench. They are not part of
# this project: give the directories where they were built, either or both.
# lmbench's is the one with lat_mem_rd.c, bench.h and lmbench.a (bench.h wants
# rpc/rpc.h: Debian's libtirpc-dev).
#
#	tests/bench/memlat_agreement.sh DIR... [-- ROUNDS [SIZE...]]
#
# ROUNDS: 3. SIZE: 16K 256K 1M 64M 256M. A run is the best part of two seconds. The
# best runs of all rounds are compared, since a disturbance only makes a load
# longer. All use small pages. More than 5 % is "apart".
#
# ours         20 batches of 100 ms: the minimum.
# multichase   -n 4: the best of four half seconds. -s 64, -T the whole size:
#              every order is equally likely, as in our random curve.
# lat_mem_rd   ENOUGH=100000, 20 runs: the best of 20 that last 100 ms or a whole
#              pass; its loop's own time is subtracted, as it always does. -t: each
#              load on another page than the one before, in rounds over all pages,
#              one line of each. Our window curve does so with windows of a page
#              and as many rounds as a page has elements, 16 at a stride of 256.
#              tests/bench/lmbench/one_size.c gives it memory of that size, as
#              ours has, and not the part of a larger one.
#              glibc is told to fill it first (MALLOC_PERTURB_): else its pages are
#              touched in the order of the chain, and those that follow each other
#              there tend to lie side by side in physical memory.
#
# Then three checks of our own. L1 is in whole cycles of the core (2 %). The ends of
# L1 and L2 are those of sysfs (one step of sizes). The minimum of 5 runs is that of
# 5 more (2 %, up to 1M). TW_OWN=0 leaves these out.
#
# Prints a line with a verdict for each. Ends with 1 if one of them is "apart", with
# 2 if nothing could be compared.
set -eu

tolerance=5
multichase= lmbench=
while [ $# -gt 0 ] && [ "$1" != -- ]; do
	for dir in "$1" "$1/src"; do
		[ ! -x "$dir/multichase" ] || multichase=$dir/multichase
		[ ! -e "$dir/lmbench.a" ] || lmbench=$dir
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

if [ -z "$multichase$lmbench" ]; then
	echo "memlat_agreement: no multichase and no lmbench.a in the" \
		"directories given" >&2
fi
if [ -n "$lmbench" ]; then
	"${CC:-cc}" -O2 -w -Dmain=lat_mem_rd_main -I"$lmbench" \
		-I/usr/include/tirpc -o "$scratch/one_size" \
		"$(dirname "$0")/lmbench/one_size.c" "$lmbench/lat_mem_rd.c" \
		"$lmbench/lmbench.a" -lm || lmbench=
fi

in_bytes() {
	echo "$1" | awk '/K$/ { print $1 * 1024 }
			 /M$/ { print $1 * 1048576 }
			 /G$/ { print $1 * 1073741824 }'
}

# ours SIZE KIND STRIDE POINT_MS BATCH_US [OPTION...]: prints the minimum of a run,
# or nothing if all of it was too disturbed
ours() {
	size=$1 kind=$2 stride=$3 point=$4 batch=$5
	shift 5
	"$tickwise" memlat --cpu="$cpu" --min="$size" --max="$size" --pages=small \
		--curves="$kind" --stride="$stride" --point="$point" \
		--batch="$batch" --csv "$@" 2>/dev/null |
		awk -F, 'NR == 2 && $11 { print $11 }'
}

chase_round() {
	for size in $sizes; do
		taskset -c "$cpu" "$small" "$multichase" -X -m "$size" -s 64 \
			-T "$size" -n 4 >>"$scratch/multichase.$size"
		ours "$size" random 64 2000 100000 \
			>>"$scratch/multichase-ours.$size"
	done
}

lmbench_round() {
	for size in $sizes; do
		MALLOC_PERTURB_=165 ENOUGH=100000 taskset -c "$cpu" "$small" \
			"$scratch/one_size" "$(in_bytes "$size")" 256 20 2>&1 |
			awk '{ print $2 }' >>"$scratch/lmbench.$size"
		ours "$size" window 256 2000 100000 --window="$page" \
			--passes=$((page / 256 > 64 ? 64 : page / 256)) \
			>>"$scratch/lmbench-ours.$size"
	done
}

round=0
while [ "$round" -lt "$rounds" ]; do
	[ -z "$multichase" ] || chase_round
	[ -z "$lmbench" ] || lmbench_round
	round=$((round + 1))
done

minimum() {
	sort -g "$1" | head -n 1
}

# say WHAT OURS THEIRS PERCENT: prints a verdict
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

# ---- checks of our own ----

if [ "${TW_OWN:-1}" = 0 ]; then
	[ "$compared" -eq 1 ] || exit 2
	exit "$apart"
fi

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
		if ($i == 0 && $level->{cycles}) {
			my $off = ($level->{cycles} /
				int($level->{cycles} + 0.5) - 1) * 100;
			my $bad = abs($off) > 2;
			printf "%-32s %.3f cycles, %+.2f %% from a whole " .
				"number  %s\n", "L1", $level->{cycles},
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
