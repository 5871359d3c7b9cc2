#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: attach counts each sleep of a program that reads, by call and file, on the kernels of
# Debian 12 and 13, as the kernel itself counts it. The reason is the right one: a page that the
# thread reads itself, its direct I/O, a page fault, the journal of a sync, a limit of its
# cgroup, which is named, a suspended device. What another process has in flight is found. A request takes 3 ms, and so much is the time in the device, also
# after a request that ended while the thread ran. A wait for a socket is none. Defect: a register,
# a stack or a function that this kernel has otherwise; parts of an earlier request.
. "$(dirname "$0")/boot.sh"

accel=tcg,thread=single
cpus=1
memory=1024
seconds=600

# waited KIND CALL REASON: checks a report
waited()
{
	succeeds "$1" "$suite, $1: attach"
	json "$shared/$1.json" 'my ($slept) = split / /, `cat '"$shared/$1.out"'`;
		my ($all, $right, $device) = (0, 0, 0);
		for (grep { $_->{call} eq "'"$2"'" && $_->{file} eq "/tmp/files/data" }
				@{$j->{waits}{rows}}) {
			my $n = $_->{time}{count};
			$all += $n;
			print "# $n $_->{reason} $_->{function}\n";
			next unless $_->{reason} eq "'"$3"'";
			$right += $n;
			$device += $_->{device_ns};
		}
		$all <= $slept && $all >= $slept - $j->{kernel_stages}{missed_runs} - 1 &&
		$right >= 40 && $right >= 0.95 * $all && abs($device / $right / 3e6 - 1) < 0.05'
	ok $? "$suite, $1: each of at least 40 waits, 95 of 100 with the right reason, 3 ms in the device"
}

# split KIND: a read that io.max holds for 50 ms is in the device for 3 ms, whatever ended before
split()
{
	json "$shared/$1.json" 'my @held = grep { $_->{reason} eq "io.max" } @{$j->{waits}{rows}};
		print "# $_->{blockq_ns} of $_->{time}{sum_ns}\n" for @held;
		@held && !grep { $_->{blockq_ns} < 0.9 * $_->{time}{sum_ns} } @held'
	ok $? "$suite, $1: before the device"
}

# behind KIND PERL WHAT: PERL has how many waits were counted, and of them those behind reads of
# another process
behind()
{
	json "$shared/$1.json" 'my ($all, $behind) = (0, 0);
		for (map { @{$_->{in_flight_of_others} // []} } @{$j->{waits}{rows}}) {
			$all += $_->{waits};
			next unless $_->{kind};
			print "# $_->{waits} $_->{kind} $_->{who}{name}\n";
			$behind += $_->{waits} if $_->{kind} eq "reads" && $_->{who}{name} eq "wait_calls";
		}
		print "# $behind of $all\n"; '"$2"
	ok $? "$suite, $1: $3"
}

# held KIND REASON PART: this part of the time or more is for the reason, in a few long waits
held()
{
	succeeds "$1" "$suite, $1: attach"
	json "$shared/$1.json" 'my ($all, $right) = (0, 0);
		for (grep { $_->{call} eq "pread64" } @{$j->{waits}{rows}}) {
			print "# $_->{time}{count} $_->{reason} $_->{function} $_->{time}{sum_ns}\n";
			$all += $_->{time}{sum_ns};
			$right += $_->{time}{sum_ns} if $_->{reason} eq "'"$2"'";
		}
		$right > 1e8 && $right >= '"$3"' * $all'
	ok $? "$suite, $1: most of the time is for the reason"
}

for suite in $suites; do
	on_kernel $suite || { skip "$no_kernel"; continue; }
	boot kernel_waits -icount shift=0,sleep=off
	ok $? "$suite: the machine ran"
	tar -x -C "$shared" -f "$shared/results.tar"
	waited cold pread64 'cache miss'
	waited direct pread64 'direct I/O'
	waited faults 'page fault' 'cache miss'
	behind direct '$all >= 10 && !$behind' 'nothing of others in flight'
	behind together '$all >= 10 && $behind >= 5' 'reads of another process in flight'
	for how in direct cold written; do
		held limit_$how io.max 0.9
	done
	for how in direct cold written; do
		json "$shared/limit_$how.json" 'my @held = grep { $_->{reason} eq "io.max" }
				@{$j->{waits}{rows}};
			print "# $_->{limit} of $_->{cgroup}\n" for @held;
			@held && !grep { $_->{limit} ne "riops=20" || $_->{cgroup} ne "/limited" } @held'
		ok $? "$suite, limit_$how: the limit is named"
	done
	split limit_direct
	split limit_written
	for how in direct cold; do
		held suspend_$how suspended 0.5
	done
	json "$shared/mapped.json" 'my ($slept) = split / /, `cat '"$shared/mapped.out"'`;
		my ($n, $of) = (0, 0);
		for (grep { $_->{call} eq "msync" } @{$j->{waits}{rows}}) {
			$n += $_->{time}{count};
			$of += $_->{time}{count} if $_->{file} eq "/tmp/files/data";
		}
		print "# $of of $n, of $slept\n"; $slept >= 40 && $n <= $slept && $of >= 0.95 * $slept'
	ok $? "$suite: msync has the file that is mapped"
	json "$shared/socket.json" '!grep { $_->{call} =~ /read|write/ &&
		$_->{file} =~ /files|^-/ } @{$j->{waits}{rows}}'
	ok $? "$suite: a wait for a socket is none"
	json "$shared/sync.json" 'my %n;
		$n{$_->{reason}} += $_->{time}{count} for grep { $_->{call} eq "fsync" }
			@{$j->{waits}{rows}};
		print "# ", join(", ", map { "$n{$_} $_" } sort keys %n), "\n";
		$n{journal} >= 15 && $n{writeback} >= 15 && $j->{ios}{sync} >= 18 &&
		$j->{ios}{sync} <= 20'
	ok $? "$suite: syncs wait for their data and for the journal"
done
done_testing
