#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: plugin
#
# Behaviour: a report has the error of our clock and of fio's against both of the
# system's clocks. It has the rate of the whole run next to the frozen one, all from
# the same readings. The time of a calibration is in the report and not on stderr, also
# if 20 ms were not enough. When a job has ended, the engine checks the counter again: after
# a sleep of the machine, or if the system clock and the counter disagree, the job's report
# calls the counter unreliable, with the reason, and stderr does so once.
#
# Defect: a wrong sign, the wrong reference, a rate over another time; latencies of a clock
# that went wrong in mid-run, passed off as good. Also a line on stderr, which fails a script
# that expects it to be empty (as fio's own t/verify.py does) whenever the machine is busy.
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
# ---- the look at the end of a job ----

# job [NAME=VALUE]...: runs two reads, with a pause between them, in which the clock
# goes wrong. If others had the CPU for all of a calibration or of the check at the
# end, there is rightly no verdict; then it runs another job.
job()
{
	for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		rm -f ./*.tickwise.json
		env "$@" "$FIO" --name=end \
			--ioengine="external:$TICKWISE_SO" \
			--filename=end.data --size=1m --bs=4k --rw=randread \
			--number_ios=2 --thinktime=50ms --output-format=json \
			--output=out.json 2>err || return
		json end.*.tickwise.json '!$j->{jobs}[0]{fallback} && !grep {
			$_->{code} eq "end_unchecked" ||
			$_->{code} eq "end_prediction_undecided" }
				@{$j->{counter}{reasons}}' && return
		echo "# try $try: $(from_json end.*.tickwise.json 'print join ", ",
			map { $_->{code} } @{$j->{counter}{reasons}}')$(head -n 1 err)"
	done
}

job A=1
ok $? 'a good run'
json end.*.tickwise.json '$j->{counter}{verdict} ne "unreliable" &&
	!grep { $_->{text} =~ /this was false/ } @{$j->{counter}{reasons}}'
ok $? 'nothing is bad at its end'
is "$(grep -c unreliable err)$(grep -c 'not reliable' err)" 00 \
	'nothing is told on stderr'

# What the first job has found stands in the report, too.
rm -f ./*.tickwise.json
cpu=$(taskset -cp $$ | sed 's/.*: *//; s/[-,].*//')
taskset -c "$cpu" "$FIO" --name=end --ioengine="external:$TICKWISE_SO" \
	--filename=end.data --size=64k --bs=4k --rw=read >out 2>err
json end.*.tickwise.json '$j->{jobs}[0]{fallback} ||
	grep { $_->{code} eq "one_cpu" } @{$j->{counter}{reasons}}'
ok $? 'on one CPU there is nothing to compare'

bad() # FAULT CHECK
{
	job LD_PRELOAD="$TW_BUILD/tests/fio/preload/clock_fault.so" CLOCK_FAULT="$1"
	ok $? "$1: the run itself goes on"
	json end.*.tickwise.json '$j->{counter}{verdict} eq "unreliable" &&
		grep { $_->{code} eq "end_'"$2"'" } @{$j->{counter}{reasons}}'
	ok $? "the report calls the counter unreliable, because of $2"
	is "$(grep -c '^tickwise: end: the counter was not reliable' err)" 1 \
		'told once on stderr'
	"${TICKWISE:-$TW_BUILD/tickwise}" report end.*.tickwise.json >page
	grep -q 'WARNING: the counter is unreliable' page
	ok $? 'and the page begins with a warning'
}
bad boottime suspend
bad raw prediction

# ---- a job that is away while it calibrates ----

spoilt away --size=64k --rw=read --tw_report=away.json
ok $? 'a job that is away in most of the time'
json away.json '$j->{clocks}{tickwise}{source} ne "system"' || {
	skip "the counter is not used here: $(head -n 1 err)"
	done_testing
}
# The samples of the first 20 ms are of 0.5 ms at most: less than half of the time.
json away.json '$j->{clocks}{tickwise}{rate_window_ns} > 20e6'
ok $? 'the calibration went on, and the report has how long'
"$tickwise" report --all away.json >page && tr -s ' \n' ' ' <page |
	grep -q 'calibrated in [0-9.]* ms'
ok $? 'and the page shows it'
has_not err calibration 'stderr has nothing of it'
done_testing
