#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: a system clock that NTP makes run fast or slow, or that is set, does
# not change the engine's latencies. The report tells by how much CLOCK_MONOTONIC
# was off, and does not blame the counter for it. Defect: latencies in a clock that
# is steered, a jump of the time of day taken for one of the counter's.
. "$(dirname "$0")/boot.sh"

boot steering
ok $? "the machine ran"
for label in fast slow ahead back; do
	is "$(cat "$shared/$label-tickwise.status")" 0 "$label: the job succeeds"
	report=$shared/$label-tickwise.report.json
	json "$report" '
		my $c = $j->{counter}{verdict};
		my $t = $j->{stages}{lat}{read};
		print "# $c; monotonic $j->{clocks}{monotonic}{error_ppb} ppb, ",
			"tickwise $j->{clocks}{tickwise}{error_ppb}, fio ",
			"$j->{clocks}{fio}{error_ppb}; max $t->{max_ns}\n";
		$c ne "unreliable" && $t->{min_ns} > 0 && $t->{max_ns} < 3e9'
	ok $? "$label: the counter is not blamed, latencies are whole"
	is "$(cat "$shared/$label-io_uring.status")" 0 \
		"$label: fio's own engine succeeds"
	case $label in
	fast|slow) what="CLOCK_MONOTONIC steered $label by 0.5 %" ;;
	*) what="the time of day set $label by decades in mid-run" ;;
	esac
	row "$what" "latencies untouched, the steering reported" \
		"$(value "$report" '"$j->{counter}{verdict}; monotonic off by " .
			int($j->{clocks}{monotonic}{error_ppb} / 1000) .
			" ppm, ours by " .
			sprintf("%.3f", $j->{clocks}{tickwise}{error_ppb} / 1000)')" \
		"its clock off by $(value "$report" \
			'int($j->{clocks}{fio}{error_ppb} / 1000)') ppm"
done
# off LABEL PPB: passes if it is 0.5 %, within the crystal's and the calibration's
# own errors, which are under 500 ppm
off()
{
	report=$shared/$1-tickwise.report.json
	if json "$report" '$j->{clocks}{monotonic}{uncertainty_ppb} > 2e5'; then
		skip "$1: the clocks were read with too much between them"
		return
	fi
	json "$report" 'abs($j->{clocks}{monotonic}{error_ppb} - '"$2"') < 5e5'
	ok $? "$1: CLOCK_MONOTONIC was off by $2 ppb"
}
off fast 5000000
off slow -5000000
for label in fast slow ahead back; do
	json "$shared/$label-tickwise.report.json" '
		my $c = $j->{clocks}{tickwise};
		abs($c->{error_ppb}) <= $c->{uncertainty_ppb} +
			($c->{rate_bound_ppb} // 0)'
	ok $? "$label: our clock agrees with CLOCK_MONOTONIC_RAW within its bounds"
done
done_testing
