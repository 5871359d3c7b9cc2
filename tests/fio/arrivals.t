#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: plugin
#
# Behaviour: an open loop (tw_rate_iops). While the device stands still, I/Os begin when they are
# due, and each has the response of a user who waited. The schedule goes on as if nothing had
# been. fio's own lat, its percentiles and its counts are those of the report. Where iodepth is
# too small, the report says so, and not that the job was slow.
# Defect: a closed loop, as that of fio's rate, in which a stall delays the I/Os after it and
# only one of them is slow; a stall that moves the schedule; a hold that outlives the run time,
# or whose I/O is counted.
#
# Time is simulated (preload/ring_device.c). The device takes 1 to 8 us.
. "$(dirname "$0")/fio_tap.sh"
need ring_device

# arrives REPORT ARGUMENT...: a job on a device that stands still from 100 to 200 ms, or $stall
stall=DEVICE_STALL_MS=100:100
arrives()
{
	report=$1
	shift
	on_device "DEVICE_DUE_US=1 $stall" "external:$TICKWISE_SO" --name=a \
		--filename=data --size=4m --rw=randread --bs=4k --iodepth=512 --time_based=1 \
		--runtime=400ms --norandommap=1 --lat_percentiles=1 --tw_report="$report" "$@"
}

arrives open.json --tw_rate_iops=2000 --tw_slowest=1000
ok $? 'a job at 2000 a second, on a device that stands still for 100 ms'
cp out.json fio_open.json
json open.json 'my @slow = grep { $_->{stages}{lat} >= 1e6 } @{$j->{slowest}};
	my @due = sort { $a <=> $b } map { $_->{monotonic_ns} } @slow;
	my @end = sort { $a <=> $b } map { $_->{monotonic_ns} + $_->{stages}{lat} } @slow;
	printf "# %d I/Os, ends differ by %d ns\n", scalar @slow, $end[-1] - $end[0];
	@slow >= 197 && @slow <= 200 && $end[-1] - $end[0] < 1e6 &&
		$due[-1] - $due[0] > 98e6'
ok $? 'each I/O that was due meanwhile has a response up to its end'
json open.json 'my @all = @{$j->{slowest}};
	my @due = sort { $a <=> $b } map { $_->{monotonic_ns} } @all;
	my $off = 0;
	for (1 .. $#due) {
		my $is = abs($due[$_] - $due[0] - $_ * 5e5);
		$off = $is if $is > $off;
	}
	print "# ", scalar @due, " I/Os, at most $off ns off the schedule\n";
	@due == $j->{ios}{read} && @due >= 795 && $off <= 1000'
ok $? 'the schedule goes on as if there had been no stall'
json open.json '$j->{stages}{backlog}{read}{sum_ns} == 0 &&
	$j->{response}{depth_reached} == 0 && $j->{response}{generator_ns} == 0'
ok $? 'iodepth was large enough'
same_lat='my $all = do { local $/; open my $f, "<", "FILE"; my $text = <$f>;
		$text =~ s/\A.*?^(?=\{)//ms; JSON::PP::decode_json($text) };
	my ($fio, $we) = ($all->{jobs}[0]{read}{lat_ns}, $j->{stages}{lat}{read});
	my $off = abs($fio->{mean} - $we->{sum_ns} / $we->{count});
	printf "# fio: %d I/Os, mean %.0f ns, %.0f ns off\n", $fio->{N}, $fio->{mean}, $off;
	$fio->{N} == $we->{count} && ($off < 100 || $off < 1e-3 * $fio->{mean})'
json open.json "$(echo "$same_lat" | sed 's/FILE/fio_open.json/')"
ok $? "fio's lat has the same I/Os, and the same mean"
"${TICKWISE:-$TW_BUILD/tickwise}" report --csv open.json >open.csv
# fio has 64 bins for each power of two.
perl -MJSON::PP -e 'local $/;
	open my $f, "<", "fio_open.json"; my $text = <$f>; $text =~ s/\A.*?^(?=\{)//ms;
	my $of = decode_json($text)->{jobs}[0]{read}{lat_ns}{percentile};
	open my $c, "<", "open.csv"; my @lines = map { [split /,/] } split /\n/, <$c>;
	my %at; @at{@{$lines[0]}} = 0 .. $#{$lines[0]};
	my ($row) = grep { $_->[$at{stage}] eq "lat" } @lines;
	my $bad = 0;
	for ([50, "50"], [90, "90"], [99, "99"]) {
		my ($fio, $we) = ($of->{sprintf "%.6f", $_->[0]}, $row->[$at{"p$_->[1]_ns"}]);
		print "# p$_->[1]: fio $fio, report $we\n";
		$bad = 1 if abs($fio - $we) > $we / 64 + 100;
	}
	exit $bad'
ok $? 'and the same percentiles, to a bin of fio'

# The same with fio's own rate.
arrives closed.json --rate_iops=2000 --tw_slowest=1000
json closed.json 'my @slow = grep { $_->{stages}{lat} >= 1e6 } @{$j->{slowest}};
	print "# with rate_iops: ", scalar @slow, " I/Os of 1 ms and more\n";
	@slow <= 2 && $j->{response}{backlog}{read}{max_ns} > 9e7'
ok $? "with fio's rate one I/O is slow, and the others begin late"

# 50 I/Os are in flight after 25 ms of the stall: the other 150 wait for a place.
arrives small.json --tw_rate_iops=2000 --iodepth=50 --tw_slowest=1000
cp out.json fio_small.json
json small.json 'my ($r, $s) = @{$j}{qw(response stages)};
	printf "# %d reached iodepth, backlog %.3f ms, of the job %.3f ms\n", $r->{depth_reached},
		$s->{backlog}{read}{sum_ns} / 1e6, $r->{generator_ns} / 1e6;
	$r->{depth_reached} >= 149 && $r->{depth_reached} <= 151 &&
		$r->{generator_ns} < 0.02 * $s->{backlog}{read}{sum_ns}'
ok $? 'a small iodepth was reached by all the others, and the job is not slow'
json small.json 'my ($sum, $by_lat) = (0, 0);
	$sum += $j->{stages}{$_}{read}{sum_ns} // 0 for grep { $_ ne "lat" } keys %{$j->{stages}};
	$by_lat += $_->{stages}{backlog} // 0 for @{$j->{stages_by_lat}{read}};
	$sum == $j->{stages}{lat}{read}{sum_ns} && $by_lat == $j->{stages}{backlog}{read}{sum_ns}'
ok $? 'backlog is one of the stages that add up to lat'
# The stall is 100 ms.
json small.json 'my ($lat, $sum) = ($j->{slowest}[0]{stages}{lat}, 0);
	$sum += $_->{read}{sum_ns} // 0 for @{$j->{over_time}{windows}};
	$lat > 9e7 && $lat == $j->{stages}{lat}{read}{max_ns} &&
		$sum == $j->{stages}{lat}{read}{sum_ns} &&
		grep { $_->{stages}{backlog} > 5e7 } @{$j->{slowest}}'
ok $? 'and of the slowest I/Os, and of the windows over time'
json small.json "$(echo "$same_lat" | sed 's/FILE/fio_small.json/')"
ok $? "fio's lat has the backlog, too"
run report --all small.json
has "$out" 'I/Os came while iodepth I/Os were in flight' 'the page tells it'
has "$out" 'largest stage backlog' 'and the largest stage'

# No CPU here sends ten million a second.
arrives fast.json --tw_rate_iops=10000000 --runtime=50ms
json fast.json '$j->{response}{generator_ns} > 0.9 * $j->{stages}{backlog}{read}{sum_ns}'
ok $? 'a rate that fio and the engine can not send'
run report fast.json
has "$out" 'WARNING: rate not kept (tw_rate_iops=10000000): ' 'the page warns of it'
has "$out" 'mostly because of fio, the engine, its submitting calls' 'with the reason'

# Arrivals at random follow from the seed.
arrives first.json --tw_rate_iops=2000 --tw_arrivals=poisson --tw_slowest=1000
arrives again.json --tw_rate_iops=2000 --tw_arrivals=poisson --tw_slowest=1000
arrives other.json --tw_rate_iops=2000 --tw_arrivals=poisson --tw_slowest=1000 --randseed=5
gaps='my @due = sort { $a <=> $b } map { $_->{monotonic_ns} } @{$j->{slowest}};
	print join(" ", map { int(($due[$_] - $due[$_ - 1]) / 1000) } 1 .. 50), "\n"'
json first.json "$gaps" >first
json again.json "$gaps" >again
json other.json "$gaps" >other
cmp -s first again && ! cmp -s first other
ok $? 'arrivals at random are those of the seed'
json first.json '$j->{ios}{read} > 800 - 4 * sqrt(800) && $j->{ios}{read} < 800 + 4 * sqrt(800)'
ok $? 'and as many as the rate says'

# At 20, 40, 60 and 80 ms, on a device that never stands still. The next one is held until the run time is over.
stall=
arrives end.json --runtime=95ms --tw_rate_iops=50
cp out.json fio_end.json
json end.json '$j->{ios}{read} == 4 && $j->{errors}{read} == 0 && $j->{unaccounted}{read} == 0'
ok $? 'what was not due at the end is counted nowhere'
json fio_end.json 'my $job = $j->{jobs}[0];
	print "# $job->{job_runtime} ms\n";
	$job->{read}{total_ios} == 4 && $job->{error} == 0 && $job->{job_runtime} <= 106'
ok $? 'not by fio either, and the job ends in time'

arrives mixed.json --rw=randrw --tw_rate_iops=1000
json mixed.json 'my ($r, $w) = @{$j->{ios}}{"read", "write"};
	abs($r + $w - 800) <= 2 && $r > 330 && $w > 330 &&
		$j->{stages}{backlog}{write}{count} == $w'
ok $? 'a job that reads and writes'
# fio takes completions when it needs room: it has the last 16 of the ramp time after it.
arrives ramp.json --tw_rate_iops=2000 --ramp_time=50ms --iodepth=16
cp out.json fio_ramp.json
json ramp.json 'abs($j->{ios}{read} - 816) <= 3'
ok $? 'a job with a ramp time'
json ramp.json "$(echo "$same_lat" | sed 's/FILE/fio_ramp.json/')"
ok $? 'counts what fio counts'
arrives batch.json --tw_rate_iops=2000 --iodepth_batch=16 --iodepth_batch_complete_max=16
json batch.json '$j->{ios}{read} >= 795 && $j->{stages}{queue}{read}{max_ns} < 2e5'
ok $? 'and one with a batch, of which none waits for others'
is_valid report small.json
done_testing
