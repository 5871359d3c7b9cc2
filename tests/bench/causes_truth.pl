# SPDX-License-Identifier: MIT
#
# Compares the causes in a report with the kernel's own trace: causes_truth.sh has the rest.
#
#	perl causes_truth.pl REPORT TRACE DISK		DISK: the numbers of the device, "8,0"
#
# Prints each contradiction, and a line of counts: "KEY VALUE" pairs.
use strict;
use warnings;
use JSON::PP;
use List::Util qw(max min sum0 first);

# The trace has whole microseconds, and the programs' events lie before or after its own. An
# interrupt may come between both.
use constant { NEAR => 3e3, LATE => 30e3 };

# schedstat has the clock of the CPU's queue, which the kernel reads before it chooses the next
# task, and not again if it was just read. Seen: 27 us less than the trace in waits of 9 to 388 ms.
use constant BLUR => 100e3;

my ($report, $trace, $disk) = @ARGV;
local $/;
open my $file, '<', $report or die "$report: $!\n";
my $r = decode_json(<$file>);
my $thread = $r->{jobs}[0]{pid};
my @order = qw(queue submit blockq device complete reap deliver);
my %inside = map { $_ => 1 } qw(submit blockq device complete reap);

# ---- the trace --------------------------------------------------------------

my (@switches, %since);		# of each CPU: [from, to, name, thread]
# Of the thread: [from, to, state, CPU]. It is "next" from a wake-up until it runs, if nothing
# else gets its CPU meanwhile.
my (@states, $state);
my (@interrupts, %open);	# [from, to, kind, number, CPU]
my (%own, %flying, @requests);	# [from, to, kind, bytes, is own]
my (%asleep, @sleeps);		# in state D: [from, to, thread]
my @wakings;			# of the thread
my (@reads, %workers);		# when the thread read its schedstat
my $from_ns = 0;

sub kind_of {
	my ($rwbs) = @_;

	$rwbs =~ s/^F(?=[RWDFNZ])//;
	return { R => 'reads', W => 'writes', F => 'flushes', D => 'discards' }->
		{substr $rwbs, 0, 1} // 'others';
}

# The thread becomes something else. Its CPU stays if it is not given.
sub become {
	my ($now, $is, $cpu) = @_;

	push @states, [$state->[0], $now, @{$state}[1 .. 2]] if $state;
	$state = [$now, $is, $cpu // ($state ? $state->[2] : undef)];
}

sub take {
	my ($task, $pid, $cpu, $now, $event, $is) = @_;

	if ($event eq 'sched_switch') {
		my ($prev, $prev_pid, $how, $next_pid) = $is =~
			/^prev_comm=(.*) prev_pid=(\d+) prev_prio=\d+ prev_state=(\S+) ==> .* next_pid=(\d+) /
			or die "trace: $is\n";
		push @{$switches[$cpu]}, [$since{$cpu}, $now, $prev, $prev_pid]
			if $since{$cpu};
		$since{$cpu} = $now;
		if ($prev_pid == $thread) {
			become($now, $how =~ /^R/ ? 'ready' : 'asleep', $cpu);
		} elsif ($next_pid == $thread) {
			become($now, 'on', $cpu);
		} elsif ($state && $state->[1] eq 'next' && $state->[2] == $cpu) {
			$state->[1] = 'ready';
		}
		$asleep{$prev_pid} = $now if $how =~ /^D/;
		push @sleeps, [delete $asleep{$next_pid}, $now, $next_pid]
			if $asleep{$next_pid};
		$workers{$prev_pid} = 1 if $prev =~ /^iou-wrk-$thread$/;
	} elsif ($event eq 'sched_waking' && $is =~ /pid=$thread .*target_cpu=(\d+)/) {
		push @wakings, $now;
		become($now, 'waking', $1 + 0) if $state && $state->[1] eq 'asleep';
	} elsif ($event eq 'sched_wakeup' && $is =~ /pid=$thread .*target_cpu=(\d+)/) {
		become($now, 'next', $1 + 0) if $state && $state->[1] !~ /^(on|ready|next)$/;
	} elsif ($event eq 'sched_migrate_task' && $is =~ /pid=$thread .*dest_cpu=(\d+)/) {
		become($now, 'ready', $1 + 0) if $state &&
			($state->[1] eq 'ready' || $state->[1] eq 'next');
	} elsif ($event =~ /^(irq_handler|softirq)_entry$/) {
		$open{"$1 $cpu"} = $now;
	} elsif ($event =~ /^(irq_handler|softirq)_exit$/) {
		my $begun = delete $open{"$1 $cpu"};
		my $kind = $1 eq 'softirq' ? 'softirq' : 'interrupt';
		my ($number) = $is =~ /(?:irq|vec)=(\d+)/;
		push @interrupts, [$begun, $now, $kind, $number, $cpu] if $begun;
	} elsif ($event eq 'block_rq_issue' &&
		 $is =~ /^$disk (\S+) (\d+) \(.*?\) (\d+) \+ (\d+) /) {
		$flying{"$3+$4"} = [$now, undef, kind_of($1), $4 * 512, delete $own{$3}];
	} elsif ($event eq 'block_getrq' && ($pid == $thread || $task =~ /^iou-wrk-$thread$/) &&
		 $is =~ /^$disk \S+ (\d+) \+ /) {
		$own{$1} = 1;
	} elsif ($event =~ /^block_rq_(complete|requeue)$/ &&
		 $is =~ /^$disk (\S+) \(.*?\) (\d+) \+ (\d+) /) {
		my $request = delete $flying{"$2+$3"} //
			[0, undef, kind_of($1), $3 * 512];
		$request->[1] = $now;
		push @requests, $request;
		$own{$2} = $request->[4] if $event eq 'block_rq_requeue';
	} elsif ($event eq 'sys_pread64' && $pid == $thread) {
		push @reads, $now;
	}
}

$/ = "\n";
open $file, '<', $trace or die "$trace: $!\n";
while (<$file>) {
	if (my ($task, $pid, $cpu, $s, $us, $event, $is) =
	    /^\s*(.+)-(\d+)\s+\[(\d+)\] \S+\s+(\d+)\.(\d+): (\w+)(?:: |\()(.*)/) {
		my $now = $s * 1_000_000_000 + $us * 1000;

		$from_ns ||= $now;
		take($task, $pid, $cpu + 0, $now, $event, $is);
	}
}
push @requests, values %flying;
@requests = sort { $a->[0] <=> $b->[0] } @requests;

# ---- questions to it --------------------------------------------------------

sub overlap {
	my ($from, $to, $since, $until) = @_;

	return max(0, min($to, $until) - max($from, $since));
}

# How long the thread was in one of the states in a time.
sub state_ns {
	my ($is, $from, $to) = @_;

	return sum0(map { overlap($_->[0], $_->[1], $from, $to) }
		    grep { $_->[2] =~ $is } @states);
}

# How long a holder of the CPU had that of the thread in a time, while the thread was ready or,
# for interrupts, had it.
sub held_ns {
	my ($had, $from, $to) = @_;
	my $is_task = $had->{kind} =~ /^(process|kernel|idle)$/;
	my $sum = 0;

	for my $s (grep { $_->[1] > $from && $_->[0] < $to && defined $_->[3] } @states) {
		my ($since, $until) = (max($s->[0], $from), min($s->[1], $to));

		next if $s->[2] !~ ($is_task ? qr/^(ready|next)$/ : qr/^(ready|next|on)$/);
		$sum += sum0(map { overlap($_->[0], $_->[1], $since, $until) } $is_task ?
			grep { $had->{kind} eq 'idle' ? $_->[3] == 0 :
				$_->[2] eq $had->{name} || $_->[3] == ($had->{id} // -1) }
			@{$switches[$s->[3]]} :
			grep { $_->[2] eq $had->{kind} && $_->[3] == $had->{id} &&
				$_->[4] == $s->[3] } @interrupts);
	}
	return $sum;
}

# ---- the report --------------------------------------------------------------

my %n = map { $_ => 0 } qw(ios wakings wakings_off explained names pieces companies words bounds bounded waited wrong);
my $io;

sub wrong {
	printf "FALSE I/O %s, lat %.3f ms: %s\n", $io->{monotonic_ns},
		$io->{stages}{lat} / 1e6, sprintf shift, @_;
	$n{wrong}++;
}

# When the stage of an I/O begins and ends.
sub stage_times {
	my ($of) = @_;
	my ($now, $had_kernel) = ($io->{monotonic_ns}, 0);

	for my $stage (@order) {
		my $is = exists $io->{stages}{$stage} ? $stage :
			$inside{$stage} && !$had_kernel++ ? 'kernel' : next;
		my $ns = $io->{stages}{$is} // 0;

		return ($now, $now + $ns) if $is eq $of;
		$now += $ns;
	}
	return;
}

sub check_causes {
	my ($c, $from, $to) = @_;
	my @pieces = (['^on$', 'ran_ns'], ['^(ready|next|on)$', 'interrupts_ns'],
		['^(ready|next)$', 'waited_ns'],
		['^(asleep|waking|ready|next)$', 'woken_late_ns'],
		['^(asleep|waking)$', 'asleep_ns']);

	for my $had (@{$c->{had_cpu} // []}) {
		next if $had->{kind} eq 'hidden';
		my $seen = held_ns($had, $from - NEAR, $to + NEAR);
		$n{names}++;
		wrong("%s %s (%s) had the CPU for %d ns in %s, in the trace for %d",
		      $had->{kind}, $had->{name} // '', $had->{id} // '', $had->{ns},
		      $c->{stage}, $seen) if $seen < $had->{ns} - 2 * NEAR;
	}
	for (@pieces) {
		my ($is, $key) = @$_;
		next if !$c->{$key};
		my $seen = state_ns(qr/$is/, $from - NEAR, $to + NEAR);
		$n{pieces}++;
		wrong("%s %d in %s, in the trace %d", $key, $c->{$key}, $c->{stage}, $seen)
			if $seen < $c->{$key} - 2 * NEAR;
	}
	for my $slept (@{$c->{slept} // []}) {
		my $seen = sum0(map { overlap($_->[0], $_->[1], $from - NEAR, $to + NEAR) }
			grep { $_->[2] == $thread || $workers{$_->[2]} } @sleeps);
		$n{words}++;
		wrong("waited %d ns for %s, in the trace a sleep of %d", $slept->{ns},
		      $slept->{reason}, $seen) if $seen < $slept->{ns} - 2 * NEAR;
	}
}

# Requests that begin or end near the moment may be in flight or not. So may those of which the
# trace lacks one end: this kernel skips events in some processes.
sub check_others {
	my ($is) = @_;
	my ($now) = stage_times('device') or return;
	my (%sure, %most, %count, %least);
	my $behind = $is->{kind} // 'alone';

	$n{companies}++;
	for (grep { $_->[0] < $now + LATE && ($_->[1] // 9e18) > $now - LATE && !$_->[4] }
	     @requests) {
		my $bytes = $_->[2] eq 'flushes' ? 1e12 : $_->[3];
		$most{$_->[2]} += $bytes;
		$count{$_->[2]}++;
		next if !$_->[0] || $_->[0] > $now - LATE || ($_->[1] // 0) < $now + LATE;
		$sure{$_->[2]} += $bytes;
		$least{$_->[2]}++;
	}
	if ($behind eq 'alone') {
		wrong("alone, in the trace %s", join ', ', %sure) if %sure;
	} elsif (!$most{$behind}) {
		wrong("behind %d %s, in the trace none", $is->{requests}, $behind);
	} elsif ($is->{requests} > $count{$behind} ||
		 (!$is->{cut} && $is->{requests} < ($least{$behind} // 0))) {
		wrong("behind %d %s, in the trace %d to %d", $is->{requests}, $behind,
		      $least{$behind} // 0, $count{$behind});
	} elsif (my $other = first { $sure{$_} > $most{$behind} } keys %sure) {
		wrong("behind %s of %d bytes, in the trace %d of %s", $behind,
		      $is->{bytes}, $sure{$other}, $other);
	}
}

# Where a thread that was woken is the next to run, the kernel does not read that clock again
# (rq_clock_skip_update()). So its sum may lack all of the time in between.
sub check_bound {
	my ($stage) = sort { $io->{stages}{$b} <=> $io->{stages}{$a} }
		grep { $_ ne 'lat' } keys %{$io->{stages}};
	my ($from, $to) = stage_times($stage);
	my $bound = $io->{waited_at_most_ns} // 0;
	my $real = state_ns(qr/^ready$/, $from, $to);
	my $before = max(grep { $_ <= $from + NEAR } @reads);
	my $after = min(grep { $_ >= $to - NEAR } @reads);

	return if !defined $before;
	$after //= $to + 1e6;
	my $most = state_ns(qr/^(ready|next)$/, $before - NEAR, $after + LATE);
	$n{bounds}++;
	$n{waited}++ if $real > $io->{stages}{$stage} / 2;
	$n{bounded}++ if $bound > $io->{stages}{$stage} / 2;
	wrong("waited for a CPU up to %d ns in %s, in the trace %d", $bound, $stage, $real)
		if $bound < $real - BLUR;
	wrong("waited for a CPU up to %d ns in %s, in the trace %d since the reading before",
	      $bound, $stage, $most) if $bound > $most + BLUR;
}

# Each waking that parts complete is one in the trace. Those that are more than 5 us off are counted.
sub check_waking {
	my ($from) = stage_times('complete');
	my $at = $from + $io->{complete}{waking};

	$n{wakings}++;
	$n{wakings_off}++ unless first { abs($_ - $at) <= 5000 } @wakings;
}

for (@{$r->{slowest}}) {
	$io = $_;
	my $c = $io->{causes};
	my ($from, $to) = $c ? stage_times($c->{stage}) : ();

	# The beginning of the run is not in the trace if its buffer was too small.
	next if $io->{monotonic_ns} < $from_ns;
	$n{ios}++;
	if (defined $from) {
		check_causes($c, $from, $to);
		$n{explained}++ if ($c->{unexplained_ns} // 0) <= ($to - $from) / 2 &&
			(exists $c->{unexplained_ns} || $c->{stage} =~ /device|blockq/);
	}
	check_others($io->{in_flight_of_others}) if $io->{in_flight_of_others};
	check_bound() if !$c;
	check_waking() if exists $io->{complete}{waking};
}
unless ($n{ios}) {
	print "FALSE no I/O of the report is in the trace\n";
	$n{wrong}++;
}
print join(' ', map { "$_ $n{$_}" } sort keys %n), "\n";
