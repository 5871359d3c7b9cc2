#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Compares the library's clock and histogram with those of other projects, in one
# run. None of them is part of this project: give it the directories of checkouts.
#
#	tests/bench/peers.sh [--quick] DIR...
#	tests/bench/peers.sh --kernel FILE_OR_DEVICE [ROUNDS [SECONDS]]
#
# The second compares with blktrace and biosnoop: see peers/kernel.sh.
#
# Each DIR is recognised by what is in it:
#	src/wtmlib.h			WTMLIB		AndreyNevolin/wtmlib
#	gettime.c, fio.h		fio		axboe/fio
#	tscns.h				tscns		MengRao/tscns
#	include/hdr/hdr_histogram.h	HdrHistogram	HdrHistogram/HdrHistogram_c
# A peer that is not given has a row that names the command to get it. All are
# compiled with -O2, into a directory that is removed; fio is configured there.
#
# Clocks. Each start is a process of its own: it sets the clock up and compares it
# with CLOCK_MONOTONIC_RAW at once, after 1 s and after 60 s (peers/starts.h). The
# error is the change of the distance. Brackets around 2000 readings give the
# distance for certain: "bound" is their width for both ends, in the worst start. A
# start waits until the one in front of it has set its clock up, not for its 60 s.
# So processes that sleep are the only others of ours. Columns, of all starts:
#	start-up	median and the range
#	1 s, 60 s	median of |error|, and the worst
#	reading		cost, and its ratio to the bare counter, in a loop (medians)
#	states		hard bound of the error after 60 s, the largest, and how many
#			starts were outside their own; "none": it tells none
# "busy" is with two busy loops for each CPU. "idle" adds no load: the load average
# is printed. NTP may steer CLOCK_MONOTONIC, which fio's clock and clock_gettime()
# follow, and CLOCK_REALTIME, which tscns follows; the steering is printed.
#
# STARTS=30, and WTMLIB_STARTS=10, since WTMLIB calibrates for 15 s. It takes ten
# minutes with all peers. --quick: 3 and 1, without the busy half, in 3 minutes.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
[ "${1-}" != --kernel ] || {
	shift
	exec "$here/peers/kernel.sh" "$@"
}
build=$(realpath "${TW_BUILD:-build}")
starts=${STARTS:-30} wtmlib_starts=${WTMLIB_STARTS:-10} loads='idle busy'
[ "${1-}" != --quick ] || {
	shift
	starts=3 wtmlib_starts=1 loads=idle
}
scratch=$(mktemp -d)
loops=
stop_loops()
{
	# shellcheck disable=SC2086
	[ -z "$loops" ] || kill $loops 2>/dev/null || :
	loops=
}
trap 'stop_loops; rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

wtmlib='' fio='' tscns='' hdr=''
for dir; do
	dir=$(realpath "$dir")
	if [ -f "$dir/src/wtmlib.h" ]; then wtmlib=$dir
	elif [ -f "$dir/gettime.c" ] && [ -f "$dir/fio.h" ]; then fio=$dir
	elif [ -f "$dir/tscns.h" ]; then tscns=$dir
	elif [ -f "$dir/include/hdr/hdr_histogram.h" ]; then hdr=$dir
	else echo "peers: $dir: not a peer" >&2; exit 64
	fi
done

# compile NAME ARGUMENT...: builds a program that uses our headers
compile()
{
	name=$1
	shift
	"$@" -O2 -w -D_GNU_SOURCE -pthread -I"$top/core" -o "$scratch/$name" \
		"$build/libtickwise.a" -lm
}

compile ours "${CC:-gcc}" -std=gnu11 "$here/peers/tickwise.c" \
	"$build/libtickwise.a"
compile system "${CC:-gcc}" -std=gnu11 "$here/peers/system.c"
[ -z "$wtmlib" ] || {
	arch=X86_64
	[ "$(uname -m)" = x86_64 ] || arch=PPC_64
	compile wtmlib "${CXX:-g++}" -std=c++17 -DWTMLIB_ARCH_$arch \
		-I"$wtmlib/src" -x c++ "$here/peers/wtmlib.c" \
		"$wtmlib/src/wtmlib.c" -x none
}
[ -z "$tscns" ] || compile tscns "${CXX:-g++}" -std=c++17 -I"$tscns" -x c++ \
	"$here/peers/tscns.c" -x none
[ -z "$fio" ] || {
	config=$fio
	[ -f "$fio/config-host.h" ] || {
		config=$scratch/fio-config
		mkdir "$config"
		(cd "$config" && sh "$fio/configure" >configure.log 2>&1)
	}
	compile fio "${CC:-gcc}" -std=gnu11 -I"$config" -I"$fio" \
		-include "$config/config-host.h" "$here/peers/fio.c" \
		"$fio/gettime.c" "$fio/fio_sem.c" "$fio/pshared.c"
}
[ -z "$hdr" ] || compile histogram "${CC:-gcc}" -std=gnu11 -I"$hdr/include" \
	"$here/peers/histogram.c" "$hdr/src/hdr_histogram.c" \
	"$build/libtickwise.a"

# The rows: program, variant, starts, name.
cat >"$scratch/rows" <<END
wtmlib - $wtmlib_starts WTMLIB
fio - $starts fio, clocksource=cpu
tscns - $starts tscns, calibrate() each second
tscns once $starts tscns, init() alone
system - $starts clock_gettime, vDSO
ours 20 $starts Tickwise, 20 ms (the engine's)
ours 20-samples $starts Tickwise, 20 ms, samples alone
ours 1000 $starts Tickwise, 1 s (the library's)
END

# set_clocks_up LOAD: makes all starts of all clocks under that load
set_clocks_up()
{
	while read -r program variant count name; do
		[ -x "$scratch/$program" ] || continue
		"$scratch/$program" starts "$variant" "$count" \
			"$scratch/$program.$variant.$1" </dev/null ||
			echo "peers: $name failed" >&2
	done <"$scratch/rows"
}

# lines FILE: prints their number; 0 without the file
lines()
{
	[ ! -f "$1" ] || wc -l <"$1"
	[ -f "$1" ] || echo 0
}

# wait_for LOAD: waits until all starts have been compared; at most 90 s
wait_for()
{
	end=$(($(date +%s) + 90))
	while [ "$(date +%s)" -lt $end ]; do
		missing=
		while read -r program variant count _; do
			[ ! -x "$scratch/$program" ] ||
				[ "$(lines "$scratch/$program.$variant.$1")" \
					-eq "$count" ] || missing=1
		done <"$scratch/rows"
		[ -n "$missing" ] || return 0
		sleep 1
	done
	echo "peers: not all starts have ended" >&2
}

# summary FILE: prints the columns of start-up, 1 s, 60 s and the stated error
summary()
{
	perl -e '
		my @line = map { [split] } <>;
		my @column = map { my $i = $_;
			[sort { $a <=> $b } map { abs $_->[$i] } @line] } 0 .. 4;
		sub median { my @v = @{$_[0]};
			($v[$#v / 2] + $v[@v / 2]) / 2 }
		my @ms = map { $_ / 1e6 } @{$column[0]};
		my @stated = sort { $b <=> $a } map { $_->[5] } @line;
		printf "%2d %9.2f %-17s %9.1f %9.1f %5.0f %9.1f %9.1f %5.0f  %s\n",
			scalar @line, median(\@ms),
			sprintf("(%.2f-%.2f)", $ms[0], $ms[-1]),
			map({ (median($column[$_]), $column[$_][-1],
				$column[$_ + 1][-1]) } 1, 3),
			$stated[-1] < 0 ? "none" : sprintf "%.0f, %d outside",
				$stated[0], scalar grep {
					abs($_->[3]) - $_->[4] > $_->[5] } @line;
	' "$1"
}

# get PROGRAM: prints the command that gets a peer
get()
{
	case $1 in
	wtmlib) at=AndreyNevolin/wtmlib ;;
	fio) at=axboe/fio ;;
	tscns) at=MengRao/tscns ;;
	histogram) at=HdrHistogram/HdrHistogram_c ;;
	esac
	echo "not given: git clone --depth=1 https://github.com/$at"
}

# table LOAD: prints a row for each clock
table()
{
	printf '\n%s: %s\n%-31s %2s %27s %25s %25s  %s\n' "$1" "$2" 'error in ns' n \
		'start-up, ms' '1 s: median, worst, bound' \
		'60 s: median, worst, bound' states
	while read -r program variant count name; do
		printf '%-31s ' "$name"
		if [ ! -x "$scratch/$program" ]; then
			get "$program"
		elif [ ! -s "$scratch/$program.$variant.$1" ]; then
			echo 'failed'
		else
			summary "$scratch/$program.$variant.$1"
		fi
	done <"$scratch/rows"
}

# costs: prints what a reading of each clock costs
costs()
{
	printf '\n%-31s %8s %16s\n' 'a reading' ns 'of the counter'
	while read -r program variant count name; do
		[ -x "$scratch/$program" ] || continue
		# shellcheck disable=SC2046,SC2183
		printf '%-31s %8s %16s\n' "$name" \
			$("$scratch/$program" cost "$variant" </dev/null)
	done <"$scratch/rows"
}

echo "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)," \
	"$(nproc) CPUs, Linux $(uname -r), clocksource" \
	"$(cat /sys/devices/system/clocksource/clocksource0/current_clocksource)"
perl -e '
	my $timex = pack "x208";
	# adjtimex(2) with modes 0: freq is the third long, in ppm / 65536
	my %number = (x86_64 => 159, aarch64 => 171, ppc64le => 217);
	my $number = $number{`uname -m` =~ s/\s//r} // exit;
	exit if syscall($number, $timex) < 0;
	my ($offset, $freq) = unpack "x8 q q", $timex;
	printf "NTP steers by %.3f ppm, and has %d to go\n", $freq / 65536, $offset;
'
for load in $loads; do
	average=$(cut -d' ' -f1-2 /proc/loadavg)
	[ "$load" = idle ] || {
		count=$(($(nproc) * 2))
		while [ "$count" -gt 0 ]; do
			while :; do :; done &
			loops="$loops $!"
			count=$((count - 1))
		done
	}
	set_clocks_up "$load"
	wait_for "$load"
	stop_loops
	table "$load" "load average $average before, $(cut -d' ' -f1-2 \
		/proc/loadavg) after"
	[ "$load" = busy ] || costs
done
echo
if [ -n "$hdr" ]; then
	"$scratch/histogram"
else
	printf '%-31s %s\n' HdrHistogram "$(get histogram)"
fi
