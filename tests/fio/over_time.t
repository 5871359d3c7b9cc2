#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: plugin
#
# Behaviour: the run over time holds every I/O of the report once, with the same sum
# and the same extremes, in windows of one width. These lie on CLOCK_REALTIME, so that
# those of several jobs fit. Defect: I/Os lost or counted twice where windows are merged,
# those of the ramp time, windows that begin with the job.
. "$(dirname "$0")/fio_tap.sh"
need ring_device

# whole FILE: true if over_time adds up to lat
whole()
{
	json "$1" 'my $o = $j->{over_time}{windows}; my $fine = @$o >= 1;
		for my $d ("read", "write", "trim", "sync") {
			my ($n, $sum, $min, $max) = (0, 0, 9e18, 0);
			my $t = $j->{stages}{lat}{$d};
			$fine = 0 if !$t && $j->{ios}{$d};
			$t or next;
			for (map { $_->{$d} // () } @$o) {
				$n += $_->{count}; $sum += $_->{sum_ns};
				$min = $_->{min_ns} if $_->{min_ns} < $min;
				$max = $_->{max_ns} if $_->{max_ns} > $max;
			}
			$fine = 0 if $n != $t->{count} || $sum != $t->{sum_ns} ||
				$min != $t->{min_ns} || $max != $t->{max_ns};
		}
		$fine'
}

# even FILE: true if the width is 1 ms times a power of 2, windows begin at multiples of
# it, one after another, and all are in the time of the run, to some microseconds
even()
{
	json "$1" 'my $job = $j->{jobs}[0];
		my ($o, $w) = @{$j->{over_time}}{"windows", "width_ns"};
		my $from = $job->{start} + $job->{first_ns} - 100000;
		my $to = $from + $job->{run_ns} + 200000;
		my ($fine, $at) = (@$o <= 128, 0);
		for (map { 0 + $_->{start} } @$o) {
			$fine = 0 if $_ % $w || $_ < $at || $_ + $w < $from || $_ > $to;
			$at = $_ + $w;
		}
		$w /= 2 while $w > 1000000;
		$fine && $w == 1000000'
}

# In simulated time (preload/ring_device.c) on a device that takes 100 us for each
# read and write: 1500 ms are more than 128 windows of 8 ms, and 94 of 16 ms.
on_device DEVICE_SERIAL_US=100 "external:$TICKWISE_SO" --name=o \
	--filename=data --size=4m --rw=randrw --bs=4k --iodepth=4 \
	--iodepth_batch_submit=4 --fsync=64 --time_based=1 --runtime=1500ms \
	--tw_report=long.json
ok $? 'a job that is longer than 128 ms'
whole long.json
ok $? 'every I/O is in one window'
even long.json
ok $? 'the windows are even'
# Where the run lies on the windows decides if there is one more.
json long.json 'my $n = @{$j->{over_time}{windows}};
	$j->{over_time}{width_ns} == 16e6 && ($n == 94 || $n == 95)'
ok $? 'of a width for the length of the run'

run_fio --name=o --filename=data --size=4m --rw=randread --bs=4k \
	--tw_report=short.json --tw_stages=0
whole short.json && even short.json
ok $? 'a short job without stages'
on_device DEVICE_SERIAL_US=100 "external:$TICKWISE_SO" --name=o \
	--filename=data --size=4m --rw=randread --bs=4k --time_based=1 \
	--runtime=300ms --ramp_time=403ms --tw_report=ramp.json
whole ramp.json && even ramp.json
ok $? 'a job with a ramp time'
if fio_is_from_3_42; then
	skip 'this fio ends the ramp time by the real clock'
else
	json ramp.json 'my $job = $j->{jobs}[0];
		$job->{first_ns} > 402e6 && $job->{first_ns} < 404e6'
	ok $? 'begins when that is over'
fi

run_fio --group_reporting=1 --filename=data --size=4m --rw=randread --bs=4k \
	--time_based=1 --name=m --numjobs=2 --runtime=300ms
run report --json --html=page.html m.*.tickwise.json
from_json "$out" 'my $n = 0;
	$n += $_->{read}{count} // 0 for @{$j->{over_time}{windows}};
	print $n == $j->{ios}{read} ? "all" : "$n of $j->{ios}{read}"' >merged
is "$(cat merged)" all 'those of two jobs are merged'
has page.html '<h4>lat over time' 'and plotted'
has_not "$out" 'the run over time' 'not as something that was not recorded'
done_testing
