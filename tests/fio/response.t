#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: in a job with a rate, the report has response times beside service
# times, by fio's own schedule: those of a job that can't keep up grow while its
# service times stay.
# Defect: a due time of another I/O, of another direction, of the ramp time's
# schedule, in another unit; response times where nothing has a schedule.
#
# A file in the page cache serves some 100000 I/Os a second; no machine does
# 10 million one after another, and any does 50.
. "$(dirname "$0")/fio_tap.sh"

# rated REPORT ARGUMENT...: at depth 1
rated()
{
	report=$1
	shift
	run_fio --name=r --filename=data --size=4m --rw=randread --bs=4k \
		--iodepth=1 --time_based=1 --runtime=500ms \
		--tw_report="$report" "$@"
}

# holding CHECK REPORT ARGUMENT...: a job of which CHECK holds, or the last of
# three. Others may have the CPU for most of the time.
holding()
{
	check=$1
	shift
	for try in 1 2 3; do
		rated "$@"
		ran=$?
		[ "$ran" = 0 ] && "$check" && break
	done
	return "$ran"
}

# Evenly behind, on the average half of what it is at the end, which is all but
# a part of the time; service at depth 1 is not.
grows()
{
	json many.json 'my $slip = $j->{response}{slip}{read};
		$slip->{mean_ns} > $j->{job}{run_ns} / 4 &&
		$j->{response}{total}{read}{mean_ns} > 100 *
			$j->{stages}{total}{read}{mean_ns}'
}
holding grows many.json --rate_iops=10000000
ok $? 'a job that can not keep up'
json many.json '$j->{response}{resolution_ns} == 1000 &&
	$j->{response}{slip}{read}{count} == $j->{ios}{read} &&
	$j->{response}{total}{read}{count} == $j->{ios}{read}'
ok $? 'every I/O is in both'
grows
ok $? 'response grows while service stays'
json many.json 'my $end = $j->{response}{slip_at_end_ns}{read};
	$end > 0.5 * $j->{job}{run_ns} &&
	$end <= $j->{response}{slip}{read}{max_ns}'
ok $? 'it is behind at its end'
json many.json 'my $r = $j->{response};
	$r->{total}{read}{sum_ns} == $r->{slip}{read}{sum_ns} +
		$j->{stages}{total}{read}{sum_ns}'
ok $? 'response is slip and service'

# The last of N was due (N - 1) / rate after the first. From the first queued to
# the last seen is that, less how late the first was, more how late the last was
# and how long it took; the last two lie between 0 and the maxima. 2 us for the
# schedule's microseconds at both ends.
due='my $s = $j->{response}{slip}{read}; my $t = $j->{stages}{total}{read};
	my $was = $j->{job}{run_ns} - $j->{response}{slip_at_end_ns}{read};
	my $due = ($j->{ios}{read} - 1) / RATE * 1e9;
	print "# due after $due ns, was $was ns\n";
	$was > $due - $s->{max_ns} - 2000 && $was < $due + $t->{max_ns} + 2000'
json many.json "$(echo "$due" | sed 's/RATE/1e7/; s/- $s->{max_ns}/- $s->{min_ns} - $t->{max_ns}/')"
ok $? 'by as much as the rate says'

keeps_up()
{
	json few.json '$j->{ios}{read} <= 26 &&
		$j->{response}{slip}{read}{percentiles}{"50.000000"} < 2e7'
}
holding keeps_up few.json --rate_iops=50
ok $? 'a job that keeps up'
json few.json "$(echo "$due" | sed 's/RATE/50/')"
ok $? 'is behind by no more than the rate says'
keeps_up
ok $? 'mostly by less than the time between two'

rated poisson.json --rate_iops=10000000 --rate_process=poisson
json poisson.json '$j->{response}{slip}{read}{mean_ns} > $j->{job}{run_ns} / 4'
ok $? 'arrivals at random are late, too'

# The old schedule would be 300 ms behind from the first I/O on.
rated ramp.json --rate_iops=50 --ramp_time=300ms
json ramp.json '$j->{ios}{read} - $j->{response}{slip}{read}{count} == 1 &&
	$j->{response}{slip}{read}{min_ns} < 2e7'
ok $? 'the schedule begins anew after the ramp time, but for one I/O'

# A pause of 20 ms, and then 4 I/Os that take 4 ms by the rate. One of four comes
# right after a pause: if that were late by it, a quarter would be. (More than
# a tenth may be late for want of a CPU; a fifth is allowed to.)
rated think.json --rate_iops=1000 --thinktime=20ms --thinktime_blocks=4
json think.json '$j->{response}{slip}{read}{max_ns} >= 1.9e7'
ok $? 'who thinks is late'
# is_late FILE: a fifth by nearly a pause; others may have the CPU for so long, and
# so it is asked of a job that does not think as well.
is_late()
{
	json "$1" \
		'$j->{response}{slip}{read}{percentiles}{"80.000000"} >= 1.9e7'
}
for try in 1 2 3; do
	rated ignore.json --rate_iops=1000 --thinktime=20ms \
		--thinktime_blocks=4 --rate_ignore_thinktime=1
	is_late ignore.json || break
	rated busy.json --rate_iops=1000
	! is_late busy.json || break
done
if is_late ignore.json && is_late busy.json; then
	skip 'others have the CPU: a job without pauses is as late'
else
	! is_late ignore.json
	ok $? 'unless that is not part of the schedule'
fi

rated mixed.json --rw=randrw --rate_iops=10000000,
json mixed.json 'join(" ", keys %{$j->{response}{slip}}) eq "read" &&
	$j->{ios}{write} && $j->{response}{slip}{read}{count} == $j->{ios}{read}'
ok $? 'a direction without a rate has no schedule'
rated none.json
json none.json '$j->{ios}{read} && !exists $j->{response}'
ok $? 'nor has a job without'
perl "$root/tests/unit/report_keys.pl" "$root/core/man/tickwise-report.5" \
	mixed.json >wrong
is "$(cat wrong)" '' 'the report is as in the manual'
run report many.json
has "$out" "behind fio's schedule: at most " 'and shown'
done_testing
