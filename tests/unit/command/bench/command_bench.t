#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tickwise bench prints every figure with its spread, as a table and as JSON. No
# figure is judged here: this machine may be busy. Fails if a name that programs
# read goes missing, or if the JSON can't be parsed.
. "$(dirname "$0")/../../../tap.sh"

names='rdtsc_ns to_ns_over_rdtsc to_ns_wide_over_rdtsc now_over_rdtsc
now_refined_over_rdtsc timespec_over_rdtsc fio_way_over_rdtsc system_over_now
system_over_rdtsc'

# measured DESCRIPTION: passes if it measured, or reports that it was too disturbed
measured() {
	[ "$status" -eq 0 ] || [ "$status" -eq 2 ]
	ok $? "$1: measured"
	is "$(wc -c <"$err")" 0 'nothing on stderr'
}

run_calibrated bench --seconds=0.05
if [ "$status" -eq 70 ]; then
	echo "1..0 # SKIP $(cat "$err")"
	exit 0
fi
measured 'a table'
for name in $names; do
	grep -qE "^$name +[0-9]+\.[0-9]+ +[0-9.]+ +[0-9.]+( |$)" "$out"
	ok $? "a line of $name"
done
grep -qE '^Built with (gcc|clang) [0-9.]+' "$out"
ok $? 'names the compiler'
grep -qE '^[0-9]+ rounds .* At most [0-9]+ rounds' "$out"
ok $? 'counts rounds and disturbed ones'

run_calibrated bench --json --seconds=0.05
measured 'JSON'
perl -MJSON::PP -e '
	local $/;
	my $json = decode_json(<STDIN>);
	$json->{schema} eq "tickwise-bench" && $json->{version} == 1 or die;
	$json->{compiler} =~ /^(gcc|clang) \d/ && $json->{rounds} > 0 or die;
	for my $result (@{$json->{results}}) {
		my ($value, $spread) = @$result{qw(value spread)};
		$value > 0 && $spread->{p10} <= $value &&
			$value <= $spread->{p90} or die $result->{name};
		$result->{rounds} + $result->{disturbed} == $json->{rounds}
			or die $result->{name};
		print "$result->{name} $result->{unit}\n";
	}' <"$out" >"$scratch/results" 2>"$err"
ok $? 'schema, compiler, values within their spread, rounds that add up'
sed 's/^/# /' "$err"
is "$(sed 's/ .*//' "$scratch/results" | xargs)" "$(echo "$names" | xargs)" \
	'every name, in order'
is "$(sort -u "$scratch/results" | sed 's/.* //' | sort | uniq -c | xargs)" \
	'1 ns 8 ratio' 'their units'

# refuses TEXT ARGUMENT...: passes if the command is refused with this text
refuses() {
	text=$1
	shift
	run bench "$@"
	is "$status $(wc -l <"$err") $(wc -c <"$out")" '64 1 0' \
		"bench $*: exit code 64, one line, no output"
	has "$err" "tickwise bench: $text" "$text"
}

for seconds in 0 -1 0.001 21 nan inf 1x ''; do
	refuses '--seconds takes seconds, 0.02 to 20' "--seconds=$seconds"
done
refuses '--seconds needs a value' --seconds
refuses 'unknown option --jsn' --jsn
refuses "takes no 'file'" --json file

if [ -w /dev/full ]; then
	onto_full() { "$real" "$@" >/dev/full; }
	real=$tickwise tickwise=onto_full
	run_calibrated bench --seconds=0.02 --json
	is "$status" 74 'a full disk: exit code 74'
else
	tap_count=$((tap_count + 1))
	echo "ok $tap_count # SKIP no /dev/full"
fi
done_testing
