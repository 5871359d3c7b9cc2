#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: core/probe
#
# tickwise compare finds the error of a clock inside of some fio, within its own
# uncertainty, and the cost of a reading. The fio's clock is off by a chosen amount.
# Fails if an error has the wrong size, if a clock is taken for another, or if
# an interruption leaves a child. tests/golden/compare.t compares what it prints.

. "$(dirname "$0")/../../../tap.sh"

fake=${TW_BUILD:-$root/build}/tests/reader/fake_fio
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

# json DESCRIPTION PERL: checks an expression; %c is the clocks by name
json() {
	perl -MJSON::PP -e '
		local $/; open my $f, "<", $ARGV[0]; our $j = decode_json(<$f>);
		our %c = map { $_->{name} => $_ } @{$j->{clocks}};
		my $r = eval $ARGV[1]; die $@ if $@; exit($r ? 0 : 1)' "$out" "$2"
	ok $? "$1"
}

export FAKE_PPB=100000
compares --json --fio="$fake" --fio-patched="$fake" --starts=3 --seconds=0.5 --load=idle \
	--rounds=1
if [ "$status" -eq 70 ]; then
	echo "1..0 # SKIP $(cat "$err")"
	exit 0
fi
is "$status $(wc -c <"$err")" '0 0' 'compared'
json 'all clocks' 'join(" ", sort keys %c) eq "engine library patched-cpu patched-tickwise
	preload stock-clock_gettime stock-cpu" =~ s/\s+/ /gr'
json 'three starts, idle' '$c{"stock-cpu"}{starts} == 3 && $c{"stock-cpu"}{load} eq "idle" &&
	$c{"stock-cpu"}{fio_version} eq "fio-9.99"'
# The bounds are hard: they hold whatever happened in between.
json 'finds that it is 100000 ppb fast, within its uncertainty' \
	'!grep { abs($_->{monotonic_ppb} - 100000) > $_->{monotonic_uncertainty_ppb} + 1 }
	@{$c{"stock-cpu"}{list}}'
json 'each comparison with an uncertainty of its own' '!grep { my $c = $_;
	grep { !($c->{$_}{uncertainty} > 0) } qw(error_ppb error_monotonic_ppb) } values %c'
json 'in the patched one, too' 'my $e = $c{"patched-cpu"}{error_monotonic_ppb};
	$e->{worst} + $e->{uncertainty} > 90000'
json 'and not in our own clock' 'my $e = $c{library}{error_ppb};
	$e->{against} eq "CLOCK_MONOTONIC_RAW" && $e->{worst} - $e->{uncertainty} < 90000'
json 'each over the time that was asked for' '!grep { $_->{over_ns} < 5e8 ||
	$_->{over_ns} > 3e10 } map { @{$_->{list}} } values %c'
json 'each clock with its own I/Os' '$c{"stock-cpu"}{null_iops} == 6000.5 &&
	$c{"stock-clock_gettime"}{null_iops} == 5000.5 &&
	$c{"patched-tickwise"}{null_iops} == 7000.5 && !defined $c{library}{null_iops}'

export FAKE_DIES="$scratch/lives"
run_calibrated compare --fio="$fake" --starts=2 --seconds=0.1 --load=idle --rounds=0
is "$status $(grep stock-cpu: "$out")" '2 stock-cpu: 1 of 2 starts failed.' \
	'a fio that dies at its second start'
unset FAKE_DIES

# children PID: prints its children, in one line
children()
{
	perl -e 'for (glob "/proc/[0-9]*/stat") {
		open my $stat, "<", $_ or next;
		print "$1 " if (<$stat> // "") =~ /^(\d+) .*\) \S (\d+) / &&
			$2 == $ARGV[0] }' "$1"
}

# await COMMAND...: waits until it succeeds, for a minute at most
await()
{
	polls=0
	until "$@" || [ $polls -ge 600 ]; do
		sleep 0.1
		polls=$((polls + 1))
	done
}

# Two busy loops at least, on one CPU, and a fio.
has_begun() { [ -s "$err" ] || [ "$(children "$pid" | wc -w)" -ge 3 ]; }

# ended: passes if no child runs. A zombie has ended, too.
ended()
{
	for child in $children; do
		case $(sed 's/.*) //; s/ .*//' "/proc/$child/stat" 2>/dev/null) in
		'' | Z) ;;
		*) return 1 ;;
		esac
	done
}

# When it is interrupted, nothing of it is left. A shell's background ignores SIGINT.
for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	: >"$err"
	env --default-signal=INT "$tickwise" compare --fio="$fake" --seconds=600 \
		--starts=1 --load=busy >"$out" 2>"$err" &
	pid=$!
	await has_begun
	children=$(children "$pid")
	kill -INT "$pid" 2>/dev/null
	wait "$pid"
	status=$?
	grep -q 'too busy' "$err" || break
done
is "$status" 2 'interrupted: it ends'
await ended
ended
ok $? 'and no child is left'
done_testing
