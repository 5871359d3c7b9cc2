#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What is no report is refused in one line with the file's name, its fault and the
# right exit code, and then no other file is shown either. Fails if a damaged report
# is shown, or if it crashes the program.
. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/../../../report_files.sh"

bad=$scratch/bad.json
good=$scratch/good.json
write_report "$good"
write_report "$scratch/other.json" thread=2

# refuses CODE TEXT DESCRIPTION: passes if $bad is refused, between two good ones
refuses() {
	run report "$good" "$bad" "$scratch/other.json"
	is "$status" "$1" "$3: exit code $1"
	is "$(wc -l <"$err") $(wc -c <"$out")" '1 0' 'one line, no output'
	has "$err" "tickwise report: $bad: " 'which file'
	has "$err" "$2" "and why: $2"
}

# edit SED-SCRIPT: makes $bad of the good one
edit() {
	sed "$1" "$good" >"$bad"
	! cmp -s "$good" "$bad" || ok 1 "the script $1 changed something"
}

refuses 66 'No such file' 'a missing file'
mkdir "$scratch/directory"
bad=$scratch/directory
refuses 66 'directory' 'a directory'
bad=$scratch/bad.json
: >"$bad"
refuses 65 'line' 'an empty file'
printf 'latency: 3 us\n' >"$bad"
refuses 65 'not JSON: line 1, column' 'a text'
head -c 4096 /dev/urandom >"$bad"
refuses 65 'line' 'random bytes'
printf '{"schema": "tickwise-report"\n,,}' >"$bad"
refuses 65 'line 2, column' 'a wrong comma'
head -c 700 "$good" >"$bad"
refuses 65 'cut off' 'half a report'
{ cat "$good"; echo '{}'; } >"$bad"
refuses 65 'report 2: not a report' 'something behind the report'
awk 'BEGIN { for (i = 0; i < 1000000; i++) printf "[" }' >"$bad"
refuses 65 'depth' 'a million brackets'
echo '[]' >"$bad"
refuses 65 'not a report' 'an array'
echo '{"schema": "fio"}' >"$bad"
refuses 65 'not a report' 'another schema'
echo '{"schema": ["tickwise-report"]}' >"$bad"
refuses 65 'not a report' 'a schema of the wrong type'
for version in 0 2 3; do
	edit "s/\"version\": 1,/\"version\": $version,/"
	refuses 65 "version $version of the report; this program reads version 1 \
only: run the job again with the engine of this program" "version $version"
done
edit 's/"version": 1,/"version": "x",/'
refuses 65 'version is not a whole number' 'a version that is none'

edit 's/"error_ns": 1.5/"error_ns": NaN/'
refuses 65 'line' 'NaN'
edit 's/"error_ns": 1.5/"error_ns": 1e999/'
refuses 65 'real number overflow' 'infinity'
edit 's/"read": 100,/"read": 99999999999999999999,/'
refuses 65 'too big' 'a count of more than 64 bits'
edit 's/"read": 100,/"read": -1,/'
refuses 65 'ios.read is not a whole number of 0 or more' 'a negative count'
edit 's/"read": 100,/&&/'
refuses 65 'duplicate' 'a key twice'
edit 's/"ios": {"read": 100,/"ios": {"read": 99,/'
refuses 65 'stages.queue.read counts more than ios.read' 'more stages than I/Os'
edit 's/"deliver": {"read": {/"deliver": {"write": {/
	s/"ios": {"read": 100, "write": 0/"ios": {"read": 100, "write": 99/'
refuses 65 'stages.deliver.write counts more than ios.write' 'also of writes'
edit 's/"submitting_call": {"read"/"submitting_call": {"write"/'
refuses 65 'submitting_call.write counts more than ios.write' 'more calls than I/Os'
write_report "$bad" slow=1001
sed -n '/^"kernel"/,/^"deliver"/p' "$bad" >"$scratch/kernel"
sed -e '/^"kernel"/,/^"deliver"/{/^"deliver"/!d;}' "$good" |
	sed "/^\"stages\"/,/^\"deliver\"/{/^\"deliver\"/{
		r $scratch/kernel
		d;};}" >"$bad"
refuses 65 'the parts of stages.lat.read add up to more than it' \
	'one nanosecond more in a stage than in lat'
edit 's/"ios": {"read": 100,/"ios": {/'
refuses 65 'ios.read is missing' 'a missing count'
edit 's/"name": "randread",//'
refuses 65 'jobs[].name is missing' 'a job without a name'
edit 's/"name": "randread"/"name": {}/'
refuses 65 'jobs[].name is not a string' 'a name of the wrong type'
edit 's/"jobs":/"hobs":/'
refuses 65 'jobs is missing' 'no jobs'
io='{"job": 0, "offset": 0, "size": 1, "ddir": "read", "stages": {"lat": 5}}'
edit "s/\"jobs\":/\"hobs\":/; s/\"slowest\": \[/&$io, $io/"
refuses 65 'jobs is missing' 'two slow I/Os without jobs'
edit 's/"jobs": \[{.*/"jobs": [],/; /^"subjob_number"/d; /^"first_ns"/d
	/^"engine"/d; /^"iodepth"/d; /^"fallback"/d'
refuses 65 'jobs is empty' 'no job'
edit 's/"counter":/"counters":/'
refuses 65 'counter is missing' 'no word on the counter'
edit 's/"verdict": "reliable"/"verdict": "fine"/'
refuses 65 'counter.verdict' 'an unknown verdict'
edit 's/"fallback": false/"fallback": 0/'
refuses 65 'jobs[].fallback' 'a fallback that is not true or false'
edit 's/"event_time": false/"event_time": 0/'
refuses 65 'jobs[].event_time is not true or false' \
	'an event time that is not true or false'
edit 's/"reasons": \[\]/"reasons": [3]/'
refuses 65 'counter.reasons[] is not an object' 'reasons without a code'
reasons() {
	edit "s/\"reasons\": \[\]/\"reasons\": [$(seq -s, "$1" "$2" |
		sed 's/[0-9]*/{"code": "c&", "text": "x"}/g')]/"
}
reasons 101 165
refuses 65 'counter.reasons has more than 64 reasons' '65 reasons'
# Of two reports with 64 the first ones by code are kept, in each order of the files.
reasons 101 164
cp "$bad" "$scratch/most.json"
reasons 133 196
sed 's/"thread_number": 1/"thread_number": 2/' "$bad" >"$scratch/more.json"
for files in 'most more' 'more most'; do
	# shellcheck disable=SC2086	# names
	run report --json "$scratch/${files% *}.json" "$scratch/${files#* }.json"
	is "$(of_json 'my $c = $r->{counter}{reasons};
		scalar(@$c) . " $c->[0]{code} $c->[-1]{code}"')" '64 c101 c164' \
		"64 reasons and 64 others: $files"
done
cp "$out" "$scratch/merged.json"
run report --json "$scratch/merged.json"
is "$status" 0 'what is merged can be read'

# options FROM TO: prints options of these numbers
options() {
	echo "\"options\": {$(seq -s, "$1" "$2" | sed 's/[0-9]*/"o&": "x"/g')},"
}
edit "s/\"counter\":/$(options 1 513) &/"
refuses 65 'options: a job has more than 512 options' '513 options of all jobs'
edit "s/\"groupid\":/$(options 1 513) &/"
refuses 65 'jobs[].options: a job has more than 512 options' 'or of a job'
edit "s/\"counter\":/$(options 1 300) &/; s/\"groupid\":/$(options 300 513) &/"
refuses 65 'jobs[].options: a job has more than 512 options' 'or together'
edit "s/\"counter\":/$(options 1 300) &/; s/\"groupid\":/$(options 300 512) &/"
run report --json "$bad"
is "$status $(of_json 'scalar keys %{$r->{options}}')" '0 512' '512 are not refused'
edit "s/\"counter\":/$(options 1 512) &/; s/\"groupid\":/\"options\": {}, &/"
run report --json "$bad"
is "$status $(of_json 'scalar keys %{$r->{options}}')" '0 512' 'nor if a job has no other'
edit 's/"queue": {"read":/"queue": [3], "lunch": {"read":/'
refuses 65 'stages.queue is not an object' 'a stage of the wrong type'
edit 's/"submitting_call": {"read":/"submitting_call": [3], "x": {"read":/'
refuses 65 'submitting_call is not an object' 'submitting calls of the wrong type'
edit 's/"50": 1\b/"50": 2/'
refuses 65 'stages.queue.read: the bins do not add up' 'a broken histogram'
edit 's/"uncertainty_ns": 25.0/"uncertainty_ns": -25.0/'
refuses 65 'clocks.fio.uncertainty_ns is negative' 'a negative uncertainty'
edit 's/"slowest": \[\]/"slowest": 3/'
refuses 65 'slowest is not an array' 'slowest of the wrong type'
slow='"job": 0, "offset": 0, "size": 1, "ddir": "read", "stages": {"lat": 7}'
edit "s/\"slowest\": \[\]/\"slowest\": [{$slow}, 3]/"
refuses 65 'slowest[] is not an object' 'a slow I/O that is none'
edit "s/\"slowest\": \[\]/\"slowest\": [{$slow}]/; s/\"job\": 0/\"job\": 1/"
refuses 65 'slowest[].job is not the index of a job' 'a slow I/O of no job'
edit "s/\"slowest\": \[\]/\"slowest\": [{$slow}]/; s/\"lat\": 7}/\"lat\": -1}/"
refuses 65 'slowest[].stages.lat' 'a slow I/O that took less than no time'
edit "s/\"slowest\": \[\]/\"slowest\": [{$slow}]/
	s/\"lat\": 7}/\"queue\": 3, \"kernel\": 5, \"lat\": 7}/"
refuses 65 'slowest[].stages add up to more than lat' \
	'a slow I/O with stages that are longer than it'
edit "s/\"slowest\": \[\]/\"slowest\": [{$slow, \"submitting_call_ns\": {}}]/"
refuses 65 'slowest[].submitting_call_ns' 'a submitting call that is no time'
edit "s/\"slowest\": \[\]/\"slowest\": [{$slow}]/; s/\"ddir\": \"read\"/\"ddir\": 0/"
refuses 65 'slowest[].ddir' 'a slow I/O of no direction'
for ios in 101 100; do
	edit "s/\"slowest\": \[\]/\"slowest\": [$(seq -s, $ios | sed "s/[0-9]*/{$slow}/g")]/"
	[ $ios -eq 101 ] || break
	refuses 65 'slowest has more I/Os than ios' 'more slow I/Os than I/Os'
done
run report "$bad"
is "$status" 0 'a list of all I/Os is not refused'

# over_time TEXT: makes $bad of the good one with this text
over_time() {
	edit "s/\"slowest\":/\"over_time\": $1, &/"
}
one='{"start": "1700000000000000000", "read": {"digits": 1, "count": 1, "min_ns": 5,'\
' "max_ns": 5, "sum_ns": "5", "sum_squares_ns2": "25", "bins": {"5": 1}}}'
# windows WINDOW...: the same with these windows of 1 ms
windows() {
	over_time "{\"width_ns\": 1000000, \"windows\": [$(IFS=,; echo "$*")]}"
}
over_time '[]'
refuses 65 'over_time: not an object' 'over_time of the wrong type'
over_time '{"width_ns": 1500000, "windows": []}'
refuses 65 'over_time: width_ns is not 1 ms, doubled' 'windows of another width'
over_time '{"width_ns": 1000000}'
refuses 65 'over_time: windows is not an array' 'no windows'
windows 3
refuses 65 'over_time: start is not' 'a window that is none'
windows "$one" "$one"
refuses 65 'over_time: the windows are not in ascending order' 'a window twice'
windows "$(echo "$one" | sed 's/"17000/"18000/')" "$one"
refuses 65 'over_time: the windows are not in ascending order' 'an earlier window'
windows "$one" "$(echo "$one" | sed 's/000000000"/128000000"/')"
refuses 65 'over_time: the windows are more than 128 widths apart' 'a run of more windows'
windows "$(echo "$one" | sed 's/000"/001"/')"
refuses 65 'over_time: start is not where a window begins' 'a window between two'
windows '{"start": "1700000000000000000"}'
refuses 65 'over_time: a window has no I/O and no error' 'an empty window'
windows "$(echo "$one" | sed 's/"digits": 1/"digits": 2/')"
refuses 65 'over_time: digits is not' 'other digits'
windows "$(echo "$one" | sed 's/"max_ns": 5/"max_ns": 4/')"
refuses 65 'over_time: ' 'a window with crossed extremes'
windows "$(echo "$one" | sed 's/"read"/"write"/')"
refuses 65 'over_time counts more than ios.write' 'more in windows than I/Os'
edit 's/"slowest":/"response": [], &/'
refuses 65 'response is not an object' 'response times of the wrong type'
edit 's/"slowest":/"response": {"slip": {"read": 3}}, &/'
refuses 65 'response.slip.read: not an object' 'a slip that is no histogram'

# Values that are no bins, and keys that occur twice.
edit 's/"100": 89\b/"100": "89"/; s/"900": 10\b/"900": 0/'
refuses 65 'stages.lat.read: a bin is empty' \
	'an empty bin behind a count as a string'
edit 's/"100": 89\b/&, "100": 89/'
refuses 65 'duplicate' 'the same bin twice'
edit 's/"bins": {[^}]*}/"bins": 0/'
refuses 65 'bins is not an object' 'a number in place of bins'
edit '0,/"bins":/s/"bins": {[^}]*}/"b\\u0069ns": 0/'
refuses 65 'bins is not an object' 'the same under a key with an escape'
done_testing
