#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: the windows over time of several jobs are put into those of the widest, or
# into wider ones, so that there are 128 at most. The page shows them in up to 20 rows,
# from the first I/O to the end of the last. Defect: a window is counted twice, not at
# all, or where it does not belong; the order of the files matters; a rate is that of
# a window of which the run has a part only.
. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/../../../report_files.sh"

cd "$scratch" || exit 1
start_ms=1700000000000

# windows FILE MS WINDOW-COUNT... [variable=value]...: writes a report with windows of
# that many milliseconds. WINDOW is its number from the job's start; it has COUNT reads of
# 100 ns and one of 200 ns and as many ns more as its number.
windows()
{
	windows_file=$1 width=$2 list=
	shift 2
	while [ $# -gt 0 ]; do
		case $1 in *=*) break ;; esac
		list="$list${list:+, }{\"start\": \"$((start_ms + ${1%-*} * width))000000\",
			\"read\": $(digits=1; counted 100 "${1#*-}" $((${1%-*} + 200)) 1)}"
		shift
	done
	write_report plain.json "$@"
	{
		sed '/^"slowest"/d' plain.json
		echo "\"over_time\": {\"width_ns\": ${width}000000, \"windows\": [$list]},"
		echo '"slowest": []}'
	} >"$windows_file"
}

# merged FILE...: prints the width in ms and "WINDOW-COUNT-MAX" of each window
merged()
{
	run report --json "$@"
	of_json 'my $o = $r->{over_time}; my $ms = $o->{width_ns} / 1e6;
		join " ", $ms, map { ($_->{start} / 1e6 - '$start_ms') / $ms .
		"-$_->{read}{count}-$_->{read}{max_ns}" } @{$o->{windows}}'
}

windows 1.json 4 0-1 2-3 5-4
windows 2.json 1 1-1 2-2 8-1 11-4 22-1 thread=2
both='4 0-7-202 2-11-211 5-7-222'
is "$(merged 1.json 2.json)" "$both" 'narrow windows go into wide ones'
cp "$out" one
is "$(merged 2.json 1.json)" "$both" 'of whichever job'
cmp -s one "$out"
ok $? 'with the same bytes'
run report --json one
cmp -s one "$out"
ok $? 'which read again are the same, too'
windows 3.json 1 3-1 130-1 thread=3
is "$(merged 2.json 3.json)" '2 0-2-201 1-5-203 4-2-208 5-5-211 11-2-222 65-2-330' \
	'129 windows from the first to the last are too many'
windows 3.json 1 3-1 128-1 thread=3
is "$(merged 2.json 3.json | cut -d' ' -f1)" 1 '128 are not'
write_report plain.json thread=4
is "$(merged 1.json plain.json)" 0 'of a job without them the sum is not known'
run report --json 1.json plain.json
is "$(of_json '$r->{lacks}')" '["over_time"]' 'and that is told'
windows 5.json 3 0-1
run report 5.json
is "$status" 65 'another width is refused'
has "$err" 'over_time: width_ns is not 1 ms, doubled some times' 'with that reason'
windows 5.json 1 0-60 1-60
run report 5.json
has "$err" 'over_time counts more than ios.read' 'more I/Os than the job has are, too'
sed 's/"sum_ns": "[0-9]*"/"sum_ns": "18446744073709551615"/' 1.json >5.json
run report 5.json
is "$status" 65 'and sums that are none of these I/Os'

# ---- on the page ----

# table FILE...: prints the table of the run over time
table()
{
	run report "$@"
	sed -n '/^read over time/,/^  perc/p' "$out" | sed '1,2d;$d'
}

windows 1.json 1024 0-9 1-29 2-9 run_ns=3000000000
is "$(table 1.json | tr -s ' ')" ' 0 ns 1.024 s 9.766 110 ns 103 ns - - 200 ns
 1.024 s 1.024 s 29.30 103.4 ns 103 ns - - 201 ns
 2.048 s 952.0 ms 10.50 110.2 ns 103 ns - - 202 ns' \
	'a row for each window, the last one until the end of the run'
windows 1.json 1024 0-9 1-9 2-9 run_ns=2148000000
is "$(table 1.json | awk '{ print $1 $2, $3 $4, $5 }')" '0ns 1.024s 9.766
1.024s 1.124s 17.79' 'a last window that is short is in the row before'
windows 2.json 1 0-9 run_ns=3000000
is "$(table 2.json)" '' 'one window is no table'
# shellcheck disable=SC2046	# words
windows 1.json 1024 $(seq -f '%g-1' 0 44) run_ns=46080000000
is "$(table 1.json | awk '{ print $1 ":" $12 }' | tr '\n' ' ')" \
	"0:202 3.072:205 6.144:208 9.216:211 12.29:214 15.36:217 18.43:220 21.50:223 \
24.58:226 27.65:229 30.72:232 33.79:235 36.86:238 39.94:241 43.01:244 " \
	'of 45 windows three in a row, each with its maximum'
is "$(awk 'length > 79' "$out")" '' 'in 79 columns'
run report --html=page 1.json
has page '<details><summary>read over time, from the start of the first job</summary>' \
	'in HTML it is folded'
# points FILE: prints the number of points of the rate
points()
{
	run report --html=page "$1"
	perl -ne '/<h4>I.Os over time/ ... /<\/svg>/ and
		/class="s20" d="([^"]*)"/ and print scalar(() = $1 =~ /[ML]/g)' page
}

windows 3.json 1024 0-9 1-19 2-9 run_ns=2148000000
is "$(points 3.json)" 2 'a last window that is short makes no rate'
windows 3.json 1024 0-9 1-19 2-9 run_ns=3000000000
is "$(points 3.json)" 3 'a longer one does'
perl -0pe 's/"start": "17(?=\d+",\s+"read)/"start": "16/g' 3.json >early.json
is "$(table early.json | awk '{ print $5 }' | sort -u)" - \
	'windows before the start of the job have no rate'
perl -0pe 's/"start": "\d+",/$& "errors": {"read": 3},/g' 1.json >2.json
table 2.json >rows
has rows '9 errors' 'errors are in their row'
done_testing
