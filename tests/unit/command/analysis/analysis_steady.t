#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: core/command/analysis/steady.c core/command/analysis/changed_with.c
# Tests: core/command/analysis/interval_sums.c
#
# Behaviour: the page of a run says whether it was steady, and if not when which IOPS and lat it
# had. The options --from and --to cut the windows over time of a report without
# intervals. Defect: the parts are swapped, a time is off by a window, I/Os of windows outside
# of the part count, or IOPS are of the whole run.
. "$(dirname "$0")/../../../tap.sh"

cd "$scratch" || exit 1

# says FILES WORDS: the page of FILES has them
says()
{
	# shellcheck disable=SC2086
	run report $1
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
		'levels=1000, (1, 3, 2, 4, 1, 3)[($_ >= 10) + ($_ >= 16) + ($_ >= 33) + ($_ >= 52) + ($_ >= 73)] * 1e6' \
		'drift=int(1000 - 5 * $_), 2e6' \
		'high=1000, $_ < 40 ? 1e6 : $_ < 80 ? 3e6 : 3e7' \
		'other_times=$_ < 70 ? 1000 : 500, $_ < 25 ? 1e6 : 4e6' \
		'nothing=$_ >= 30 && $_ < 50 ? (0, 0) : (1000, 2e6)' \
		'noisy=1000, $_ >= 70 ? 9e7 : $_ * 7919 % 17 ? 1e6 : 3e7' \
		'few=2, 2e6'; do
	perl "$root/tests/unit/command/analysis/steady_report.pl" "${run#*=}" >"${run%%=*}.json"
done

says even.json 'steady: IOPS +-0.0'
of even.json '$j->{analysis}{steady}{verdict} eq "steady"'
# Windows 30 to 59 of 64 ms each.
says middle.json 'WARNING: not steady; quote the longest part, from 3.84 s to 6.4 s: 15625 IOPS +-0.026 %, mean lat 2.000 ms +-0 %'
says middle.json '- the rest: 15625 IOPS, 2.000 ms (from 0 to 1.92 s); 7812 IOPS, 4.000 ms (from 1.92 s to 3.84 s)'
run report middle.json
cp "$out" without_html
run report --html=middle.html middle.json
is "$(cat "$out")" "$(cat without_html)" "the text of a page that is written in HTML, too, is the same"
of middle.json '$j->{analysis}{steady}{verdict} eq "changed" && $j->{analysis}{steady}{quoted} == 2'
of middle.json '$j->{analysis}{steady}{parts}[1]{from_ns} == 1.92e9 && $j->{analysis}{steady}{parts}[1]{to_ns} == 3.84e9'
says end.json 'longest part, from 0 to 4.8 s: 15625 IOPS +-0.019 %, mean lat 2.000 ms +-0 % - the rest: 7812 IOPS'
of end.json '$j->{analysis}{steady}{parts}[0]{mean_ns} == 2e6'
# The first I/O begins a little after the job.
sed 's/"first_ns":0/"first_ns":1256897/' middle.json >later.json
says later.json '- the rest: 15626 IOPS'
says begin.json 'longest part, from 1.28 s to 6.4 s: 15625 IOPS +-0.018 %, mean lat 2.000 ms +-0 % - the rest: 7812 IOPS'
says levels.json '- of the 5 other parts the slowest had'
of levels.json '@{$j->{analysis}{steady}{parts}} == 6 && $j->{analysis}{steady}{parts}[5]{from_ns} == 4.672e9'
# With an error of more than half, no level is known.
says noisy.json 'WARNING: not steady, so quote no part; the longest, from 0 to 4.48 s: 15625 IOPS'
of noisy.json '$j->{analysis}{steady}{verdict} eq "changed" && !exists $j->{analysis}{steady}{quoted} && $j->{analysis}{steady}{mean_error} > 0.5'
# Before the mean, which it disproves.
says drift.json '6.4 s WARNING: not steady, it drifts, so quote no part; from 0 to 3.2 s: 13711 IOPS, mean lat 2.000 ms, then 9805 IOPS (-28 %), 2.000 ms (+0 %) IOPS MiB/s'
of drift.json '$j->{analysis}{steady}{verdict} eq "drifts" && !exists $j->{analysis}{steady}{quoted} && @{$j->{analysis}{steady}{parts}} == 2'
of few.json '$j->{analysis}{steady}{verdict} eq "not known"'
says few.json '6.4 s too short, or too few I/Os, to tell whether it was steady IOPS MiB/s'
# The levels of each change differ by 10 %, also if another one is much higher; IOPS and lat may
# change at other times; in a part nothing ended.
says high.json 'longest part, from 0 to 2.56 s: 15625 IOPS +-0.026 %, mean lat 1.000 ms +-0 % - the rest: 15625 IOPS, 3.000 ms (from 2.56 s to 5.12 s); 15625 IOPS, 30.00 ms (from 5.12 s to 6.4 s)'
says other_times.json '- the rest: 15624 IOPS, 1.000 ms (from 0 to 1.6 s); 7812 IOPS, 4.000 ms (from 4.48 s to 6.4 s)'
says nothing.json 'no I/Os (from 1.92 s to 3.2 s)'
of nothing.json '$j->{analysis}{steady}{parts}[1]{iops} == 0 && !exists $j->{analysis}{steady}{parts}[1]{mean_ns}'

# What others had of the whole run is printed, if it is much.
for case in '0.02, 0.3, 0|; CPU time of others 30 %, stolen time 2 %' '0.009, 0.09, 1e8|'; do
	perl "$root/tests/unit/command/analysis/steady_report.pl" '1000, 2e6' "(${case%|*})" >taken.json
	run report --json taken.json
	is "$(sed -n 's/.*"text": "steady: IOPS [^;"]*\([^"]*\)".*/\1/p' "$out")" "${case#*|}" \
		"others had ${case%|*} of the run"
done

# with RUN SAMPLE WORDS: what changed with it is named, and when; without WORDS nothing is
with()
{
	case $1 in
	middle) run='$_ >= 30 && $_ < 60 ? (500, 4e6) : (1000, 2e6)' ;;
	begin) run='$_ < 30 ? (500, 4e6) : (1000, 2e6)' ;;
	end) run='$_ >= 60 ? (500, 4e6) : (1000, 2e6)' ;;
	esac
	perl "$root/tests/unit/command/analysis/steady_report.pl" "$run" "$2" >with.json
	run report --json with.json
	is "$(sed -n 's/.*"text": "not steady.*%; \([^"]*\)".*/\1/p' "$out")" "${3:-}" "$1: $2"
}
# Two CPUs, in the slow part from 1.92 s to 3.84 s, and a time that the change is in.
slow='my $in = $_ >= 20 && $_ <= 38'
with middle "$slow; (0, \$in ? 0.8 : 0.02 + \$_ % 3 / 100, 0)" 'from 1.92 s to 3.84 s CPU time of others 80 % (here 3 %)'
with middle "$slow; (\$in ? 0.35 : 0, 0, 0)" 'from 1.92 s to 3.84 s stolen time 35 % (here 0 %)'
with middle "$slow; (0, 0, \$in ? 2 << 20 : 1 << 10)" 'from 1.92 s to 3.84 s I/O of others at vda 20.0 MiB/s (here 10.0 KiB/s)'
with begin '(0, $_ <= 19 ? 0.8 : 0, 0)' 'from 0 to 1.92 s CPU time of others 80 % (here 0 %)'
with end '(0, $_ > 38 ? 0.8 : 0, 0)' 'from 3.84 s to 6.4 s CPU time of others 80 % (here 0 %)'
# The job's own I/Os at the disk are not those of others.
with middle '(0, 0, 0)'
# All that changed.
with middle "$slow; \$in ? (0.4, 0.5, 20 << 20) : (0.01, 0, 0)" \
	'from 1.92 s to 3.84 s I/O of others at vda 200 MiB/s (here 0 bytes/s), CPU time of others 50 % (here 0 %), stolen time 40 % (here 1 %)'
# Too small; more of it where the run was faster; at another time; slowly.
with middle "$slow; \$in ? (0.09, 0.09, 0.2 * (1 << 20)) : (0, 0, 0)" 'in all parts together stolen time 3 %'
# What others had then is of all parts.
with middle "$slow; (0, 0.5, \$in ? 3 << 20 : 2 << 20)" 'in all parts together CPU time of others 50 %'
with middle "$slow; \$in ? (0, 0, 0) : (0.4, 0.5, 20 << 20)" \
	'in all parts together CPU time of others 35 %, stolen time 28 %'
with middle '(0, $_ >= 45 ? 0.8 : 0, 0)' 'in all parts together CPU time of others 24 %'
with middle '(0, $_ / 100, 0)' 'in all parts together CPU time of others 32 %'
with middle "$slow; (0.2, \$in ? 0.8 : 0, 0)" \
	'from 1.92 s to 3.84 s CPU time of others 80 % (here 0 %); in all parts together stolen time 20 %'
# Two jobs of one run have the same. A job of another machine has others.
with end '(0, $_ > 38 ? 0.8 : 0, 0)' 'from 3.84 s to 6.4 s CPU time of others 80 % (here 0 %)'
perl -pe 's/("thread_number"):1/$1:2/; s/"pid":100/"pid":101/' with.json >with2.json
perl -pe 's/"host":"box"/"host":"bax"/g; s/box-7/bax-7/' with.json >with3.json
of with.json '$j->{jobs}[1]{machine_over_time}{cpus} == 2 && $j->{analysis}{steady}{text} =~ /of others 80 %/' with2.json
of with.json '$j->{jobs}[1]{machine_over_time}{cpus} == 2 && $j->{analysis}{steady}{text} !~ /of others/' \
	--merge-hosts with3.json

of middle.json '$j->{ios}{read} == 15000' --from=1.92s --to=3.84s
of middle.json '$j->{jobs}[0]{run_ns} == 30 * 64e6 && $j->{jobs}[0]{first_ns} == 1.92e9' \
	--from=1.92s --to=3.84s
of middle.json '$j->{analysis}{steady}{verdict} ne "changed"' --from=1.92s --to=3.84s
# Rounded outward: windows 29 to 60.
of middle.json '$j->{ios}{read} == 17000 && $j->{analysis}{span}{from_ns} == 1.856e9' \
	--from=1.9s --to=3.85s
of middle.json '$j->{stages}{lat}{read}{sum_ns} == 15000 * 4e6' --from=1.92s --to=3.84s

# later SECONDS FILE: the same run of another job of the group, which begins later
later()
{
	perl -pe '
		BEGIN { $later = shift(@ARGV) * 1e9 }
		s/"(17\d{17})"/"\"" . ($1 + $later) . "\""/ge;
		s/("thread_number"):1/$1:2/; s/"pid":100/"pid":101/' \
		"$1" "$2"
}

# A job that had not begun has no time in the part. What others had is of the part that is shown.
later 5.12 even.json >begins_later.json
of even.json '$j->{analysis}{span}{to_ns} == 2.048e9 && $j->{ios}{read} == 31999 && !$j->{jobs}[1]{run_ns}' --to=2s begins_later.json
perl "$root/tests/unit/command/analysis/steady_report.pl" '1000, 2e6' '(0, $_ < 32 ? 0.6 : 0, 0)' >first_half.json
of first_half.json '$j->{analysis}{steady}{text} =~ /of others 30 %/'
of first_half.json '$j->{analysis}{steady}{text} =~ /of others 60 %/' --to=3s
of first_half.json '$j->{analysis}{steady}{text} !~ /of others/' --from=3.5s

# Clocks of hosts that are apart make no change.
later 2.56 even.json | perl -pe 's/"host":"box"/"host":"bax"/g; s/box-7/bax-7/' >other_host.json
of even.json '$j->{analysis}{steady}{verdict} eq "not known" && $j->{analysis}{steady}{text} =~ /hosts began at different times/' --merge-hosts other_host.json

# Of several, before their table: what to quote of those that were not steady.
sed 's/"box"/"bix"/g; s/box-7/bix-7/' few.json >few_of_bix.json
says 'middle.json other_host.json few_of_bix.json' '7812 IOPS, 4.000 ms (from 1.92 s to 3.84 s) lat host: read'
says 'middle.json other_host.json few_of_bix.json' 'too short, or too few I/Os, to tell whether steady: bix'
is "$(tail -n 1 "$out")" '+- at 95 %; more: report --all, --html=FILE' 'what +- means is told of several jobs'
run report --html=several.html middle.json other_host.json
is "$(tail -n 3 several.html | head -n 1) $(grep -c 'at 95 %' several.html)" '<p>+- at 95 %</p> 1' \
	'and at the end of HTML, once'
sed 's/"name":"steady"/"name":"other"/; s/"groupid":0/"groupid":1/' other_host.json >other_job.json
sed 's/"name":"steady"/"name":"other"/; s/"groupid":0/"groupid":1/' even.json >other_even.json
says '--merge-hosts even.json other_host.json other_even.json other_job.json' 'not judged, as the jobs of their hosts began at different times: other, steady'
has_not "$out" 'too short' 'and only for that reason'
run report few.json
has_not "$out" 'at 95 %' 'but not on a page without +-'
set --
for host in 1 2 3 4 5 6; do
	sed "s/\"box\"/\"box$host\"/g; s/box-7/box$host-7/" middle.json >"middle$host.json"
	set -- "$@" "middle$host.json"
done
says "$*" 'WARNING: not steady or uneven (--all): steady on box4, steady on box5, steady on box6 lat host: read'
says "--all $*" 'WARNING: not steady or uneven: steady on box4,'

run report --from=7s middle.json
is "$status" 64 'a part after the end is refused'
has "$err" 'there are 6.400 s' 'with the length of the run'
done_testing
