#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tickwise bench measures every figure with its spread. No figure is judged here: this
# machine may be busy. Fails if a name that programs read goes missing, or if rounds do
# not add up. tests/golden/bench.t compares what it prints.
. "$(dirname "$0")/../../../tap.sh"

run_calibrated bench --json --seconds=0.05
if [ "$status" -eq 70 ]; then
	echo "1..0 # SKIP $(cat "$err")"
	exit 0
fi
[ "$status" -eq 0 ] || [ "$status" -eq 2 ]
ok $? "measured, or too disturbed: exit code $status"
is "$(perl -MJSON::PP -0777 -ne '
	my $json = decode_json($_);
	$json->{compiler} =~ /^(gcc|clang) \d/ && $json->{rounds} > 0 or die;
	for my $result (@{$json->{results}}) {
		my ($value, $spread) = @$result{qw(value spread)};
		$value > 0 && $spread->{p10} <= $value && $value <= $spread->{p90} &&
			$result->{rounds} + $result->{disturbed} == $json->{rounds}
			or die $result->{name};
		print "$result->{name} $result->{unit}\n";
	}' "$out" 2>&1)" 'rdtsc_ns ns
to_ns_over_rdtsc ratio
now_over_rdtsc ratio
timespec_over_rdtsc ratio
system_over_now ratio
system_over_rdtsc ratio' 'every name, its unit, values within their spread, rounds that add up'
done_testing
