#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Compares the width of our offset intervals with WTMLIB's, alternating on the same
# machine in one run. WTMLIB is not part of this project: give it the directory of a
# checkout (github.com/AndreyNevolin/wtmlib).
#
#	tests/bench/estimate_wtmlib.sh WTMLIB_DIR [RUNS [cas|switch]]
#
# WTMLIB is compiled unchanged, with -O2, into a directory that is removed. Its cas
# runs take two seconds each. For both, prints the number of runs with an interval,
# the median width, and quartiles. Ends with 1 if ours is wider or spreads more.
set -eu

wtmlib=${1:?usage: estimate_wtmlib.sh WTMLIB_DIR [RUNS [cas|switch]]}
runs=${2:-20}
method=${3:-cas}
here=$(cd "$(dirname "$0")" && pwd)
tickwise=$(realpath "${TICKWISE:-${TW_BUILD:-build}/tickwise}")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

case $(uname -m) in
x86_64) arch=X86_64 ;;
ppc64*) arch=PPC_64 ;;
*) echo "estimate_wtmlib: WTMLIB knows no $(uname -m)" >&2; exit 2 ;;
esac
g++ -std=c++11 -O2 -pthread -w -DWTMLIB_ARCH_$arch -I"$wtmlib/src" \
	-o "$scratch/driver" -x c++ "$here/wtmlib/driver.c" \
	"$wtmlib/src/wtmlib.c" -lm

: >"$scratch/theirs"
: >"$scratch/ours"
i=0
while [ "$i" -lt "$runs" ]; do
	"$scratch/driver" "$method" >>"$scratch/theirs"
	"$tickwise" check --json --method="$method" >"$scratch/json" || :
	perl -0ne 'my ($low) = /^  "offset_low_ticks": (-?\d+)/m;
		my ($high) = /^  "offset_high_ticks": (-?\d+)/m;
		print defined $low && defined $high ? $high - $low . "\n" :
			"none 0\n"' "$scratch/json" >>"$scratch/ours"
	i=$((i + 1))
done

# summary WHO FILE: prints the figures, and leaves "MEDIAN SPREAD" in FILE.result
summary() {
	grep -v none "$2" | sort -n | awk -v who="$1" -v runs="$runs" \
		-v result="$2.result" '
		{ v[NR] = $1 }
		END {
			if (!NR) { print who ": no interval in " runs " runs"
				   print "inf inf" >result; exit }
			median = (v[int((NR + 1) / 2)] +
				  v[int((NR + 2) / 2)]) / 2
			low = v[int((NR - 1) / 4) + 1]
			high = v[NR - int((NR - 1) / 4)]
			printf "%-9s %d of %d runs, median %g ticks, " \
			       "quartiles %g to %g, all %g to %g\n", who, NR,
			       runs, median, low, high, v[1], v[NR]
			print median, high - low, v[NR] - v[1] >result
		}'
}
summary WTMLIB "$scratch/theirs"
summary Tickwise "$scratch/ours"
awk 'NR == 1 { median = $1; spread = $2; range = $3 }
	NR == 2 { printf "ours / theirs: width %.2f, quartile distance %.2f, " \
			 "full range %.2f\n",
			 $1 / median, spread ? $2 / spread : 0,
			 range ? $3 / range : 0
		  exit $1 > median || $2 > spread }' \
	"$scratch/theirs.result" "$scratch/ours.result"
