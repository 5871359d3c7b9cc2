#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The HTML page draws what the report has: the I/Os at a percentile by stage, a heat
# map if there are files of intervals, and stalls at their times, with their causes.
# Fails if a bar has another one's stages, if a cell of the heat map is missing, or
# if a stall is at another time. Fails also if something is drawn that no report
# has.
. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/../../../report_files.sh"
. "$(dirname "$0")/../../../well_formed.sh"

cd "$scratch" || exit 1
case $tickwise in /*) ;; *) tickwise=$OLDPWD/$tickwise ;; esac

# ---- by stage ----

# All histograms ten times: then one I/O in a hundred is above p99.
# hundred_times FILE
hundred_times() {
	perl -0777 -pe 's/"(\d+)": (89|10|1)(?=[,}])/"\"$1\": " . $2 * 100/ge;
		s/"count": (100|99|1)\b/"\"count\": " . $1 * 100/ge;
		s/"(sum_ns|sum_squares_ns2)": "(\d+)"/"\"$1\": \"$2" . "00\""/ge;
		s/"ios": \{"read": 100/"ios": {"read": 10000/; s/"slowest": \[\]\}\s*$//' "$1"
}
write_report plain.json
hundred_times plain.json >many.json
cp many.json bare.json
cat >>many.json <<END
"stages_by_lat": {"read": [
{"from_ns": 96, "to_ns": 103, "ios": 8900, "stages": {"queue": 89000, "kernel": 623000, "deliver": 178000}},
{"from_ns": 896, "to_ns": 959, "ios": 1000, "stages": {"queue": 160000, "kernel": 640000, "deliver": 100000}},
{"from_ns": 960, "to_ns": 1023, "ios": 100, "stages": {"queue": 5000, "kernel": 75000, "deliver": 20000}}]},
"slowest": []}
END
echo '"slowest": []}' >>bare.json
run report --html=page many.json
is "$status$(cat "$err")" 0 'a report of 10000 I/Os'
well_formed page 'with bars of stages'
has page '>mean: 189 ns, of 10000 I/Os</text>' 'a bar of the mean'
has page '>p99.9: 1.000 us, of 100 I/Os from 960 ns up</text>' 'and of p99.9'
has page '>p99: 900 ns, of 1100 I/Os from 896 ns up</text>' 'and of p99'
is "$(grep -o '<title>[a-z]*: [0-9.]* %' page | sed 's/<title>//' | tr '\n' ' ')" \
	'queue: 13.4 % kernel: 70.8 % deliver: 15.8 % queue: 16.5 % kernel: 71.5 % deliver: 12 % queue: 5 % kernel: 75 % deliver: 20 % ' \
	'each with its own stages'
has page 'read: p99.9 is 1.000 us. The time of the 100 I/Os from 960 ns up: kernel 75 %, deliver 20 %, queue 5 %' \
	'a sentence on the same I/Os'
sed 's/"slowest": \[\]/"slowest": [{"job": 0, "offset": 8192, "size": 4096, "ddir": "read",\
"monotonic_ns": "1000000", "stages": {"deliver": 1023, "lat": 1023}}]/' many.json >slow.json
run report slow.json
has "$out" 'read: p99.9 is 1.000 us. The time of the 100 I/Os from 960 ns up: kernel 75 %,' \
	'which are all of them, not the slowest alone'
has page '<tr><th scope="row" class="text">p99</th><td>1000</td><td>900 ns</td><td>160 ns</td><td>640 ns</td><td>100 ns</td></tr>' \
	'the same as numbers'
# The slowest hundred lack stamps, and only they.
write_report most.json split=most
hundred_times most.json >lacking.json
cat >>lacking.json <<END
"stages_by_lat": {"read": [
{"from_ns": 96, "to_ns": 103, "ios": 8900, "stages": {"queue": 89000, "submit": 44500, "blockq": 89000, "device": 356000, "complete": 89000, "reap": 44500, "deliver": 178000}},
{"from_ns": 896, "to_ns": 959, "ios": 1000, "stages": {"queue": 160000, "submit": 30000, "blockq": 60000, "device": 400000, "complete": 100000, "reap": 50000, "deliver": 100000}},
{"from_ns": 960, "to_ns": 1023, "ios": 100, "stages": {"queue": 5000, "kernel": 75000, "deliver": 20000}}]},
"slowest": []}
END
run report --html=page lacking.json
is "$status$(cat "$err")" 0 'a report whose slowest I/Os lack stamps'
has page '>p99.9</th><td>100</td><td>1.000 us</td><td>50 ns</td><td>-</td><td>-</td><td>-</td><td>-</td><td>-</td><td>750 ns</td><td>200 ns</td></tr>' \
	'what was not measured is no 0'
has page '>p50</th><td>8900</td><td>100 ns</td><td>10 ns</td><td>5 ns</td><td>10 ns</td><td>40 ns</td><td>10 ns</td><td>5 ns</td><td>-</td><td>20 ns</td></tr>' \
	'nor is the stage that no I/O has'
run report --html=page bare.json
is "$(grep -c 'of 10000 I/Os</text>' page) $(grep -c '>p99: ' page)" '1 0' \
	'a report without these sums has the mean alone'
# With one job only, not all I/Os are known.
sed 's/"thread_number": 1/"thread_number": 2/' bare.json >other.json
run report --html=page many.json other.json
is "$(grep -c 'of 20000 I/Os</text>' page) $(grep -c '>p99: ' page)" '1 0' \
	'and so have two of which one lacks them'

# ---- of bounded size ----

# 1900 bins, of other numbers of I/Os: what is too small to see is left out of a line.
bins=$(perl -e '
	my ($count, $sum, $squares, @bins) = (0, 0, 0);
	for my $ns (100 .. 1999) {
		my $ios = 1 + int(1e6 / ($ns * $ns)) + $ns * 7919 % 13;

		push @bins, "\"$ns\": $ios";
		$count += $ios;
		$sum += $ns * $ios;
		$squares += $ns * $ns * $ios;
	}
	print $count, " ", "{\"digits\": 3, \"count\": $count, \"min_ns\": 100, ",
		"\"max_ns\": 1999, \"sum_ns\": \"$sum\", ",
		"\"sum_squares_ns2\": \"$squares\", ",
		"\"bins\": {", join(", ", @bins), "}}"')
sed -e '/^"slowest"/d' -e "s/\"ios\": {\"read\": 100/\"ios\": {\"read\": ${bins%% *}/" \
	plain.json | perl -0777 -pe 's/"stages": .*?(?="submitting_call")//s' >wide.json
echo "\"stages\": {\"lat\": {\"read\": ${bins#* }}}, \"slowest\": []}" >>wide.json
run report --html=page wide.json
is "$status$(cat "$err")" 0 'a report of 1900 bins'
[ "$(grep 'class="s5" d="M[0-9]' page | wc -c)" -lt 3000 ]
ok $? "its line takes $(grep 'class="s5" d="M[0-9]' page | wc -c) bytes, less than 3000"

# ---- over time ----

over_time="\"over_time\": {\"width_ns\": 1024000000, \"windows\": [{\"start\":
	\"1700000000000000000\", \"read\": $(digits=1; counted 100 59 5000000 1)}, {\"start\":
	\"1700000001024000000\", \"read\": $(digits=1; counted 100 39 900 1)}]}"
slow='"slowest": [{"job": 0, "offset": 0, "size": 4096, "ddir": "read", "monotonic_ns":
	"77495000000", "stages": {"queue": 0, "kernel": 5000000, "deliver": 0,
	"lat": 5000000}}]'
write_report plain.json run='"start_monotonic_ns": "77000000000",'
{ sed '/^"slowest"/d' plain.json; echo "$over_time, $slow}"; } >stalled.json
run report --html=page stalled.json
is "$status$(cat "$err")" 0 'a report with a stall'
well_formed page 'with a stall'
# 86 and 594 are 0 and 2.048 s.
has page 'cx="210.0" cy="' 'it is seen 0.5 s after the start'
has page '<title>stall 1: lat 5.000 ms</title>' 'with its lat'
has page '<text class="tag" x="206.0"' 'and its number'
has page '<figcaption>stalls: 1: 5.000 ms in kernel, 1 I/O.</figcaption>' 'what it was'
run report --html=page plain.json
is "$(grep -c 'class="h[0-9]"' page)" 0 'without windows over time there is no heat map'
sed 's/"start_monotonic_ns": "77000000000",//' stalled.json >unknown.json
run report --html=page unknown.json
has_not page 'stall 1' 'an older report does not tell when it was'

# ---- a heat map ----

write_report one.json
write_intervals one.jsonl
run report --html=page one.jsonl
is "$status$(cat "$err")" 0 'a file of intervals'
well_formed page 'with a heat map'
has page '<h4>Heat map of lat</h4>' 'a heat map'
# Two windows have 89 I/Os of 100 ns, three have 10 of 900 ns, one of these the slowest.
is "$(sed -n '/<h4>Heat map of lat/,/<\/svg>/p' page | grep 'class="h' | grep -o 'z' | wc -l)" 6 \
	'of six cells'
is "$(sed -n '/<h4>Heat map of lat/,/<\/figure>/p' page | grep -o '[0-9]*</span>' |
	tr -d '</span>' | tr '\n' ' ')" '1 2 4 6 10 17 29 49 ' 'the legend reaches to the largest'
done_testing
