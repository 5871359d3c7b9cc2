#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: plugin
#
# Behaviour: in a job with a rate, the report has the backlog next to lat, by fio's own
# schedule. That of a job that can't keep up grows while lat stays.
# Defect: a due time of another I/O, of another direction, of the ramp time's
# schedule, in another unit; a backlog where nothing has a schedule.
#
# Time is simulated (preload/ring_device.c), on a device that takes 20 us for each
# I/O and does one after another: some 47000 a second. fio's schedule is in whole
# microseconds, and it sleeps one too many. A job that keeps up is at most 3 us
# late, with the readings of the clock, 10 ns each.
. "$(dirname "$0")/fio_tap.sh"
need ring_device

# rated REPORT ARGUMENT...: runs a job at depth 1
rated()
{
	report=$1
	shift
	on_device DEVICE_SERIAL_US=20 "external:$TICKWISE_SO" --name=r \
		--filename=data --size=4m --rw=randread --bs=4k --iodepth=1 \
		--time_based=1 --runtime=60ms --tw_report="$report" "$@"
}

# It falls behind evenly, on the average by half of what it is at the end. That is
# all of the time minus the time after which the I/Os that were done were due.
rated many.json --rate_iops=10000000
ok $? 'a job that can not keep up'
json many.json '$j->{response}{resolution_ns} == 1000 &&
	$j->{response}{backlog}{read}{count} == $j->{ios}{read}'
ok $? 'every I/O has a backlog'
json many.json 'my $backlog = $j->{response}{backlog}{read};
	my $middle = $j->{response}{backlog_at_end_ns}{read} / 2;
	abs($backlog->{mean_ns} - $middle) < 1e-3 * $middle &&
		$j->{stages}{lat}{read}{max_ns} < 21100'
ok $? 'backlog grows evenly while lat stays'
json many.json 'my $end = $j->{response}{backlog_at_end_ns}{read};
	$end > 0.9 * $j->{jobs}[0]{run_ns} &&
	$end == $j->{response}{backlog}{read}{max_ns}'
ok $? 'it is behind at its end'

# The last of N was due (N - 1) / rate after the first. The time from the first
# queued to the last seen is that, minus how late the first was, plus how late the
# last was and how long it took. 2 us are for the schedule's microseconds at both
# ends.
due='my $s = $j->{response}{backlog}{read}; my $t = $j->{stages}{lat}{read};
	my $was = $j->{jobs}[0]{run_ns} - $j->{response}{backlog_at_end_ns}{read};
	my $due = ($j->{ios}{read} - 1) / RATE * 1e9;
	print "# due after $due ns, was $was ns\n";
	abs($was - $due - $t->{max_ns} + $s->{min_ns}) < 2000'
json many.json "$(echo "$due" | sed 's/RATE/1e7/')"
ok $? 'by as much as the rate says'

# I/Os at 0, 20 ... 180 ms, and when 200 ms are over.
rated few.json --runtime=200ms --rate_iops=50
ok $? 'a job that keeps up'
json few.json "$(echo "$due" | sed 's/RATE/50/')"
ok $? 'is behind by no more than the rate says'
json few.json '$j->{ios}{read} >= 10 && $j->{ios}{read} <= 11 &&
	$j->{response}{backlog}{read}{max_ns} <= 3000'
ok $? 'never by more than the schedule'"'"'s microseconds'
# warns FILE: prints whether the page says that the rate was not kept
warns()
{
	"${TICKWISE:-$TW_BUILD/tickwise}" report "$1" |
		grep -c "^WARNING: rate not kept"
}
is "$(warns many.json) $(warns few.json)" '1 0' 'the page of the first one begins with that'

rated poisson.json --rate_iops=10000000 --rate_process=poisson
json poisson.json '$j->{response}{backlog}{read}{mean_ns} > $j->{jobs}[0]{run_ns} / 4'
ok $? 'arrivals at random are late, too'

# By the old schedule it would be 100 ms late from the first I/O on.
rated ramp.json --runtime=200ms --rate_iops=50 --ramp_time=100ms
json ramp.json '$j->{ios}{read} - $j->{response}{backlog}{read}{count} == 1 &&
	$j->{response}{backlog}{read}{max_ns} <= 3000'
ok $? 'the schedule begins anew after the ramp time, but for one I/O'

# A pause of 20 ms, and then 4 I/Os that take 4 ms by the rate.
rated think.json --runtime=200ms --rate_iops=1000 --thinktime=20ms --thinktime_blocks=4
json think.json '$j->{response}{backlog}{read}{max_ns} >= 1.9e7'
ok $? 'who thinks is late'
# fio starts the one after the pause at once, and the next waits for it.
for process in linear poisson; do
	rated ignore.json --runtime=200ms --rate_iops=1000 --thinktime=20ms \
		--thinktime_blocks=4 --rate_ignore_thinktime=1 --rate_process=$process
	json ignore.json '$j->{response}{backlog}{read}{count} > 16 &&
		$j->{response}{backlog}{read}{max_ns} <=
			$j->{stages}{lat}{read}{max_ns} + 3000'
	ok $? "unless that is not part of the schedule: $process"
done

rated mixed.json --rw=randrw --rate_iops=10000000,
json mixed.json 'join(" ", keys %{$j->{response}{backlog}}) eq "read" &&
	$j->{ios}{write} && $j->{response}{backlog}{read}{count} == $j->{ios}{read}'
ok $? 'a direction without a rate has no schedule'
rated none.json
json none.json '$j->{ios}{read} && !exists $j->{response}'
ok $? 'nor has a job without'
is_valid report mixed.json
run report --all many.json
has "$out" "behind the schedule at the end: " 'and shown'
done_testing
