#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: time is virtual, and a device takes 100 us and one I/O at a time. Eight I/Os at
# once wait for its only tag: with tw_causes=1 this is in `admission`. With mq-deadline they
# wait in `scheduler`, which the bound without tw_causes=1 has, too. A job has four workers of
# io_uring: I/Os that wait for these have it in `worker`, whose ends are those of the kernel's
# own trace, and each has its reason to be there. The parts add up to
# blockq for each I/O. A device with a tag for each I/O has neither wait. Without iostats and
# scheduler the bound is not known, and the exact parts are. Defect: a stamp at the wrong
# place, or of another I/O; a bound below the exact time.
. "$(dirname "$0")/boot.sh"

[ -x "$TW_BUILD/tickwise-kernel-helper" ] || {
	skip 'no programs were built: no clang, bpftool or libbpf-dev'
	done_testing
}
cpus=1
accel=tcg,thread=single
seconds=300

# of REPORT PART: prints the mean of a part, us
of()
{
	value "$shared/$1.json" 'my $h = $j->{blockq}{"'"$2"'"}{read};
		int(($h->{mean_ns} // 0) / 1000)'
}

# each REPORT CONDITION DESCRIPTION: passes if it is true of $b, the parts of each split I/O,
# and $q, its blockq
each()
{
	json "$shared/$1.json" '!grep { my ($b, $q) = ($_->{blockq}, $_->{stages}{blockq});
			defined $q && !('"$2"') } @{$j->{slowest}} and @{$j->{slowest}} == 200'
	ok $? "$suite, $1: $3"
}

# sent REPORT REASON: prints how many I/Os workers had for that reason; all: for any
sent()
{
	value "$shared/$1.json" 'my $k = $j->{kernel_stages};
		("'"$2"'" eq "all" ? $k->{workers} : $k->{to_workers}{"'"$2"'"})->{read}'
}

# off REPORT: prints how far the ends of `worker` are from the trace, in ns: the median, and 99
# of 100. An I/O is handed over by the next such event after the kernel accepted it.
off()
{
	value "$shared/$1.json" '
		open(my $file, "<", "'"$shared/trace"'");
		my $trace = <$file>;
		my @handed = map { $_ * 1e6 } $trace =~ /([0-9.]+): io_uring_queue_async/g;
		my @begun = map { $_ * 1e6 } $trace =~ /([0-9.]+): begun:/g;
		my @off;
		for (@{$j->{slowest}}) {
			my ($s, $parts) = ($_->{stages}, $_->{blockq});
			next if !$parts->{worker};
			my $at = ($_->{monotonic_ns} + $s->{queue} + $s->{submit}) / 1e3 - 1;
			my ($from) = grep { $_ >= $at } @handed;
			$at = ($from // 0) + $parts->{worker} / 1e3;
			my ($near) = sort { $a <=> $b } map { abs($_ - $at) } @begun;
			push @off, $near // 1e9;
		}
		@off = sort { $a <=> $b } @off;
		@off >= 100 ? sprintf("%d %d", map { $off[@off * $_] * 1e3 } 0.5, 0.99) :
			"none of many"'
}

for suite in $suites; do
	on_kernel $suite || { skip "$no_kernel"; continue; }
	boot kernel_parts -icount shift=0,sleep=off
	ok $? "$suite: the machine ran"
	tar -x -C "$shared" -f "$shared/results.tar"
	happened=
	for kind in exact bound; do
		succeeds $kind "$suite, $kind: fio succeeds"
	done
	for name in tag sched wide quiet async; do
		echo "# $suite, $name: worker $(of exact-$name worker), before $(of \
			exact-$name before), admission $(of \
			exact-$name admission), scheduler $(of exact-$name scheduler) us; \
at most $(of bound-$name scheduler) us"
		each exact-$name 'defined $b->{before} &&
			$b->{worker} + $b->{before} + $b->{admission} +
			$b->{scheduler} == $q' \
			'the parts add up to blockq for each I/O'
		happened="$happened${happened:+; }$name $(of exact-$name worker)+$(of \
			exact-$name before)+$(of exact-$name admission)+$(of \
			exact-$name scheduler)"
	done
	for name in tag sched wide async; do
		each bound-$name 'keys %$b == 1 && $b->{scheduler} <= $q' \
			'scheduler alone is known, as a bound'
	done
	each bound-quiet '!$b' 'nothing is known without iostats'
	# Seven others are before an I/O, each for 100 us.
	works "$suite: waiting for a tag is in admission" \
		test "$(of exact-tag admission)" -ge 400 -a "$(of exact-tag scheduler)" -lt 50
	works "$suite: waiting in a scheduler is in scheduler" \
		test "$(of exact-sched scheduler)" -ge 600 -a "$(of exact-sched admission)" -lt 50
	works "$suite: and within the bound" test "$(of bound-sched scheduler)" -ge 600
	works "$suite: a wait for a tag is not within the bound" \
		test "$(of bound-tag scheduler)" -lt 50
	works "$suite: with tags for all no part is long" \
		test "$(of exact-wide admission)" -lt 50 -a "$(of exact-wide scheduler)" -lt 50
	works "$suite: with one tag I/Os wait for workers, which wait for the tag" \
		test "$(of exact-tag worker)" -ge 200 -a "$(of exact-tag before)" -lt 20
	works "$suite: workers had I/Os for want of a tag" \
		test "$(sent exact-tag block_layer)" = "$(sent exact-tag all)"
	works "$suite: or as they were asked for" test "$(sent exact-async asked)" = 200
	# Linux 6.1 of arm64 lets no program enter a function: a worker is seen by its first bio.
	near=1000
	[ "${TW_VM_ARCH:-amd64} $suite" != "arm64 bookworm" ] || near=4000
	for name in tag async; do
		off exact-$name >"$scratch/off"
		read -r median most <"$scratch/off"
		works "$suite, $name: the ends of worker are those of the kernel's trace \
($median ns, 99 of 100 within $most)" test "$median" -le $near -a "$most" -le 10000
	done
	row "kernel $(sed 's/^Linux version \([^ ]*\).*/\1/' "$shared/version"), null_blk \
that takes 100 us, one tag, depth 8; virtual time" \
		"without a scheduler the wait is in admission, with one in scheduler" \
		"worker+before+admission+scheduler, us: $happened" "has no stages"
done
done_testing
