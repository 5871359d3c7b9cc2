#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: the run over time holds every I/O of the report once, with the same sum
# and the same extremes, in parts of one width. It begins where fio begins to count.
# Defect: I/Os lost or counted twice where parts are merged, those of the ramp time,
# a part too long or too short, parts of several jobs that do not fit.
. "$(dirname "$0")/fio_tap.sh"
need ring_device

# whole FILE: true if over_time adds up to lat
whole()
{
	json "$1" 'my $o = $j->{over_time}; my $fine = @$o >= 1;
		for my $d ("read", "write", "trim", "sync") {
			my ($n, $sum, $min, $max) = (0, 0, 9e18, 0);
			my $t = $j->{stages}{lat}{$d};
			$fine = 0 if !$t && $j->{ios}{$d};
			$t or next;
			for (map { $_->{$d} // () } @$o) {
				$n += $_->{count}; $sum += $_->{sum_ns};
				$min = $_->{min_ns} if $_->{min_ns} < $min;
				$max = $_->{max_ns} if $_->{max_ns} > $max;
				my $p = $_->{percentiles}{"99.000000"} // next;
				$fine = 0 if $p > $_->{max_ns} ||
					$p < $_->{min_ns} || $_->{count} < 100;
			}
			$fine = 0 if $n != $t->{count} || $sum != $t->{sum_ns} ||
				$min != $t->{min_ns} || $max != $t->{max_ns};
		}
		$fine'
}

# even FILE: true if parts have one width and follow each other. The last may be cut, and
# the first, if it is not at the start of the job.
even()
{
	json "$1" 'my $o = $j->{over_time}; my $w = $o->[@$o > 2]{over_ns};
		my $at = $o->[0]{from_ns}; my $fine = @$o <= 128;
		$at -= $at % $w;
		for (@$o) {
			my $cut = $_->{from_ns} - $at;
			$fine = 0 if $cut && !($_ == $o->[0] && $at);
			$fine = 0 if $_->{over_ns} != $w - $cut && $_ != $o->[-1];
			$at += $w;
		}
		$fine && $w >= 1e6 && $w / 1e6 == 2 ** int(log($w / 1e6) /
			log(2) + 0.5)'
}

# In simulated time (preload/ring_device.c) on a device that takes 100 us for each
# read and write: 1500 ms are more than 128 parts of 8 ms, and 94 of 16 ms.
on_device DEVICE_SERIAL_US=100 "external:$TICKWISE_SO" --name=o \
	--filename=data --size=4m --rw=randrw --bs=4k --iodepth=4 \
	--iodepth_batch_submit=4 --fsync=64 --time_based=1 --runtime=1500ms \
	--tw_report=long.json
ok $? 'a job that is longer than 128 ms'
whole long.json
ok $? 'every I/O is in one part'
even long.json
ok $? 'the parts are even'
json long.json '$j->{over_time}[0]{over_ns} == 16e6 && @{$j->{over_time}} == 94'
ok $? 'of a width for the length of the run'
# The run begins with the first I/O. The parts begin some 2000 readings of the clock
# earlier, 10 ns each: those of the engine's comparison of all clocks.
json long.json 'my $o = $j->{over_time}[-1];
	my $end = $o->{from_ns} + $o->{over_ns};
	$end >= $j->{job}{run_ns} && $end < $j->{job}{run_ns} + 1e5'
ok $? 'and end with the last I/O'

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
	json ramp.json 'my $o = $j->{over_time}[0];
		$o->{from_ns} > 402e6 && $o->{from_ns} < 404e6 &&
		$o->{from_ns} + $o->{over_ns} == 408e6'
	ok $? 'begins when that is over'
fi

run_fio --group_reporting=1 --filename=data --size=4m --rw=randread --bs=4k \
	--time_based=1 --name=m --numjobs=2 --runtime=300ms
run report --json --html=page.html m.*.tickwise.json
from_json "$out" 'my $g = $j->{groups}[0]; my $n = 0;
	$n += $_->{read}{count} // 0 for @{$g->{over_time}};
	print $n == $g->{ios}{read} ? "all" : "$n of $g->{ios}{read}"' >merged
is "$(cat merged)" all 'those of two jobs are merged'
has page.html '<h4>lat over time' 'and plotted'
has_not "$out" 'the run over time' 'not as something that was not recorded'
done_testing
