#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The sums of stages by lat of several jobs are added up, slice by slice, and
# invalid sums are refused. Fails if a slice is lost or counted twice, or if a
# damaged report is believed.
. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/../../../report_files.sh"

# by_lat FILE SLICES: writes the report with these slices of reads
by_lat()
{
	sed '/^"slowest"/d' "$scratch/plain.json" >"$1"
	printf '"stages_by_lat": {"read": [%s]}, "slowest": []}\n' "$2" >>"$1"
}

fast='{"from_ns": 96, "to_ns": 103, "ios": 89, "stages": {"queue": 890, "kernel": 6230, "deliver": 1780}}'
slow='{"from_ns": 896, "to_ns": 959, "ios": 10, "stages": {"queue": 1600, "kernel": 6400, "deliver": 1000}}'
slowest='{"from_ns": 960, "to_ns": 1023, "ios": 1, "stages": {"queue": 50, "kernel": 750, "deliver": 200}}'
write_report "$scratch/plain.json"
by_lat "$scratch/a.json" "$fast, $slow, $slowest"
write_report "$scratch/plain.json" thread=2
by_lat "$scratch/b.json" "$fast, $slow, $slowest"

run report --json "$scratch/a.json" "$scratch/b.json"
is "$status" 0 'two jobs with sums by lat'
has "$out" '"stages_by_lat": {"read": ['\
'{"from_ns": 96, "to_ns": 103, "ios": 178, '\
'"stages": {"queue": 1780, "kernel": 12460, "deliver": 3560}}, '\
'{"from_ns": 896, "to_ns": 959, "ios": 20, '\
'"stages": {"queue": 3200, "kernel": 12800, "deliver": 2000}}, '\
'{"from_ns": 960, "to_ns": 1023, "ios": 2, '\
'"stages": {"queue": 100, "kernel": 1500, "deliver": 400}}]}' \
	'are added up, slice by slice'
cp "$out" "$scratch/first"
run report --json "$scratch/b.json" "$scratch/a.json"
is "$(grep -o '"stages_by_lat.*' "$out")" "$(grep -o '"stages_by_lat.*' "$scratch/first")" \
	'in either order'
write_report "$scratch/plain.json" thread=3
run report --json "$scratch/a.json" "$scratch/plain.json"
is "$(of_json '"@{$r->{lacks}}"')" stages_by_lat 'with a job that has none they are not known'

# refused SLICES WHAT: passes if they are refused
refused()
{
	by_lat "$scratch/bad.json" "$1"
	run report "$scratch/bad.json"
	is "$status" 65 "refused: $2"
}

refused "$slow, $fast" 'not ascending'
refused "$fast, $fast" 'a slice twice'
refused "$fast, $slowest" 'without the I/Os of a slice'
refused '{"from_ns": 96, "to_ns": 102, "ios": 1, "stages": {}}' 'another width'
refused '{"from_ns": 97, "to_ns": 103, "ios": 1, "stages": {}}' 'another beginning'
refused '{"from_ns": 96, "to_ns": 103, "ios": 101, "stages": {}}' 'more I/Os than there are'
refused '{"from_ns": 96, "to_ns": 103, "ios": 18446744073709551615, "stages": {}},
	{"from_ns": 104, "to_ns": 111, "ios": 1, "stages": {}}' 'more than can be counted'
refused '{"from_ns": 96, "to_ns": 103, "ios": 1, "stages": {"queue": 50, "deliver": 54}}' \
	'stages longer than lat'
refused '{"from_ns": 96, "to_ns": 103, "ios": 1, "stages": {"queue": "18446744073709551615", "deliver": 54}}' \
	'a sum of more than 64 bits'
refused '{"from_ns": 96, "to_ns": 103, "ios": 0, "stages": {}}' 'a slice without I/Os'
refused '7' 'no object'
done_testing
