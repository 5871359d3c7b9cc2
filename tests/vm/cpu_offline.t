#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: the CPU that a job runs on is taken away in mid-run and comes back. The
# job ends well with whole latencies, and `tickwise check` survives, too. Defect: a
# check that waits for ever for a thread on a CPU that is gone.
. "$(dirname "$0")/boot.sh"

boot cpu_offline
ok $? "the machine ran"
is "$(cat "$shared/cpus.tickwise")" 1 "one CPU was left"
for engine in tickwise io_uring; do
	is "$(cat "$shared/job-$engine.status")" 0 "$engine: the job succeeds"
done
row "a CPU goes offline in mid-run and comes back" "goes on" \
	"exit $(cat "$shared/job-tickwise.status"), \
$(value "$shared/job-tickwise.report.json" '$j->{counter}{verdict}')" \
	"exit $(cat "$shared/job-io_uring.status")"
json "$shared/job-tickwise.report.json" '
	my $t = $j->{stages}{lat}{read};
	print "# $j->{counter}{verdict} ", join(" ", map { $_->{code} }
		@{$j->{counter}{reasons}}), "; $t->{min_ns} to $t->{max_ns}\n";
	$t->{count} > 100 && $t->{min_ns} > 0 && $t->{max_ns} < 3e9'
ok $? "the report's latencies are whole"
[ "$(cat "$shared/watch.status")" -le 2 ]
ok $? "a watch goes on and ends at the signal"
[ "$(cat "$shared/check.status")" -le 2 ] &&
	json "$shared/check.json" '$j->{cpus} == 1'
ok $? "a check on the CPUs left answers"
done_testing
