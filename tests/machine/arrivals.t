#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: an open loop on this machine's clock, with I/Os that do nothing: at 1,000 to
# 500,000 a second as many are sent as are due. Below 10,000 a second the job takes less than a
# fifth of a CPU. Prints how late I/Os begin, next to a plain loop, which has the machine's noise,
# and which part of the backlog is the job's own: on a busy machine all of it. Fails only if noise can't be the reason: a job that is not late sends
# another number, or one that sleeps takes too much CPU time. Defect: a schedule in whole
# microseconds, or one that a late I/O moves; a job that polls where it could sleep.
. "$(dirname "$0")/../fio/fio_tap.sh"

echo "# load of the machine: $(cut -d ' ' -f 1-3 /proc/loadavg)"
late=$TW_BUILD/tests/fio/lateness
for rate in 1000 10000 100000 500000; do
	echo "# $rate: a loop that reads the clock is late by $("$late" $rate 3), one that sleeps" \
		"until 100 us before by $("$late" $rate 3 100)"
	for kind in regular poisson; do
		run_fio --name=a --filename=a.data --size=4m --rw=randread --bs=4k --iodepth=512 \
			--norandommap=1 --time_based=1 --runtime=3 --tw_test_nop=1 \
			--tw_rate_iops=$rate --tw_arrivals=$kind --tw_report=a.json || cat err
		cpu=$(from_json out.json 'my $job = $j->{jobs}[0];
			print $job->{usr_cpu} + $job->{sys_cpu}')
		from_json a.json 'my ($r, $q) = ($j->{response}, $j->{stages}{queue}{read});
			my $late = $j->{stages}{backlog}{read};
			printf "# %d %s: %.1f a second, begun late by p50 %d p99 %d ns, backlog mean " .
				"%.0f ns (%.0f %% its own), '"$cpu"' %% of a CPU\n", '$rate', "'$kind'",
				1e9 * ($j->{ios}{read} - 1) / $j->{jobs}[0]{run_ns},
				@{$q->{percentiles}}{"50.000000", "99.000000"}, $late->{mean_ns},
				100 * $r->{generator_ns} / ($late->{sum_ns} || 1);
			exit($r->{backlog_at_end_ns}{read} > 1e6)' || {
			skip "at $rate a second the job is late at its end"
			continue
		}
		# The run ends with the last I/O, which may be late. A number at random has the
		# error of its root.
		json a.json 'my $due = '$rate' * $j->{jobs}[0]{run_ns} / 1e9;
			my $end = '$rate' * $j->{stages}{lat}{read}{max_ns} / 1e9;
			abs($j->{ios}{read} - 1 - $due) < 1e-3 * $due + 1 + $end +
				("'$kind'" eq "poisson") * 5 * sqrt($due)'
		ok $? "$rate a second, $kind: as many as are due"
		[ $rate -gt 10000 ] && continue
		# On a busy machine a sleep costs more.
		if json a.json '$j->{stages}{queue}{read}{percentiles}{"99.000000"} > 1e5'; then
			skip "other programs disturb the job: its CPU time says nothing"
		else
			awk "BEGIN { exit !($cpu < 20) }"
			ok $? "$rate a second, $kind: less than a fifth of a CPU"
		fi
	done
done
done_testing
