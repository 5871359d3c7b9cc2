#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: on the kernels of Debian 12 and 13, a device that takes 30 ms or more for each
# request is shared with others: reads, writes, discards, or flushes. At least 95 of 100 I/Os of a
# job are behind requests of that kind, though two of the job's own are in flight at a time, and
# the name of who does it: a process, or for writes from the page cache its cgroup. A
# job whose device is as slow, but has nothing else to do, is alone in at least 95 of 100, as
# is one next to others on another device. Defect: a structure that differs there, a request
# that is not counted, one that has ended but counts, a wrong name.
. "$(dirname "$0")/boot.sh"
. "$root/tests/fio/kernel_tap.sh"

# One virtual CPU: two emulated ones may both meet an instruction of the kernel that is being
# changed for a tracepoint, which is an oops (int3).
accel=tcg,thread=single
cpus=1
seconds=600
for suite in $suites; do
	on_kernel $suite || { skip "$no_kernel"; continue; }
	boot kernel_in_flight_of_others -icount shift=0,sleep=off
	ok $? "$suite: the machine ran"
	sed 's/^/# /' "$shared/version"
	for kind in none writes flushes discards reads writeback elsewhere; do
		report=$shared/$kind.report.json
		should=$kind
		who="process fio $(cat "$shared/$kind.pid" 2>&1)"
		case $kind in
		none | elsewhere) should=alone who= ;;
		flushes) who='process flushes' ;;
		writeback) should=writes who='cgroup /others' ;;
		esac
		succeeds $kind "$suite, $kind: fio succeeds"
		json "$report" 'my $of = $j->{kernel_stages}{in_flight_of_others};
			my $all = $j->{kernel_stages}{split}{read};
			my $all_ns = $j->{stages}{device}{read}{sum_ns};
			my $sum_ns = 0;
			$sum_ns += $of->{$_}{read}{sum_ns} // 0 for "alone", "reads", "writes",
				"flushes", "discards", "others";
			$all >= 98 && $of->{'$should'}{read}{count} >= 0.95 * $all &&
				$sum_ns == $all_ns && !$of->{cut}'
		ok $? "$suite, others do $kind: $(from_json "$report" '
			my $of = $j->{kernel_stages}{in_flight_of_others};
			print join ", ", (map { "$_ $of->{$_}{read}{count}" }
				grep { ref $of->{$_} && $of->{$_}{read}{count} } sort keys %$of),
				"to count took " . int($of->{counting_ns} / ($of->{counted} || 1)) . " ns"')"
		[ -n "$who" ] || continue
		json "$report" 'my $should = "'"$who"'";
			my @io = grep { $_->{in_flight_of_others} } @{$j->{slowest}};
			my %n;
			$n{join " ", grep { defined } @{$_->{in_flight_of_others}{who}}{"kind", "name",
				$should =~ /\d$/ ? "id" : ()}}++ for @io;
			print "# $_: $n{$_}\n" for sort keys %n;
			@io >= 98 && ($n{$should} // 0) >= 0.95 * @io'
		ok $? "$suite, others do $kind: the name is $who"
	done
	row "kernel $(sed 's/^Linux version \([^ ]*\).*/\1/' "$shared/version"), a slow device" \
		"at least 95 of 100 I/Os have the others that there are" \
		"$(for kind in none writes flushes discards reads writeback elsewhere; do
			from_json "$shared/$kind.report.json" '
				my $of = $j->{kernel_stages}{in_flight_of_others};
				print "'$kind': ", join(" ", map { "$_ $of->{$_}{read}{count}" }
					grep { ref $of->{$_} && $of->{$_}{read}{count} }
					sort keys %$of), "; "'
		done)" "has no stages"
done
done_testing
