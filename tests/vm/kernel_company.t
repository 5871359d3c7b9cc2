#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: on the kernels of Debian 12 and 13, a device that takes 30 ms or more for each
# request is shared with others: reads, writes, discards, or flushes. At least 95 of 100 I/Os of a
# job have the company of that kind, though two of the job's own are in flight at a time. A
# job whose device is as slow, but has nothing else to do, is alone in at least 95 of 100, as
# is one next to others on another device. Defect: a structure that differs there, a request
# that is not counted, one that has ended but counts.
#
# One virtual CPU, as in kernel_stacked.t.
. "$(dirname "$0")/boot.sh"
. "$root/tests/fio/kernel_tap.sh"

cpus=1
seconds=400
for suite in bookworm trixie; do
	on_kernel $suite || { skip "$no_kernel"; continue; }
	boot kernel_company
	ok $? "$suite: the machine ran"
	sed 's/^/# /' "$shared/version"
	for kind in none writes flushes discards reads elsewhere; do
		report=$shared/$kind.report.json
		should=$kind
		case $kind in
		none | elsewhere) should=alone ;;
		esac
		succeeds $kind "$suite, $kind: fio succeeds"
		json "$report" 'my $of = $j->{kernel_stages}{company};
			my $all = $j->{kernel_stages}{split}{read};
			my $all_ns = $j->{stages}{device}{read}{sum_ns};
			my $sum_ns = 0;
			$sum_ns += $of->{$_}{read}{sum_ns} // 0 for "alone", "reads", "writes",
				"flushes", "discards", "others";
			$all >= 98 && $of->{'$should'}{read}{count} >= 0.95 * $all &&
				$sum_ns == $all_ns && !$of->{cut}'
		ok $? "$suite, others do $kind: $(from_json "$report" '
			my $of = $j->{kernel_stages}{company};
			print join ", ", (map { "$_ $of->{$_}{read}{count}" }
				grep { ref $of->{$_} && $of->{$_}{read}{count} } sort keys %$of),
				"to count took " . int($of->{counting_ns} / ($of->{counted} || 1)) . " ns"')"
	done
	row "kernel $(sed 's/^Linux version \([^ ]*\).*/\1/' "$shared/version"), a slow device" \
		"at least 95 of 100 I/Os have the company that there is" \
		"$(for kind in none writes flushes discards reads elsewhere; do
			from_json "$shared/$kind.report.json" '
				my $of = $j->{kernel_stages}{company};
				print "'$kind': ", join(" ", map { "$_ $of->{$_}{read}{count}" }
					grep { ref $of->{$_} && $of->{$_}{read}{count} }
					sort keys %$of), "; "'
		done)" "has no stages"
done
done_testing
