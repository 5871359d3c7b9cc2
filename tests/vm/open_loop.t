#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: plugin
#
# Behaviour: an open loop on a device that the device mapper suspends for 100 ms, at 2,000 reads a
# second. Each of the 200 I/Os that were due meanwhile has a response from when it was due until the
# kernel completed them, to 1 ms, as a tracepoint tells. The others are due as if there had been no
# stall, to 1 us. With fio's own rate one I/O is slow. Defect: a closed loop; a stall that moves the
# schedule; a response that ends when fio takes the I/O.
#
# In virtual time no other program takes the machine's CPU. It is one, on which the kernel completes
# all I/Os that waited, some 6 us each, before the job runs. So the stall ends with the last of these.
. "$(dirname "$0")/boot.sh"

accel=tcg,thread=single
cpus=1
seconds=600
for suite in $suites; do
	on_kernel $suite || { skip "$no_kernel"; continue; }
	boot open_loop -icount shift=0,sleep=off
	ok $? "$suite: the machine ran"
	tar -x -C "$shared" -f "$shared/results.tar"
	succeeds open "$suite: an open loop"
	# An I/O that the job began late has its own begin here. The others tell the schedule.
	from_json "$shared/open.json" '
		open my $trace, "<", "'"$shared"'/open.trace" or die;
		my (%ends, $last);
		my ($stall, $end, $held, $off, $early, $done_all, @seen) = (0, 0, 0, 0, 0, 0);
		for (split /\n/, <$trace>) {
			/ (\d+\.\d+): block_rq_complete: .*\) (\d+) \+/ or next;
			my $at = $1 * 1e9;
			push @{$ends{$2}}, $at;
			($stall, $end) = ($at - $last, $at) if $last && $at - $last > $stall;
			$last = $at;
		}
		my @all = sort { $a->{monotonic_ns} <=> $b->{monotonic_ns} } @{$j->{slowest}};
		my @phase = (9e18, 9e18);
		for my $i (0 .. $#all) {
			my $begin = $all[$i]{monotonic_ns};
			my $phase = \$phase[$begin > $end];
			$$phase = $begin - $i * 5e5 if $begin - $i * 5e5 < $$phase;
		}
		for my $i (0 .. $#all) {
			my $due = $phase[0] + $i * 5e5;
			next if $due < $end - $stall + 1e6 || $due > $end;
			$held++;
			my $is = $all[$i]{monotonic_ns} + $all[$i]{stages}{lat};
			my ($done) = sort { abs($a - $is) <=> abs($b - $is) }
				@{$ends{$all[$i]{offset} / 512} // [9e18]};
			push @seen, $is;
			$early = 1 if $is < $done - 1000;
			$done_all = $done if $done > $done_all;
		}
		for (@seen) {
			$off = abs($_ - $done_all) if abs($_ - $done_all) > $off;
		}
		$off = 9e18 if $early;
		printf "%d %.0f %d %.0f %d %d\n", scalar @all, $stall / 1e3, $held, $off / 1e3,
			abs($phase[1] - $phase[0]), $j->{ios}{read}' >"$scratch/seen"
	read -r all stall held off phase ios <"$scratch/seen"
	works "$suite: $held I/Os were due in $stall us" \
		test "$stall" -ge 100000 -a $((held * 500)) -ge $((stall - 2000)) -a "$all" = "$ios"
	works "$suite: their responses end within $off us of the last, as the kernel tells" \
		test "$off" -le 1000
	works "$suite: the schedule has moved by $phase ns" test "$phase" -le 1000
	succeeds closed "$suite: fio's own rate"
	slow=$(from_json "$shared/closed.json" 'print scalar grep { $_->{stages}{lat} >= 5e6 }
		@{$j->{slowest}}')
	# fio catches up with its rate, which may slow down some later ones.
	works "$suite: $slow I/Os are slow" test $((slow * 10)) -le "$held"
	version=$(sed 's/^Linux version \([^ ]*\).*/\1/' "$shared/version")
	row "kernel $version, a device suspended for $stall us" \
		"each I/O that was due meanwhile has a response until its end, to 1 ms" \
		"$held I/Os, at most $off us off" "$slow I/Os are slow, with fio's rate"
done
done_testing
