#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A report of another minor version is still read. Optional values may be missing,
# and are then shown as not recorded, not as 0. Unknown values are accepted, and
# named where less is shown because of them. Fails if an older or a newer engine's
# report of the same version is refused.
. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/../../../report_files.sh"

write_report "$scratch/a.json"

# without KEY: writes a report without it
without() {
	grep -v "^\"$1\": {" "$scratch/a.json" >"$scratch/b.json"
	cmp -s "$scratch/a.json" "$scratch/b.json" && ok 1 "there was a $1"
	run report "$scratch/b.json"
	is "$status" 0 "without $1"
	has "$out" "not recorded: $2" 'not recorded'
	run report --json "$scratch/b.json"
	has_not "$out" "\"$1\"" 'nor is it in the JSON'
}

without errors errors
without short short
without empty empty
without unaccounted unaccounted
without backwards backwards
without batches batches.enters
sed 's/"slowest"/"slow"/' "$scratch/a.json" >"$scratch/b.json"
run report "$scratch/b.json"
has "$out" 'not recorded: the run over time, the slowest I/Os' 'without slowest, with a new key'

write_report "$scratch/c.json" thread=2
grep -v '^"errors"' "$scratch/a.json" >"$scratch/d.json"
run report "$scratch/c.json" "$scratch/d.json"
has "$out" 'not recorded by all of these jobs: errors' 'one job of two without'
run report --json "$scratch/c.json" "$scratch/d.json"
is "$(of_json '"@{$r->{lacks}} " . ($r->{errors} // "none")')" 'errors none' \
	'no sum that lacks its part, but its name'

sed 's/"queue"/"lunch"/; s/"fio": {"against"/"sundial": {"against"/
	s/"lat": {"read"/"lat": {"peek": 3, "read"/
	s/"name"/"nickname": [], &/' "$scratch/a.json" >"$scratch/b.json"
run report "$scratch/b.json"
is "$status" 0 'a stage, a clock, a direction, a key that nobody knows'
has "$out" 'unknown to this version and left out: stages.lunch
  stages.lat.peek clocks.sundial' 'are named, but for the key' 2>/dev/null
has_not "$out" nickname 'which changes nothing'
run report --json "$scratch/b.json"
has "$out" '"unknown": ["clocks.sundial", "stages.lat.peek", "stages.lunch"]' \
	'in the JSON, too'
# Bins are read apart from the rest, except those that are not a histogram's.
write_report "$scratch/e.json" \
	reasons='{"code": "x", "text": "words", "bins": {"7": 8}}'
sed 's/"slowest": \[/&{"job": 0, "offset": 0, "size": 1, "ddir": "read",\
	"bins": {"9": 1}, "stages": {"lat": 5}}/' "$scratch/e.json" \
	>"$scratch/f.json"
run report --json "$scratch/f.json"
has "$out" '"bins": {"7": 8}' 'a key of a later version that is called bins'
has "$out" '"bins": {"9": 1}' 'in an I/O, too'
done_testing
