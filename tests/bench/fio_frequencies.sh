#!/bin/sh
# SPDX-License-Identifier: MIT
#
# How far off is fio's clock over frequencies, and ours? Compiles fio's own code for
# its clock from each tree named. That code and tw_rate_measure(), with 20 ms as in
# the engine and with one second, run on the same simulated counters of 1 to 5 GHz.
# x86-64 only: fio's rdtsc instructions become calls in the compiler's output.
#
#	tests/bench/fio_frequencies.sh [--count=N] [--seed=N] [--load=quiet|busy] TREE...
#
# TREE: a configured fio, as plugin/find-fio.sh prints it. Build with make first.
set -eu
LC_ALL=C
export LC_ALL

root=$(cd "$(dirname "$0")/../.." && pwd)
build=${TW_BUILD:-$root/build}
cc=${CC:-gcc}
count=1000 seed=1 load=quiet
while [ $# -gt 0 ]; do
	case $1 in
	--count=*) count=${1#*=} ;;
	--seed=*) seed=${1#*=} ;;
	--load=quiet | --load=busy) load=${1#*=} ;;
	-*)
		echo "fio_frequencies: what is '$1'?" >&2
		exit 64 ;;
	*) break ;;
	esac
	shift
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT

# Compile the files that fio's clock is made of: gettime.c, and in a patched one
# some more. Functions that these refer to elsewhere are not reached; data must
# exist.
compile_tree()
{
	tree=$1 flags="-std=gnu99 -O2 -w -fno-pie -mno-red-zone -D_GNU_SOURCE
		-D_FILE_OFFSET_BITS=64 -DFIO_INTERNAL -DFIO_INC_DEBUG
		-include $tree/config-host.h -I$tree"
	objects=
	for source in gettime.c $(cd "$tree" && ls lib/cpuclock*.c 2>/dev/null); do
		name=$(basename "$source" .c)
		# shellcheck disable=SC2086
		"$cc" $flags -S -o "$work/$name.s" "$tree/$source"
		sed -i 's/^\([ \t]*\)\(.*\)\brdtsc\b/\1\2call tw_simulated_rdtsc/' \
			"$work/$name.s"
		"$cc" -c -o "$work/$name.o" "$work/$name.s"
		objects="$objects $work/$name.o"
	done
	printf '#include "fio.h"\nint tw_fio_cpu_clock = CS_CPUCLOCK;\n' \
		>"$work/cpu_clock.c"
	# shellcheck disable=SC2086
	"$cc" $flags -c -o "$work/cpu_clock.o" "$work/cpu_clock.c"
	objects="$objects $work/cpu_clock.o"
}

# link PROGRAM OBJECT...
link()
{
	program=$1
	shift
	"$cc" -std=gnu11 -O2 -fno-pie -no-pie -pthread -D_GNU_SOURCE \
		-I"$root/core" -I"$root/tests" -o "$program" \
		"$root/tests/bench/frequencies/simulate.c" "$@" \
		"$build/libtickwise.a" -lm -Wl,--unresolved-symbols=ignore-all
}

# show NAME PROGRAM
show()
{
	"$2" "$count" "$seed" "$load" >"$work/errors"
	awk -v name="$1" '
		function abs(x) { return x < 0 ? -x : x }
		{ e = abs($2); sum += e; all[NR] = e
			if (!(e <= 1e12)) bad++; if (e > 0.1) over++ }
		e >= worst { worst = e; at = $1 }
		END {
			n = asort_(all, NR)
			printf "%-24s %6d %10.4f %10.4f %10.4f %8d  %d\n",
				name, NR, sum / NR, all[int((NR + 1) / 2)],
				worst, over, at
			if (bad)
				printf "%-24s %d of them failed\n", "", bad
		}
		function asort_(a, n,   i, j, t) {
			for (i = 2; i <= n; i++)
				for (j = i; j > 1 && a[j - 1] > a[j]; j--) {
					t = a[j]; a[j] = a[j - 1]; a[j - 1] = t
				}
			return n
		}' "$work/errors"
}

echo "$count frequencies of 1 to 5 GHz, $load, seed $seed; ppb off the simulated kernel clock"
printf '%-24s %6s %10s %10s %10s %8s  %s\n' clock starts mean median worst '> 0.1' \
	'worst at kHz'
for tree; do
	tree=$(cd "$tree" && pwd)
	compile_tree "$tree"
	# shellcheck disable=SC2086
	link "$work/simulate" $objects
	show "$(sed -n 's/^FIO_VERSION *= *//p' "$tree/FIO-VERSION-FILE" \
		2>/dev/null | head -n 1) $(basename "$tree")" "$work/simulate"
done
link "$work/simulate"
show 'tickwise, 20 ms' "$work/simulate"
TW_WINDOW_NS=1000000000 show 'tickwise, one second' "$work/simulate"
TW_MEASURED_ONLY=1 show '  20 ms, measured only' "$work/simulate"
