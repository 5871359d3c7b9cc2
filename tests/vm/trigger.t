#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: on the kernels of Debian 12 and 13 and an NVMe device, the report has
# the kernel's trace events around an I/O that is slower than tw_trigger. They reach
# from the kernel's acceptance to the completion. Nothing is left in tracefs. Defect: events
# or formats that differ there.
. "$(dirname "$0")/boot.sh"

seconds=300
for suite in $suites; do
	on_kernel $suite || { skip "$no_kernel"; continue; }
	on_nvme trigger
	ok $? "$suite: the machine ran"
	sed 's/^/# /' "$shared/version"
	report=$shared/slow.report.json
	succeeds slow 'fio succeeds'
	json "$report" '$j->{triggers}[0]{state} eq "on" &&
		$j->{triggers}[0]{slower} == 256'
	ok $? "a threshold that all I/Os exceed: $(value "$report" \
		'"$j->{triggers}[0]{slower} " . ($j->{triggers}[0]{why} // "")')"
	is "$(value "$report" 'my %has = map { $_->{event} => 1 }
		@{$j->{triggers}[0]{events}};
		join " ", grep { $has{$_} } qw(block_rq_issue block_rq_complete
		io_uring_submit_sqe io_uring_submit_req io_uring_complete
		irq_handler_entry)' |
		sed 's/_submit_sqe/_submit_req/')" \
		'block_rq_issue block_rq_complete io_uring_submit_req io_uring_complete irq_handler_entry' \
		'its events are there'
	is "$(value "$report" 'my %own = map { $_->{event} => 1 }
		grep { $_->{own} && $_->{event} =~ /io_uring/ }
		@{$j->{triggers}[0]{events}};
		join " ", sort keys %own' | sed 's/_submit_sqe/_submit_req/')" \
		'io_uring_complete io_uring_submit_req' 'those of the I/O are known'
	works 'of that time' json "$report" 'my $t = $j->{triggers}[0];
		my ($begin, $lat) = @{$t->{io}}{"monotonic_ns", "lat_ns"};
		@{$t->{events}} == $t->{event_count} && !grep {
			$_->{monotonic_ns} < $begin - 102000 ||
			$_->{monotonic_ns} > $begin + $lat + 102000 }
			@{$t->{events}}'
	json "$shared/fast.report.json" '$j->{triggers}[0]{state} eq "on" &&
		!$j->{triggers}[0]{slower} && !$j->{triggers}[0]{io} &&
		!$j->{triggers}[0]{events}'
	ok $? 'a threshold that none exceeds: no event'
	is "$(cat "$shared/after_slow" "$shared/after_fast")" '' \
		'nothing is left in tracefs'
done
done_testing
