#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: core/command/analysis/steady.c core/command/analysis/interval_sums.c
#
# Behaviour: the page of a run says whether it was steady, and if not from when to when which
# IOPS and lat it had. The options --from and --to cut the windows over time of a report without
# intervals. Defect: the parts are swapped, a time is off by a window, I/Os of windows outside
# of the part count, or IOPS are of the whole run.
. "$(dirname "$0")/../../../tap.sh"

cd "$scratch" || exit 1

# says FILE WORDS: the page of FILE has them
says()
{
	run report "$1"
	tr -s ' \n' '  ' <"$out" | grep -qF -- "$2"
	ok $? "$1: $2" "$out"
}

# of FILE PERL [ARGUMENT]...: the first report in the JSON of the page
of()
{
	of_file=$1 of_perl=$2
	shift 2
	run report --json "$@" "$of_file"
	perl -MJSON::PP -0 -e '$j = decode_json(<STDIN>); $j = $j->[0] if ref $j eq "ARRAY";
		exit !eval shift' "$of_perl" <"$out"
	ok $? "$of_file $*: $of_perl" "$out"
}

for run in 'even=1000, 2e6' \
		'middle=$_ >= 30 && $_ < 60 ? (500, 4e6) : (1000, 2e6)' \
		'end=$_ >= 75 ? (500, 4e6) : (1000, 2e6)' \
		'begin=$_ < 20 ? (500, 4e6) : (1000, 2e6)' \
		'drift=int(1000 - 5 * $_), 2e6' \
		'few=2, 2e6'; do
	perl "$root/tests/unit/command/analysis/steady_report.pl" "${run#*=}" >"${run%%=*}.json"
done

says even.json 'steady: IOPS +-0.0'
of even.json '$j->{analysis}{steady}{verdict} eq "steady"'
# Windows 30 to 59 of 64 ms each.
says middle.json 'WARNING: not steady: from 1.92 s to 3.84 s 7812 IOPS, mean lat 4.000 ms; before and after 15625 IOPS, mean lat 2.000 ms'
of middle.json '$j->{analysis}{steady}{verdict} eq "changed" && $j->{analysis}{steady}{from_ns} == 1.92e9 && $j->{analysis}{steady}{to_ns} == 3.84e9'
says end.json 'not steady: until 4.8 s 15625 IOPS, mean lat 2.000 ms; then 7812 IOPS'
of end.json '$j->{analysis}{steady}{part}{mean_ns} == 2e6'
says begin.json 'not steady: until 1.28 s 7812 IOPS, mean lat 4.000 ms; then 15625 IOPS'
says drift.json 'not steady, it drifts: '
of drift.json '$j->{analysis}{steady}{verdict} eq "drifts"'
of few.json '$j->{analysis}{steady}{verdict} eq "not known"'

of middle.json '$j->{ios}{read} == 15000' --from=1.92s --to=3.84s
of middle.json '$j->{jobs}[0]{run_ns} == 30 * 64e6 && $j->{jobs}[0]{first_ns} == 1.92e9' \
	--from=1.92s --to=3.84s
of middle.json '$j->{analysis}{steady}{verdict} ne "changed"' --from=1.92s --to=3.84s
# Rounded outward: windows 29 to 60.
of middle.json '$j->{ios}{read} == 17000 && $j->{analysis}{span}{from_ns} == 1.856e9' \
	--from=1.9s --to=3.85s
of middle.json '$j->{stages}{lat}{read}{sum_ns} == 15000 * 4e6' --from=1.92s --to=3.84s
run report --from=7s middle.json
is "$status" 64 'a part after the end is refused'
has "$err" 'there are 6.400 s' 'with the length of the run'
done_testing
