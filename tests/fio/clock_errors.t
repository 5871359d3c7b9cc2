#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: plugin
#
# Behaviour: a report has the error of our clock and of fio's against both of the
# system's clocks. It has the rate of the whole run next to the frozen one, all from
# the same readings. The time of a calibration is in the report and not on stderr, also
# if 20 ms were not enough. Defect: a wrong sign, the wrong reference, a rate over another
# time; a line on stderr, which fails a script that expects it to be empty (as fio's own
# t/verify.py does) whenever the machine is busy.
. "$(dirname "$0")/fio_tap.sh"

# spoilt FAULT ARGUMENT...: runs a job with a fault of preload/clock_fault.c
spoilt()
{
	fault=$1
	shift
	env LD_PRELOAD="$TW_BUILD/tests/fio/preload/clock_fault.so" CLOCK_FAULT="$fault" \
		timeout -s KILL $hung_s "$FIO" --name=c --ioengine="external:$TICKWISE_SO" \
		--filename=data --bs=4k --output=out "$@" 2>err
}

# RAW alone jumps ahead by 100 ms in mid-run, between two reads: a clock compared
# with it seems slow by that. The tolerance is 1 ms, a thousandth of the job's time
# (which is long on a busy machine), and the uncertainty of the two readings. No
# clock runs off another one by more: ours by some 10 ppm at worst, CLOCK_MONOTONIC
# by 500 ppm while the kernel steers it. fio's own clock may be off by any amount
# where its calibration was disturbed, but by the same against both, minus the jump.
spoilt raw --size=4m --rw=randread --number_ios=3 --thinktime=100ms --tw_report=jump.json
ok $? 'a job in which a clock jumps'
json jump.json '$j->{clocks}{tickwise}{source} ne "system"' || {
	skip "the counter is not used here: $(head -n 1 err)"
	done_testing
}
near='sub near { my ($ns, $clock) = @_;
	abs($ns) < 1e6 + 1e-3 * $clock->{over_ns} + $clock->{uncertainty_ns} } '
json jump.json "$near"'my $c = $j->{clocks}; my $slow = sub {
		near($_[0]{error_ns} + 1e8, $_[0]) && $_[0]{error_ppb} < 0 };
	$slow->($c->{tickwise}) && $slow->($c->{monotonic})'
ok $? 'ours and CLOCK_MONOTONIC are slow by it against that clock'
json jump.json "$near"'my $off = $j->{clocks}{tickwise}{off_monotonic};
	near($off->{error_ns}, $off)'
ok $? 'and ours is not against the other'
json jump.json "$near"'my $f = $j->{clocks}{fio};
	near($f->{error_ns} - $f->{off_monotonic}{error_ns} + 1e8, $f)'
ok $? "fio's is off the two by amounts that differ by it"
# By the refit the run took longer by the jump.
json jump.json "$near"'my $t = $j->{clocks}{tickwise}; my $r = $t->{refit};
	near($t->{over_ns} / (1 + $r->{frozen_error_ppb} * 1e-9) -
		$t->{over_ns} - 1e8, $t) && $r->{hz} < $t->{hz}'
ok $? 'as is the frozen rate against the refit'
json jump.json 'my $r = $j->{clocks}{tickwise}{refit};
	$r->{uncertainty_ppb} > 0 && $r->{uncertainty_ppb} < $r->{bound_ppb} &&
	$r->{bound_ppb} <= $j->{clocks}{tickwise}{uncertainty_ppb} * 1.001'
ok $? 'which is as well known as the two readings'

spoilt away --size=64k --rw=read --tw_report=away.json
ok $? 'a job that is away in most of the first 20 ms'
json away.json '$j->{clocks}{tickwise}{source} ne "system"' || {
	skip "the counter is not used here: $(head -n 1 err)"
	done_testing
}
# The samples of the first 20 ms end after 0.5 ms: too few.
json away.json '$j->{clocks}{tickwise}{rate_window_ns} > 21e6'
ok $? 'the calibration went on, and the report has how long'
"$tickwise" report --clocks away.json >page && tr -s ' \n' ' ' <page |
	grep -q 'calibrated in [0-9.]* ms'
ok $? 'and the page shows it'
has_not err calibration 'stderr has nothing of it'
done_testing
