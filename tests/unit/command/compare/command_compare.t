#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tickwise compare finds the error of a clock inside of some fio, within its own
# uncertainty, and the cost of a reading. The fio's clock is off by a chosen amount.
# Fails if an error has the wrong sign or size, or if a clock is taken for another.
# Fails also if a fio that is none, or that dies, is not reported.

. "$(dirname "$0")/../../../tap.sh"

build=${TW_BUILD:-$root/build}
fake=$build/tests/reader/fake_fio
unset FIO FIO_PATCHED
if [ -n "${TW_SANITIZE-}" ]; then
	echo '1..0 # SKIP a sanitized probe can not be preloaded'
	exit 0
fi

# compares ARGUMENT...: runs it until no start of a clock failed. Ours can't be
# calibrated in the engine's time if others have the CPU for all of it.
compares()
{
	for compares_try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		run_calibrated compare "$@"
		[ "$status" -eq 2 ] || break
	done
}

FAKE_PPB=100000
export FAKE_PPB
compares --json --fio="$fake" --fio-patched="$fake" --starts=3 \
	--seconds=0.5 --load=idle --rounds=1
if [ "$status" -eq 70 ]; then
	echo "1..0 # SKIP $(cat "$err")"
	exit 0
fi
is "$status $(wc -c <"$err")" '0 0' 'compared'
cp "$out" "$scratch/json"

# json PERL DESCRIPTION: checks an expression; %c is the clocks by name
json() {
	perl -MJSON::PP -e '
		local $/; open my $f, "<", $ARGV[0]; our $j = decode_json(<$f>);
		our %c = map { $_->{name} => $_ } @{$j->{clocks}};
		my $r = eval $ARGV[1]; die $@ if $@; exit($r ? 0 : 1)' \
		"$scratch/json" "$1"
	ok $? "$2"
}

json '$j->{schema} eq "tickwise-compare" && $j->{version} == 1' 'a schema'
json 'join(" ", sort keys %c) eq "engine library patched-cpu " .
	"patched-tickwise preload stock-clock_gettime stock-cpu"' 'all clocks'
json '!grep { my $c = $_; grep { !exists $c->{$_} } qw(name fio_version load
	starts error_ppb read_ns reads_per_io null_iops) } values %c' \
	'the keys that others read'
json '$c{"stock-cpu"}{starts} == 3 && $c{"stock-cpu"}{load} eq "idle" &&
	$c{"stock-cpu"}{fio_version} eq "fio-9.99"' 'three starts, idle'
# The bounds are hard: they hold whatever happened in between.
json '!grep { abs($_->{monotonic_ppb} - 100000) >
	$_->{monotonic_uncertainty_ppb} + 1 } @{$c{"stock-cpu"}{list}}' \
	'finds that it is 100000 ppb fast, within its uncertainty'
json '!grep { my $c = $_; grep { !($c->{$_}{uncertainty} > 0) }
	qw(error_ppb error_monotonic_ppb) } values %c' \
	'each comparison with an uncertainty of its own'
json 'my $e = $c{"patched-cpu"}{error_monotonic_ppb};
	$e->{worst} + $e->{uncertainty} > 90000' \
	'in the patched one, too'
json '$c{library}{error_ppb}{against} eq "CLOCK_MONOTONIC_RAW" &&
	$c{library}{error_ppb}{worst} - $c{library}{error_ppb}{uncertainty} <
	90000' 'and not in our own clock'
json '$c{"stock-cpu"}{null_iops} == 6000.5 &&
	$c{"stock-clock_gettime"}{null_iops} == 5000.5 &&
	$c{"patched-tickwise"}{null_iops} == 7000.5 &&
	!defined $c{library}{null_iops}' 'each clock with its own I/Os'
json '$c{preload}{reads_per_io} == 3' 'three readings for each I/O'

FAKE_PPB=-100000
compares --json --fio="$fake" --starts=1 --seconds=0.3 --rounds=0
is "$status" 0 'idle and under load'
cp "$out" "$scratch/json"
json '2 == grep { $_->{name} eq "stock-cpu" && $_->{starts} == 1 &&
	$_->{list}[0]{monotonic_ppb} -
	$_->{list}[0]{monotonic_uncertainty_ppb} < -90000 } @{$j->{clocks}}' \
	'slow is minus, in both'

compares --fio="$fake" --starts=1 --seconds=0.1 --load=idle --rounds=1
is "$status" 0 'a page'
grep -qE '^stock-cpu +1 +[0-9]+ ' "$out"
ok $? 'with a line for each clock'
# The two numbers may be equal only as printed.
awk '/^stock-cpu +1 / { tie = $4 <= $5; same = $4 == $5 }
	/^Tie against RAW/ { reported = / stock-cpu(,|$)/ }
	END { exit !same && tie != reported }' "$out"
ok $? 'a tie is reported where a clock is off by no more than is known'
has "$out" 'hardly shows in one I/O' 'says what an error of the rate matters for'
compares --fio=none --starts=1 --seconds=0.1 --load=idle --rounds=0
is "$status $(grep -c '^engine ' "$out") $(grep -c stock "$out")" '0 3 0' \
	'--fio=none: our own clocks alone'

FAKE_DIES=1
export FAKE_DIES
run_calibrated compare --fio="$fake" --starts=2 --seconds=0.1 --load=idle --rounds=0
is "$status" 2 'a fio that dies: exit code 2'
has "$out" 'stock-cpu: 2 of 2 starts failed.' 'and says so'
unset FAKE_DIES

# refuses CODE TEXT ARGUMENT...: passes if the command is refused with this text
refuses() {
	code=$1 text=$2
	shift 2
	run compare "$@"
	is "$status $(wc -l <"$err") $(wc -c <"$out")" "$code 1 0" \
		"compare $*: exit code $code, one line, no output"
	has "$err" "tickwise compare: $text" "$text"
}

refuses 66 "/bin/echo is not fio" --fio-patched=/bin/echo \
	--fio=none
refuses 64 '--starts takes a whole number, 1 to 1000' --starts=0
refuses 64 '--starts takes a whole number, 1 to 1000' --starts=-1
refuses 64 '--seconds takes seconds, 0.1 to 3600' --seconds=nan
refuses 64 '--load takes idle, busy or both' --load=full
refuses 64 '--rounds takes a whole number, 0 to 99' --rounds=100
refuses 64 "takes no 'job.fio'" job.fio

# children PID: prints its children, in one line
children()
{
	perl -e 'for (glob "/proc/[0-9]*/stat") {
		open my $stat, "<", $_ or next;
		print "$1 " if (<$stat> // "") =~ /^(\d+) .*\) \S (\d+) / &&
			$2 == $ARGV[0] }' "$1"
}

# When it is interrupted, nothing of it is left. A shell's background ignores SIGINT.
for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	: >"$err"
	env --default-signal=INT "$tickwise" compare --fio="$fake" --seconds=600 \
		--starts=1 --load=busy >"$out" 2>"$err" &
	pid=$!
	# Wait for two busy loops at least, on one CPU, and a fio.
	n=0
	while [ ! -s "$err" ] && [ $n -lt 3000 ] &&
	      [ "$(children "$pid" | wc -w)" -lt 3 ]; do
		sleep 0.1
		n=$((n + 1))
	done
	children=$(children "$pid")
	kill -INT "$pid" 2>/dev/null
	wait "$pid"
	status=$?
	grep -q 'too busy' "$err" || break
done
is "$status" 2 'interrupted: it ends'
# The kernel kills them when their parent has ended; wait a moment.
n=0 left=1
while [ "$left" != 0 ] && [ $n -lt 600 ]; do
	left=0
	for child in $children; do
		case $(sed 's/.*) //; s/ .*//' "/proc/$child/stat" 2>/dev/null) in
		'' | Z) ;;
		*) left=1 ;;
		esac
	done
	[ "$left" = 0 ] || sleep 0.1
	n=$((n + 1))
done
is "$(echo "$children" | wc -w | awk '{ print ($1 > 2) }') $left" '1 0' \
	'interrupted: no child is left'
done_testing
