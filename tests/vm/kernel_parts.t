#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: time is virtual, and a device takes 100 us and one I/O at a time. Eight I/Os at
# once wait for its only tag: with tw_causes=1 this is in `admission`. With mq-deadline they
# wait in `scheduler`, which the bound without tw_causes=1 has, too. The parts add up to
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

for suite in bookworm trixie; do
	on_kernel $suite || { skip "$no_kernel"; continue; }
	boot kernel_parts -icount shift=0,sleep=off
	ok $? "$suite: the machine ran"
	tar -x -C "$shared" -f "$shared/results.tar"
	happened=
	for kind in exact bound; do
		succeeds $kind "$suite, $kind: fio succeeds"
	done
	for name in tag sched wide quiet; do
		echo "# $suite, $name: before $(of exact-$name before), admission $(of \
			exact-$name admission), scheduler $(of exact-$name scheduler) us; \
at most $(of bound-$name scheduler) us"
		each exact-$name 'defined $b->{before} &&
			$b->{before} + $b->{admission} + $b->{scheduler} == $q' \
			'the parts add up to blockq for each I/O'
		happened="$happened${happened:+; }$name $(of exact-$name before)+$(of \
			exact-$name admission)+$(of exact-$name scheduler)"
	done
	for name in tag sched wide; do
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
	row "kernel $(sed 's/^Linux version \([^ ]*\).*/\1/' "$shared/version"), null_blk \
that takes 100 us, one tag, depth 8; virtual time" \
		"without a scheduler the wait is in admission, with one in scheduler" \
		"before+admission+scheduler, us: $happened" "has no stages"
done
done_testing
