#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Compares the library's clock and histogram with those of other projects, in one
# run. None of them is part of this project: give it the directories of checkouts.
#
#	tests/bench/peers.sh [--quick] DIR...
#	tests/bench/peers.sh --kernel FILE_OR_DEVICE [ROUNDS [SECONDS]]
#
# The second compares with other tracers of block I/O: see peers/kernel.sh.
#
# Each DIR is recognised by what is in it:
#	src/wtmlib.h			WTMLIB		AndreyNevolin/wtmlib
#	gettime.c, fio.h		fio		axboe/fio
#	tscns.h				tscns		MengRao/tscns
#	include/hdr/hdr_histogram.h	HdrHistogram	HdrHistogram/HdrHistogram_c
# A peer that is not given, or does not work, has a row that tells why. All are
# compiled with PEER_CFLAGS (-O2) into a directory that is removed; fio is configured
# there.
#
# Clocks. A start is a process of its own: it sets the clock up and compares it with
# CLOCK_MONOTONIC_RAW at once, after 1 s and after 60 s (peers/starts.h). The error is
# the change of the distance, from the narrowest bracket of each comparison. A start
# waits until the one in front of it has set its clock up, not for its 60 s. So the
# only other processes of ours sleep. Clocks take turns. Every second round is the one
# before it in reverse, and another clock begins the round after that. Columns, of all
# starts:
#	calibration	median and the range. A test whether the CPUs' counters agree
#			is not in it: WTMLIB and ours have one apart
#	1 s, 60 s	median of |error|, and the worst. Until it corrects its rate
#			after 3 s, tscns is the same clock in both of its rows.
#			"bound": how far off the printed error can be, in the worst
#			start
#	follows		the clock that it is calibrated against. NTP steers MONOTONIC
#			and REALTIME, and such a clock's error has that in it
#	states		the bound of the error after 60 s that the clock itself states,
#			the largest, and how many starts were outside their own
#	kernel's rate	in how many starts the kernel's own rate was recognised. Their
#			error is 0 by construction, as that rate makes RAW
# "busy" is with two busy loops for each CPU. "idle" adds no load: the load average
# is printed.
#
# A reading costs what a loop of readings takes. There the counter hides the
# conversion, unless a reading is ordered: waits for the instructions before it. A
# clock that is corrected each second is read after 4 s of that.
#
# STARTS=30; WTMLIB_STARTS=10, a third of it, since WTMLIB calibrates for 15 s. It
# takes ten minutes with all peers. --quick: 3 and 1, without the busy half, in 2
# minutes.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
[ "${1-}" != --kernel ] || {
	shift
	exec "$here/peers/kernel.sh" "$@"
}
starts=${STARTS:-30} loads='idle busy'
[ "${1-}" != --quick ] || {
	shift
	starts=3 loads=idle
}
wtmlib_starts=${WTMLIB_STARTS:-$(((starts + 2) / 3))}
cflags=${PEER_CFLAGS:--O2}

# refuse MESSAGE: ends the program; the command line is wrong
refuse()
{
	echo "peers: $1" >&2
	exit 64
}

[ "$wtmlib_starts" -ge 1 ] || refuse 'STARTS and WTMLIB_STARTS are at least 1'
[ "$wtmlib_starts" -le "$starts" ] || refuse 'WTMLIB_STARTS is at most STARTS'
wtmlib='' fio='' tscns='' hdr=''
for given; do
	dir=$(realpath -e "$given" 2>/dev/null) || refuse "$given: no such directory"
	if [ -f "$dir/src/wtmlib.h" ]; then peer=wtmlib
	elif [ -f "$dir/gettime.c" ] && [ -f "$dir/fio.h" ]; then peer=fio
	elif [ -f "$dir/tscns.h" ]; then peer=tscns
	elif [ -f "$dir/include/hdr/hdr_histogram.h" ]; then peer=hdr
	else refuse "$dir: not a peer"
	fi
	eval "before=\$$peer"
	[ -z "$before" ] || refuse "$dir: $before is the same peer"
	eval "$peer=\$dir"
done
library=${TW_BUILD:-$top/build}/libtickwise.a
[ -f "$library" ] || {
	echo "peers: no $library: run make first" >&2
	exit 1
}

scratch=$(mktemp -d)
loops='' reader=''
stop_loops()
{
	# shellcheck disable=SC2086
	[ -z "$loops" ] || kill $loops 2>/dev/null || :
	loops=
}
clean_up()
{
	stop_loops
	# The clocks that still run end when nothing reads their pipe any more.
	[ -z "$reader" ] || kill "$reader" 2>/dev/null || :
	rm -rf "$scratch"
}
trap clean_up EXIT
trap 'exit 130' INT TERM HUP

# compile NAME COMPILER ARGUMENT...: builds a program that uses our headers. If that
# fails, NAME.why tells it in a line.
compile()
{
	name=$1
	shift
	# shellcheck disable=SC2086
	if "$@" -w $cflags -D_GNU_SOURCE -pthread -I"$top/core" \
		-o "$scratch/$name" "$library" -lm >"$scratch/log" 2>&1; then
		rm -f "$scratch/$name.why"
	else
		echo "does not compile: $(grep -m1 error "$scratch/log" ||
			tail -1 "$scratch/log")" >"$scratch/$name.why"
	fi
}

# not_given NAME REPOSITORY: says how to get a peer, until it is compiled
not_given()
{
	echo "not given: git clone --depth=1 https://github.com/$2" \
		>"$scratch/$1.why"
}

# compile_wtmlib: WTMLIB has to be told the processor, and knows two
compile_wtmlib()
{
	case $(uname -m) in
	x86_64) arch=X86_64 ;;
	ppc64*) arch=PPC_64 ;;
	*)
		echo 'only for x86_64 and ppc64' >"$scratch/wtmlib.why"
		return
		;;
	esac
	compile wtmlib "$cxx" -std=c++17 -DWTMLIB_ARCH_$arch -I"$wtmlib/src" \
		-x c++ "$here/peers/wtmlib.c" "$wtmlib/src/wtmlib.c" -x none
}

# compile_fio: fio's configuration is of this machine, whatever is in its directory
compile_fio()
{
	config=$scratch/fio-config
	mkdir "$config"
	(cd "$config" && sh "$fio/configure" >configure.log 2>&1) || {
		echo "configure fails: $(tail -1 "$config/configure.log")" \
			>"$scratch/fio.why"
		return
	}
	compile fio "$cc" -std=gnu11 -I"$config" -I"$fio" \
		-include "$config/config-host.h" "$here/peers/fio.c" \
		"$fio/gettime.c" "$fio/fio_sem.c" "$fio/pshared.c"
}

cc=${CC:-gcc} cxx=${CXX:-g++}
compile ours "$cc" -std=gnu11 "$here/peers/tickwise.c"
compile ours_ordered "$cc" -std=gnu11 -DPEER_ORDERED "$here/peers/tickwise.c"
compile system "$cc" -std=gnu11 "$here/peers/system.c"
compile steering "$cc" -std=gnu11 "$here/peers/steering.c"
not_given wtmlib AndreyNevolin/wtmlib
not_given fio axboe/fio
not_given tscns MengRao/tscns
not_given histogram HdrHistogram/HdrHistogram_c
[ -z "$wtmlib" ] || compile_wtmlib
[ -z "$fio" ] || compile_fio
[ -z "$tscns" ] || compile tscns "$cxx" -std=c++17 -I"$tscns" -x c++ \
	"$here/peers/tscns.c" -x none
[ -z "$hdr" ] || compile histogram "$cc" -std=gnu11 -I"$hdr/include" \
	"$here/peers/histogram.c" "$hdr/src/hdr_histogram.c"

# The rows: program, variant, starts (0: only its cost), the clock that it follows,
# whether its readings are ordered, name.
cat >"$scratch/rows" <<END
wtmlib - $wtmlib_starts RAW no WTMLIB
fio - $starts MONOTONIC no fio, clocksource=cpu
tscns each-second $starts REALTIME no tscns, calibrate() each second
tscns once $starts REALTIME no tscns, init() alone
system - $starts MONOTONIC yes clock_gettime, vDSO
ours 20-samples $starts RAW no ours, 20 ms, samples alone
ours 1000-samples $starts RAW no ours, 1 s, samples alone
ours 20-samples-refined $starts RAW no ours, 20 ms, samples, refined
ours 20 $starts RAW no ours, 20 ms (the engine's)
ours 1000 $starts RAW no ours, 1 s (the library's)
ours_ordered 20 0 RAW yes ours, 20 ms, ordered readings
END

# try PROGRAM VARIANT COMMAND [ROUND]: runs it, with a log of its own
try()
{
	"$scratch/$1" "$3" "$2" </dev/null 2>"$scratch/$1.$2.$3.${4-}.log" ||
		echo "$3 fails" >>"$scratch/$1.$2.$3.${4-}.log"
}

# why PROGRAM VARIANT COMMAND: prints why it has not worked, in a line
why()
{
	cat "$scratch/$1.why" "$scratch/$1.$2.$3".*.log 2>/dev/null | head -1 |
		grep . || echo 'no line'
}

# order ROUND: prints the rows in the order of that round
order()
{
	first=$(($1 / 2 % $(wc -l <"$scratch/rows")))
	{
		tail -n +$((first + 1)) "$scratch/rows"
		head -n $first "$scratch/rows"
	} | if [ $(($1 % 2)) -eq 0 ]; then cat; else tac; fi
}

# set_clocks_up: starts all clocks, in turns. Those with fewer starts than there are
# rounds are started in rounds that are as far apart as can be.
set_clocks_up()
{
	round=0
	while [ "$round" -lt "$starts" ]; do
		order "$round" >"$scratch/order"
		while read -r program variant count _; do
			[ -x "$scratch/$program" ] || continue
			[ $((round * count / starts)) -eq \
				$(((round + 1) * count / starts)) ] ||
				try "$program" "$variant" start "$round"
		done <"$scratch/order"
		round=$((round + 1))
	done
}

# collect_starts LOAD: starts all clocks, and waits until the last has been compared.
# All of their processes hold the pipe open, also those that print nothing.
collect_starts()
{
	rm -f "$scratch/pipe"
	mkfifo "$scratch/pipe"
	cat "$scratch/pipe" >"$scratch/$1" &
	reader=$!
	rm -f "$scratch"/*.start.*.log
	set_clocks_up >"$scratch/pipe"
	wait "$reader"
	reader=
}

# start_loops: begins two busy loops for each CPU; they end by themselves, too
start_loops()
{
	count=$(($(nproc) * 2))
	while [ "$count" -gt 0 ]; do
		timeout 1800 sh -c 'while :; do :; done' >/dev/null &
		loops="$loops $!"
		count=$((count - 1))
	done
}

# summary FOLLOWS: prints the columns of one clock from its lines
summary()
{
	perl -e '
		use strict;
		use List::Util qw(max);
		sub median {
			my @value = sort { $a <=> $b } @_;
			return ($value[$#value / 2] + $value[@value / 2]) / 2;
		}
		my (@ms, @early, @early_bound, @late, @late_bound, @stated);
		my ($outside, $kernel_rate) = (0, 0);
		while (<STDIN>) {
			my ($name, $start, $early, $early_bound, $late,
			    $late_bound, $stated, $has_kernel_rate) = split;
			push @ms, $start / 1e6;
			push @early, abs $early;
			push @early_bound, $early_bound;
			push @late, abs $late;
			push @late_bound, $late_bound;
			push @stated, $stated;
			$outside++ if abs($late) - $late_bound > $stated;
			$kernel_rate += $has_kernel_rate;
		}
		my $n = @ms;
		my @sorted_ms = sort { $a <=> $b } @ms;
		printf "%2d %8.2f %-19s %9.1f %9.1f %4.0f %9.1f %10.1f %4.0f  %-9s",
			$n, median(@ms),
			sprintf("(%.2f-%.2f)", $sorted_ms[0], $sorted_ms[-1]),
			median(@early), max(@early), max(@early_bound),
			median(@late), max(@late), max(@late_bound), $ARGV[0];
		if (max(@stated) < 0) {
			print "  nothing\n";
		} else {
			printf "  %7.0f, %d outside; %2d of %d\n", max(@stated),
				$outside, $kernel_rate, $n;
		}
	' "$1"
}

# table LOAD: prints a row for each clock
table()
{
	printf '%-30s %2s %28s %24s %25s  %-9s  %s\n' 'error in ns' n \
		'calibration, ms (range)' '1 s: median, worst, bound' \
		'60 s: median, worst, bound' follows "states; kernel's rate in"
	while read -r program variant count follows _ name; do
		[ "$count" -ne 0 ] || continue
		printf '%-30s ' "$name"
		if grep "^$program\.$variant " "$scratch/$1" >"$scratch/lines"; then
			summary "$follows" <"$scratch/lines"
			failed=$((count - $(wc -l <"$scratch/lines")))
			[ "$failed" -eq 0 ] ||
				echo "  $failed of $count starts failed:" \
					"$(why "$program" "$variant" start)"
		else
			why "$program" "$variant" start
		fi
	done <"$scratch/rows"
}

# costs: prints what a reading of each clock costs
costs()
{
	printf '\n%-30s %8s %15s  %s\n' 'a reading, in a loop' ns 'of the counter' \
		ordered
	while read -r program variant _ _ ordered name; do
		: >"$scratch/cost"
		[ ! -x "$scratch/$program" ] ||
			try "$program" "$variant" cost >"$scratch/cost"
		if [ -s "$scratch/cost" ]; then
			# shellcheck disable=SC2046,SC2183
			printf '%-30s %8s %15s  %s\n' "$name" \
				$(cat "$scratch/cost") "$ordered"
		else
			printf '%-30s %s\n' "$name" \
				"$(why "$program" "$variant" cost)"
		fi
	done <"$scratch/rows"
}

# version DIR: prints which version of a peer it is, as far as that can be seen
version()
{
	if [ -e "$1/.git" ] &&
		git -C "$1" describe --tags --always --dirty 2>/dev/null; then
		return
	fi
	sed -n 's/#define HDR_HISTOGRAM_VERSION "\(.*\)"/\1/p; s/^DEF_VER=fio-//p' \
		"$1/include/hdr/hdr_histogram_version.h" "$1/FIO-VERSION-GEN" \
		2>/dev/null | grep . || echo 'version not known'
}

echo "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)," \
	"$(nproc) CPUs, Linux $(uname -r), clocksource" \
	"$(cat /sys/devices/system/clocksource/clocksource0/current_clocksource)"
"$cc" --version | head -1
echo "peers: $cflags; the library: as make built it"
[ -z "$wtmlib" ] || echo "WTMLIB $(version "$wtmlib")"
[ -z "$fio" ] || echo "fio $(version "$fio")"
[ -z "$tscns" ] || echo "tscns $(version "$tscns")"
[ -z "$hdr" ] || echo "HdrHistogram_c $(version "$hdr")"
for load in $loads; do
	before=$(cut -d' ' -f1-2 /proc/loadavg)
	[ "$load" = idle ] || start_loops
	collect_starts "$load"
	stop_loops
	steering=$("$scratch/steering" 2>/dev/null) || steering='NTP: not known'
	printf '\n%s: load average %s before, %s after. %s\n' "$load" "$before" \
		"$(cut -d' ' -f1-2 /proc/loadavg)" "${steering:-NTP does not steer}"
	table "$load"
	[ "$load" = busy ] || costs
done
echo
if [ -x "$scratch/histogram" ]; then
	"$scratch/histogram"
else
	printf '%-30s %s\n' HdrHistogram_c "$(cat "$scratch/histogram.why")"
fi
