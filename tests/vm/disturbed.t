#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: faults around the process and its clocks end in a reported error or have
# no effect: a full disk, missing memory, signals, kill -9; a system clock that NTP
# makes run fast or slow, or that is set; a CPU that is taken away in mid-run and comes
# back, from `tickwise check` too. No crash, no hang, no half report, no wrong number.
# The report tells by how much CLOCK_MONOTONIC was off, and does not blame the counter
# for it. Defect: a NULL that is used, a system call that a signal ends early taken for
# one that worked, a report cut off in the middle; latencies in a clock that is
# steered, a jump of the time of day taken for one of the counter's; a check that waits
# for ever for a thread on a CPU that is gone.
. "$(dirname "$0")/boot.sh"

seconds=300
boot disturbed
ok $? "the machine ran"

status()
{
	cat "$shared/$1.status"
}

[ "$(status full)" -ne 0 ] && [ "$(status full)" -lt 128 ]
ok $? "a full disk: a failing exit"
grep -q 'the latency report was not written.*: No space left' "$shared/full.err"
ok $? "a full disk: one line reports it"
is "$(cat "$shared/full.ls")" filler "a full disk: no half report"
json "$shared/full.fio.json" '$j->{jobs}[0]{read}{total_ios} > 0'
ok $? "a full disk: fio's own results are there"
row "no room for the report" "an error, no half report, fio's results whole" \
	"$(tail -n 1 "$shared/full.err")" "has no report"

# A signal's exit is more than 128, which is fio's own for a job that failed to start;
# 137 is the end of a hang. With too little memory for fio itself, fio may crash, also
# without our engine.
! awk 'NR == FNR { own[$1] = $2; next } $2 > 128 && own[$1] <= 128' \
	"$shared/memory.io_uring" "$shared/memory.tickwise" | grep .
ok $? "less and less memory: no crash or hang that is not fio's own"
# Where fio's own engine works, ours with its histograms may not, and then reports that.
! awk 'NR == FNR { own[$1] = $2; next } $2 != 0 && $3 == 0 && own[$1] == 0' \
	"$shared/memory.io_uring" "$shared/memory.tickwise" | grep .
ok $? "where only our engine fails, it tells why"
sed 's/^/# ours (kB, exit, lines): /' "$shared/memory.tickwise"
sed 's/^/# fio: /' "$shared/memory.io_uring"
row "ulimit -v from 460 to 330 MB" \
	"works or tells why; no crash that is not fio's own" \
	"exits: $(awk '{ printf "%s ", $2 }' "$shared/memory.tickwise")" \
	"exits: $(awk '{ printf "%s ", $2 }' "$shared/memory.io_uring")"

for engine in tickwise io_uring; do
	works "$engine: killed: fails" test "$(status killed-$engine)" -ne 0
done
! grep -q '\.part$' "$shared/killed.ls"
ok $? "killed: no part of a report"
row "kill -9 of a job" \
	"no half report (fio 3.33 itself then frees its options twice)" \
	"exit $(status killed-tickwise), no report" "exit $(status killed-io_uring)"

is "$(cat "$shared/offline-tickwise.out")" 1 "offline: one CPU was left"
for label in storm offline fast slow ahead back; do
	report=$shared/$label-tickwise.report.json
	for engine in tickwise io_uring; do
		is "$(status $label-$engine)" 0 "$label: $engine: the job succeeds"
	done
	# A CPU that comes back may have another counter.
	json "$report" '
		my $c = $j->{counter}{verdict};
		my $t = $j->{stages}{lat}{read};
		print "# $c; monotonic $j->{clocks}{monotonic}{error_ppb} ppb, ",
			"tickwise $j->{clocks}{tickwise}{error_ppb}, fio ",
			"$j->{clocks}{fio}{error_ppb}; $t->{min_ns} to $t->{max_ns}\n";
		($c ne "unreliable" || "'$label'" eq "offline") && $t->{min_ns} > 0 &&
			$t->{max_ns} < ("'$label'" eq "storm" ? 4e9 : 3e9) &&
			$t->{count} > 100 && $j->{ios}{read} == $t->{count}'
	ok $? "$label: the counter is not blamed, latencies are whole"
	happened="exit $(status $label-tickwise), $(value "$report" \
		'$j->{counter}{verdict}')"
	own="exit $(status $label-io_uring)"
	must="latencies untouched, the steering reported"
	case $label in
	storm)
		what="$(($(cat "$shared/storm-tickwise.out") * 5)) signals in mid-run, \
SIGSTOP among them"
		must="goes on, latencies whole"
		;;
	offline)
		what="a CPU goes offline in mid-run and comes back"
		must="goes on"
		;;
	fast | slow) what="CLOCK_MONOTONIC steered $label by 0.5 %" ;;
	*) what="the time of day set $label by decades in mid-run" ;;
	esac
	case $label in
	fast | slow | ahead | back)
		json "$report" '
			my $c = $j->{clocks}{tickwise};
			abs($c->{error_ppb}) <= $c->{uncertainty_ppb} +
				($c->{rate_bound_ppb} // 0)'
		ok $? "$label: our clock agrees with CLOCK_MONOTONIC_RAW within its bounds"
		happened=$(value "$report" '"$j->{counter}{verdict}; monotonic off by " .
			int($j->{clocks}{monotonic}{error_ppb} / 1000) . " ppm, ours by " .
			sprintf("%.3f", $j->{clocks}{tickwise}{error_ppb} / 1000)')
		own="its clock off by $(value "$report" \
			'int($j->{clocks}{fio}{error_ppb} / 1000)') ppm"
		;;
	esac
	row "$what" "$must" "$happened" "$own"
done

# It is 0.5 %, within the crystal's and the calibration's own errors, which are under
# 500 ppm.
for steered in fast:5000000 slow:-5000000; do
	report=$shared/${steered%:*}-tickwise.report.json
	if json "$report" '$j->{clocks}{monotonic}{uncertainty_ppb} > 2e5'; then
		skip "${steered%:*}: the clocks were read with too much between them"
		continue
	fi
	json "$report" 'abs($j->{clocks}{monotonic}{error_ppb} - '"${steered#*:}"') < 5e5'
	ok $? "${steered%:*}: CLOCK_MONOTONIC was off by ${steered#*:} ppb"
done
works "a check goes on when a CPU goes away" test "$(status lost)" -le 2
[ "$(status check)" -le 2 ] && json "$shared/check.json" '$j->{cpus} == 1'
ok $? "a check on the CPUs left answers"
done_testing
