#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: core/report
#
# Behaviour: files of intervals are shown as their sum, which is the job's report. A
# part of the run has the intervals inside it, and parts that do not overlap add up
# to the whole. Several jobs share one time, that of the clock. A job that was killed
# is shown up to its last whole line; damage is one line with its place. Defect: an
# interval is counted twice or not at all, jobs that began at other times are shifted,
# a damaged file is shown as if it were whole.
. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/../../../report_files.sh"
. "$(dirname "$0")/../../../schema.sh"

cd "$scratch" || exit 1
case $tickwise in /*) ;; *) tickwise=$OLDPWD/$tickwise ;; esac

# edited FILE SED...: prints the file of intervals, changed
edited()
{
	edited_file=$1
	shift
	sed "$@" "$edited_file"
}

write_report one.json
sed 's/"thread_number": 1/"thread_number": 3/' one.json >third.json
sed '1s/{/{"devices": [{"device": "8:0", "host": "box", "name": "sda"}],/' one.json >sda.json
write_intervals one.jsonl
write_intervals two.jsonl thread=2 pid=101 start=1700000000500000000 monotonic=79000000000
write_intervals late.jsonl thread=2 pid=101 start=1700000000100000000 \
	monotonic=77100000000 errors=3
write_intervals other.jsonl name=other thread=2 pid=101
digits=2 write_intervals coarse.jsonl thread=2 pid=101
head -n 3 other.jsonl >short.jsonl
head -n 1 one.jsonl >empty.jsonl
head -n 1 two.jsonl >none.jsonl
{ head -n 3 one.jsonl; printf '{"interval": 3, "from_'; } >killed.jsonl
on='"host": "box", "name"'
sed "1s/{/{\"devices\": [{\"device\": \"8:16\", $on: \"sdb\"}],/" two.jsonl >sdb.jsonl
sed '1s/"name": "sdb"/"jobs": 0, &/' sdb.jsonl >unknown.jsonl
sed 's/"thread_number": 2/"thread_number": 3/; s/"8:16"/"8:0"/' sdb.jsonl >sda.jsonl
sed "1s/{/{\"devices\": [{\"device\": \"8:0\", $on: \"sda\"},\
		{\"device\": \"8:16\", $on: \"sdb\"}],/
	1s/\"thread_number\": 2/\"thread_number\": 4/" two.jsonl >both.jsonl
edited one.jsonl >ran.jsonl \
	'2,$s/"first_ns": 0, "run_ns": [0-9]*/"first_ns": 250000000, "run_ns": 4000000000/'
edited one.jsonl -e '2s/"first_ns": 0, "run_ns": [0-9]*,//' -e \
	'3,$s/"first_ns": 0, "run_ns": [0-9]*/"first_ns": 1500000000, "run_ns": 3000000000/' \
	>ramp.jsonl
# Lines outside of a part are not parsed: errors in their stages go unseen.
edited one.jsonl -e '3s/"count": 5/"count": 6/' \
	-e '2,$s/"unaccounted": {"read": 0/"unaccounted": {"read": 7/' >skip.jsonl
sed '4s/"interval": 3/"interval": 4/' one.jsonl >gap.jsonl
sed '3s/}$/, "restart": true}/' one.jsonl >restart.jsonl
perl -pe 's/("from_ns": )(\d+)/$1 . ($2 + 1)/e if $. == 3' one.jsonl >late_line.jsonl

# ---- numbers: ARGUMENTS: EXPRESSION = WANTED ----
# w: "NUMBER:READS" of the windows of 256 ms, from the first job's start; "+ERRORS" follows
w='join " ", map { ($_->{start} - 1700000000000000000) / 256000000 . ":" .
	($_->{read}{count} // 0) . ($_->{errors} ? "+$_->{errors}{read}" : "") }
	@{$r->{over_time}{windows}}'
# d: name, jobs and reads of the devices
d='join " ", map { "$_->{name}:$_->{jobs}:" . ($_->{ios}{read} // "-") } @{$r->{devices}}'
span='"$r->{ios}{read} $r->{analysis}{span}{from_ns} $r->{analysis}{span}{to_ns}"'
while read -r line; do
	arguments=${line%%:*} wanted=${line#* = } expression=${line#*: }
	expression=${expression%% = *}
	case $expression in w) expression=$w ;; d) expression=$d ;; span) expression=$span ;; esac
	# shellcheck disable=SC2086	# words
	run report --json $arguments
	is "$status $(of_json "$expression")" "0 $wanted" "$line"
	cat "$out" >>all
done <<'CASES'
one.jsonl: $r->{jobs}[0]{run_ns} . $r->{ios}{read} . ($r->{analysis}{span} // "") = 4500000000100
one.jsonl: w = 0:40 3:49 5:5 13:5 17:1
one.jsonl: join ",", map { exists $r->{$_} } qw(fio_lat kernel_stages batches slowest) = ,,,
--to=2 one.jsonl: span = 94 0 2000000000
--from=2 one.jsonl: span = 6 2000000000 4500000000
--from=1500ms --to=1s600ms one.jsonl: span = 54 1000000000 2000000000
--from=1700ms one.jsonl: w = 3:49 5:5 13:5 17:1
--from=1700ms one.jsonl: $r->{jobs}[0]{run_ns} = 3500000000
--from=3 one.json one.jsonl: $r->{ios}{read} . $r->{counter}{verdict} = 6reliable
--from=3 one.json one.jsonl: @{$r->{slowest}} . @{$r->{jobs}} = 1
--from=3 one.json one.jsonl: exists $r->{clocks}{fio} && !$r->{batches} = 1
--from=3 one.jsonl short.jsonl: exists $r[1]{analysis}{span} && !$r[1]{analysis}{span} = 1
--from=2 --to=3 two.jsonl one.jsonl: $r->{ios}{read} . " $r->{analysis}{span}{to_ns}" = 40 3000000000
two.jsonl one.jsonl: $r->{ios}{read} . " $r->{jobs}[1]{run_ns}" = 200 4500000000
two.jsonl one.jsonl: w = 0:40 1:40 3:49 5:54 7:5 13:5 15:5 17:1 19:1
late.jsonl one.jsonl: w = 0:80+3 3:49 4:49+3 5:5 6:5 8:0+3 12:0+3 13:5 14:5 16:0+3 17:2
ran.jsonl: "@{$r->{jobs}[0]}{qw(first_ns run_ns)}" = 250000000 4000000000
ramp.jsonl: $r->{jobs}[0]{run_ns} = 3000000000
--from=2 skip.jsonl: $r->{ios}{read} . $r->{unaccounted}{read} = 621
two.jsonl restart.jsonl: $r->{ios}{read} . " $r->{jobs}[0]{first_ns} $r->{jobs}[0]{run_ns}" = 160 1000000000 3500000000
--to=1 restart.jsonl: $r->{ios}{read} = 40
one.json two.jsonl: $r->{ios}{read} . ($r->{over_time} // "") = 200
sda.json sdb.jsonl: d = sda:1:100 sdb:1:100
sda.json sdb.jsonl both.jsonl: d = sda:1:100 sdb:1:100
--from=3 sdb.jsonl sda.jsonl: d = sdb:1:6 sdb:1:6
unknown.jsonl: d = sdb:0:-
sda.json unknown.jsonl: d = sda:1:100 sdb::-
coarse.jsonl one.jsonl: scalar @r = 2
killed.jsonl: $r->{ios}{read} = 94
empty.jsonl: join ",", map { exists $r->{$_} } qw(ios stages lacks) = ,,
empty.jsonl none.jsonl third.json: @{$r->{jobs}} . !!$r->{batches} . ($r->{lacks} // "") = 31
CASES
is_valid report all
run report --json one.json
cp "$out" report
run report --json one.jsonl
is "$(for file in report "$out"; do of_json 'delete @$r{qw(jobs counter clocks batches slowest
	over_time writer analysis)}; $r' $file; echo; done | uniq | wc -l)" 1 \
	'the sum of a file has the numbers of the report'
run report --json one.json one.jsonl
is "$(of_json 'delete $r->{over_time}; delete $_->{jobs} for @r; $r')" \
	"$(of_json 'delete $r->{over_time}; delete $_->{jobs} for @r; $r' report)" \
	'with the report, that is what is shown'
run report --json --to=2 one.jsonl
cp "$out" first
run report --json --from=2 one.jsonl
cat "$out" >>first
run report --json one.jsonl
cat "$out" >>first
is "$(of_json 'my $wrong = 0; for my $stage (keys %{$r[2]{stages}}) {
	my ($x, $y, $z) = map { $_->{stages}{$stage}{read} } @r;
	$wrong += $x->{sum_ns} + $y->{sum_ns} != $z->{sum_ns};
	$wrong += ($x->{bins}{$_} // 0) + ($y->{bins}{$_} // 0) != $z->{bins}{$_}
		for keys %{$z->{bins}} } $wrong' first)" 0 'parts of the run add up to the whole'
for files in 'unknown.jsonl' 'empty.jsonl' 'empty.jsonl none.jsonl'; do
	# shellcheck disable=SC2086	# words
	run report --json $files
	cp "$out" again.json
	run report --json again.json
	cmp "$out" again.json
	ok $? "$files: read again, it is the same"
done
run report --json again.json third.json
cp "$out" merged
run report --json empty.jsonl none.jsonl third.json
cmp "$out" merged
ok $? 'a merge with it is as with its files'

# ---- words: STATUS ARGUMENTS: TEXT; "not" before a text that is not there ----
sed '1s/"fallback": false/"fallback": 7/' one.jsonl >bad.jsonl
mkfifo pipe
while read -r wanted arguments; do
	text=${arguments#*: } arguments=${arguments%%: *} should=1
	[ "$text" = "${text#not }" ] || should=0
	case $arguments in
	*one.jsonl*pipe*) timeout 300 sh -c 'cat one.jsonl >pipe' & ;;
	*pipe*) timeout 300 sh -c 'cat one.json >pipe' & ;;
	esac
	# shellcheck disable=SC2086	# words
	run report ${arguments#one.jsonl* }
	is "$status $(cat "$out" "$err" | tr -s ' \n' ' ' | grep -cF -e "${text#not }")" \
		"$wanted $should" "$arguments: $text"
	[ "$status" -eq 0 ] || is "$(wc -l <"$err")" 1 'in one line'
	wait
done <<'CASES'
65 one.jsonl pipe: pipe: a file of intervals can't be read from a pipe
0 pipe one.jsonl: read: 100 I/Os
0 --from=3 --to=4 one.jsonl: a part of the run only: from 3 s to 4 s after the start of
0 --from=3 --to=4 one.jsonl: the job (--from=3 s --to=4 s, rounded
0 --all --from=3 one.jsonl short.jsonl: read: 6 I/Os
0 --from=3 one.jsonl short.jsonl: other, group 0 of box: no interval is in the part of the run
0 --from=3 one.jsonl short.jsonl: that was asked for: there are 2.000 s of the job
64 --from=1 one.json: one.json: it has no windows over time
64 --from=2h one.jsonl: no interval at 7200 s: there are 4.500 s of the job
64 --from=3 short.jsonl: no interval at 3.000 s
64 --from=3 --to=3 one.jsonl: --to must be later than --from
64 --from=1h30x one.jsonl: 1h30x
65 --from=1 skip.jsonl: skip.jsonl: line 3: stages.
0 --to=1 gap.jsonl: read: 40 I/Os
65 late_line.jsonl: late_line.jsonl: line 3: it does not begin where the one before ended
65 --from=3 gap.jsonl: gap.jsonl: line 4: interval 4 follows interval 2
0 sda.json sdb.jsonl both.jsonl: the device of 100 I/Os is not known
0 both.jsonl: the device of 100 I/Os is not known
0 sda.json sdb.jsonl: not I/Os is not known
0 one.json two.jsonl: of 1 of 2 jobs there are intervals only
65 two.jsonl two.jsonl: two.jsonl: the same job as two.jsonl
65 one.json two.jsonl two.jsonl: the same job as
0 killed.jsonl: WARNING: the job was killed, or still runs
0 killed.jsonl: not in the job's report
0 --to=1 killed.jsonl: not WARNING: the job was killed
65 bad.jsonl: bad.jsonl: line 1: jobs[].fallback is not true or false
CASES
done_testing
