#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The fifth question, for a whole run: what does fio lose by keeping times as a
# struct timespec? Builds four fios of the installed release, then compares them on
# ioengine=null with ../fio_patched.sh:
#
#	stock	no patch
#	before	all patches up to those that keep nanoseconds
#	inline	also reads the counter inline, and divides as before into a timespec
#	ns	all patches up to the last of the three that keep nanoseconds in
#		64 bits; it reads the counter inline as well
#
# The ratio inline / before is what the call costs, and ns / inline what the timespec
# costs. Then five runs of each give the CPU time of an I/O. FIO_GIT is as for make
# fio-patched. ROUNDS=0 only builds.
#
#	tests/bench/questions/timespec.sh [ROUNDS [SECONDS]]
set -eu

case ${1-} in
-*)
	[ "$1" = -h ] || [ "$1" = --help ] || exec >&2
	sed -n '4,/^set/s/^# \{0,1\}//p' "$0"
	case $1 in -h | --help) exit 0 ;; *) exit 64 ;; esac ;;
esac
root=$(cd "$(dirname "$0")/../../.." && pwd)
build=${TW_BUILD:-$root/build}
fios=$build/questions
series=${FIO_SERIES:-$("${FIO:-fio}" --version)}
first=gettime-add-fio_gettime_ns
last=io_u-keep-start-and-issue-time-in-nanoseconds

patches=$("$root/patches/list.sh" "$series")
for name in $first $last; do
	case $patches in
	*"/$name"*) ;;
	*)
		echo "timespec.sh: patches/$series has no $name" >&2
		exit 1 ;;
	esac
done

# patches_of ARM: prints the files of its patches
patches_of()
{
	echo "$patches" | case $1 in
	stock) cat >/dev/null ;;
	before) sed "/$first/,\$d" ;;
	inline) sed "/$first/q" ;;
	ns) sed "/$last/q" ;;
	esac
}

# read_inline SOURCE: lets all of fio but gettime.c read the CPU clock inline, and
# divide into a timespec there
read_inline()
{
	cat >>"$1/gettime.h" <<-'END'
	#if !defined(FIO_GETTIME_INLINE) && !defined(FIO_GETTIME_IS_CALLED)
	#define FIO_GETTIME_INLINE
	static inline void fio_gettime_inline(struct timespec *ts, void *caller)
	{
		if (fio_cpu_clock.in_use) {
			uint64_t nsec = fio_gettime_ns();

			ts->tv_sec = nsec / 1000000000ULL;
			ts->tv_nsec = nsec % 1000000000ULL;
			return;
		}
		fio_gettime(ts, caller);
	}
	#define fio_gettime fio_gettime_inline
	#endif
	END
	sed -i '1i#define FIO_GETTIME_IS_CALLED' "$1/gettime.c"
}

# made_of ARM: prints a checksum of what its fio is made of: release, compiler, this
# script and patches
made_of()
{
	{
		echo "$series ${CC:-gcc}"
		cat "$0"
		patches_of "$1" | while read -r patch; do
			cat "$patch"
		done
	} | cksum
}

# build ARM: builds build/questions/ARM/fio, unless one of the same patches is there
build()
{
	made_of=$(made_of "$1")
	[ ! -x "$fios/$1/fio" ] ||
		[ "$(cat "$fios/$1.made_of" 2>/dev/null)" != "$made_of" ] ||
		return 0
	rm -rf "${fios:?}/$1" "$fios/$1.made_of"
	mkdir -p "$fios/$1"
	"$root/patches/source.sh" "$series" "$fios/$1"
	patches_of "$1" >"$fios/$1.patches"
	# Left of || the shell would go on after an error, so each command exits.
	(
		cd "$fios/$1" || exit 1
		while read -r patch; do
			git apply --index --whitespace=nowarn "$patch" || exit 1
		done <"$fios/$1.patches"
		if [ "$1" = inline ]; then
			read_inline . || exit 1
		fi
		./configure --disable-native --cc="${CC:-gcc}" || exit 1
		make -j"$(nproc)" fio
	) >"$fios/$1.log" 2>&1 || {
		echo "fio ($1) does not build: see $fios/$1.log" >&2
		exit 1
	}
	echo "$made_of" >"$fios/$1.made_of"
}

for arm in stock before inline ns; do
	build $arm
done
ROUNDS=${1:-25} SECONDS_EACH=${2:-1} STARTS=0
export ROUNDS SECONDS_EACH STARTS
[ "$ROUNDS" -ne 0 ] || exit 0
compare=$root/tests/bench/fio_patched.sh
"$compare" "$fios/stock/fio" "$fios/before/fio" "$fios/ns/fio"
"$compare" "$fios/before/fio" "$fios/inline/fio" "$fios/ns/fio"
"$compare" "$fios/inline/fio" "$fios/ns/fio"

# shellcheck source=tests/bench/fio_figures.sh
. "$root/tests/bench/fio_figures.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# ns_of_io ARM: prints the CPU time of an I/O in a run of fio
ns_of_io()
{
	figures=$(fio_figures taskset -c "$(($(nproc) - 1))" "$fios/$1/fio" \
		--name=j --ioengine=null --size=1t --rw=read --time_based \
		--runtime="$SECONDS_EACH" --clocksource=cpu \
		--lat_percentiles=1 --clat_percentiles=1 --slat_percentiles=1)
	echo "$figures" | awk '{ print 1e9 * $3 / $1 }'
}

round=0
while [ "$round" -lt 5 ]; do
	for arm in stock before inline ns; do
		ns_of_io "$arm" >>"$scratch/$arm"
	done
	round=$((round + 1))
done
for arm in stock before inline ns; do
	sort -n "$scratch/$arm" | awk -v arm="$arm" '
		{ v[NR] = $1 }
		END { printf "CPU time of an I/O, %s: median %.1f ns (%.1f to %.1f)\n",
			arm, v[3], v[1], v[5] }'
done
