#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: over a run of a second the engine's clock agrees with
# CLOCK_MONOTONIC_RAW within the hard bounds of its rate and of the two comparisons.
# Defect: a rate of another clock, a bound that does not hold, a scale that is
# wrong.
#
# A hard bound has no noise in it: other programs make it wider.
. "$(dirname "$0")/../fio/fio_tap.sh"

run_fio --name=c --filename=data --size=4m --rw=randread --bs=4k \
	--time_based=1 --runtime=1 --tw_report=c.json
ok $? 'a job'
if json c.json '$j->{clocks}{tickwise}{source} eq "system"'; then
	skip "the counter is not used here: $(head -n 1 err)"
	done_testing
fi
from_json c.json 'my $t = $j->{clocks}{tickwise};
	printf "# rate: %s; off by %.1f ns, that is %.1f ppb; readings known to " .
		"%.1f ns, rate bound %.1f ppb\n", $t->{source}, $t->{error_ns},
		$t->{error_ppb}, $t->{uncertainty_ns}, $t->{rate_bound_ppb};
	my $f = $j->{clocks}{fio};
	printf "# fio: %s is off by %.1f ppb\n", $f->{clocksource}, $f->{error_ppb}'
# Two roundings to a nanosecond.
json c.json 'my $t = $j->{clocks}{tickwise};
	abs($t->{error_ns}) <= $t->{uncertainty_ns} + 2 +
		$t->{over_ns} * $t->{rate_bound_ppb} * 1e-9'
ok $? 'the clock is off by no more than it can be'
done_testing
