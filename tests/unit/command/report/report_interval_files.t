#!/bin/sh
# SPDX-License-Identifier: MIT
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

# check TEXT PERL FILE...: tests an expression of the first report of each FILE: @j
check()
{
	text=$1 expression=$2
	shift 2
	perl -MJSON::PP -e '
		my ($expression, @files) = @ARGV;
		my @j = map { open my $f, "<", $_ or die "$_: $!\n";
			decode_json(scalar <$f>) } @files;
		sub text { JSON::PP->new->canonical->encode($_[0]) }
		exit !eval $expression' "$expression" "$@"
	ok $? "$text"
}

# windows FILE: prints "NUMBER:READS" of the windows of 256 ms, from the first job's start;
# "+ERRORS" follows if there are any
windows()
{
	of_json 'my $o = $r->{over_time};
		die "width" if $o->{width_ns} != 256e6;
		join " ", map { ($_->{start} - 1700000000000000000) / 256000000 . ":" .
			($_->{read}{count} // 0) . ($_->{errors} ? "+$_->{errors}{read}" : "")
			} @{$o->{windows}}' "$1"
}

write_report one.json
write_intervals one.jsonl
run report --json one.json
cp "$out" report
run report --json one.jsonl
is "$status" 0 'a file of intervals alone'
cp "$out" sum
check 'has the numbers of the report' '
	# What lines have and this report has not, or the other way round.
	my %not = map { $_ => 1 } qw(jobs counter clocks batches slowest over_time writer
		answers);
	delete @$_{keys %not} for @j;
	text($j[0]) eq text($j[1]) && $j[0]{stages}{lat}{read}{count} == 100' report sum
check 'of the whole run' '$j[0]{jobs}[0]{run_ns} == 4500000000 && !$j[0]{answers}{span}' sum
is "$(windows sum)" '0:40 3:49 5:5 13:5 17:1' 'and those over time'
run report --json one.json one.jsonl
cp "$out" both
check 'with the report, that is what is shown' '
	delete @$_{qw(over_time)} for @j;
	text($j[0]) eq text($j[1])' report both

run report --html page.html one.jsonl
has_not page.html "each job's own start" 'plots have one time, that of the run'
mkfifo pipe
cat one.jsonl >pipe &
run report pipe
is "$status" 65 'a file of intervals from a pipe'
has "$err" "pipe: a file of intervals can't be read from a pipe" 'is refused with the reason'
wait
cat one.json >pipe &
run report pipe one.jsonl
is "$status" 0 'a report may come through a pipe, which is opened once'
wait

# ---- parts of the run ----
run report --json --from=0 --to=2 one.jsonl
cp "$out" first
run report --json --from=2 one.jsonl
cp "$out" second
is_valid report sum both first second
check 'parts of the run' '$j[0]{stages}{lat}{read}{count} == 94 &&
	$j[1]{stages}{lat}{read}{count} == 6 && $j[0]{jobs}[0]{run_ns} == 2e9 &&
	$j[0]{answers}{span}{from_ns} == 0 && $j[0]{answers}{span}{to_ns} == 2e9 &&
	$j[1]{answers}{span}{from_ns} == 2e9 &&
	$j[1]{answers}{span}{to_ns} == 4500000000' first second
check 'add up to the whole' '
	my ($a, $b, $all) = @j;
	my $ok = 1;
	for my $stage (keys %{$all->{stages}}) {
		my ($x, $y, $z) = map { $_->{stages}{$stage}{read} } $a, $b, $all;
		$ok &&= $x->{sum_ns} + $y->{sum_ns} == $z->{sum_ns};
		$ok &&= ($x->{bins}{$_} // 0) + ($y->{bins}{$_} // 0) == $z->{bins}{$_}
			for keys %{$z->{bins}};
	}
	$ok && $a->{ios}{read} + $b->{ios}{read} == $all->{ios}{read}' first second sum
run report --json --from=1500ms --to=1s600ms one.jsonl
check 'intervals are shown as a whole' '$j[0]{answers}{span}{from_ns} == 1e9 &&
	$j[0]{answers}{span}{to_ns} == 2e9 && $j[0]{ios}{read} == 54' "$out"
run report --json --from=3 one.json one.jsonl
check 'with the report: its clocks, not its sums' '
	$j[0]{ios}{read} == 6 && $j[0]{clocks}{fio} && !@{$j[0]{slowest}} &&
	$j[0]{counter}{verdict} eq "reliable" && !$j[0]{batches}' "$out"
run report --from=3 --to=4 one.jsonl
tr -s ' \n' ' ' <"$out" >page
has page 'a part of the run only: from 3.000 s to 4.000 s after the start of the job (--from=3.000 s --to=4.000 s, rounded' \
	'the page tells which part, and which was asked for'
run report --json --from=1700ms one.jsonl
is "$(windows "$out")" '3:49 5:5 13:5 17:1' 'an interval that is partly wanted is there as a whole'
check 'and in the time of the run' '$j[0]{jobs}[0]{run_ns} == 3.5e9' "$out"
run report --from=1 one.json
is "$status $(wc -l <"$err")" '64 1' 'without a file of intervals'
has "$err" "one.json: a part of the run needs the job's file of intervals" 'in one line'
run report --from=2h one.jsonl
is "$status" 64 'after the end of the run'
has "$err" 'no interval at 7200 s: there are 4.500 s of the job' 'in one line'
write_intervals other.jsonl name=other thread=2 pid=101
head -n 3 other.jsonl >short.jsonl
run report --from=3 one.jsonl short.jsonl
is "$status" 0 'after the end of one of two groups'
has "$out" 'read: 6 I/Os' 'the other is shown'
tr -s ' \n' ' ' <"$out" >page
has page 'other, group 0 of box: no interval is in the part of the run that was asked for: there are 2.000 s of the job' \
	'and the one is named'
run report --json --from=3 one.jsonl short.jsonl
is_valid report "$out"
check 'in JSON its span is null' 'exists $j[0]{answers}{span} && $j[0]{ios}{read} + 0 == 6' "$out"
has "$out" '"span": null' 'as nothing is shown'
run report --from=3 short.jsonl
is "$status" 64 'alone it is refused'
run report --from=3 --to=3 one.jsonl
is "$status" 64 'nothing is between them'
run report --from=1h30x one.jsonl
is "$status" 64 'no time'

# ---- several jobs ----
write_intervals two.jsonl thread=2 pid=101 start=1700000000500000000 \
	monotonic=79000000000
run report --json --from=2 --to=3 two.jsonl one.jsonl
check 'a job that began 2 s later, by the monotonic clock' '
	@{$j[0]{jobs}} == 2 && $j[0]{ios}{read} == 40 &&
	$j[0]{answers}{span}{to_ns} == 3e9' "$out"
run report --json two.jsonl one.jsonl
check 'both' '$j[0]{ios}{read} == 200 && $j[0]{jobs}[1]{run_ns} == 4500000000' "$out"
is "$(windows "$out")" '0:40 1:40 3:49 5:54 7:5 13:5 15:5 17:1 19:1' \
	'over time by the clock of both'
write_intervals late.jsonl thread=2 pid=101 start=1700000000100000000 \
	monotonic=77100000000 errors=3
run report --json late.jsonl one.jsonl
is "$(windows "$out" | cut -d' ' -f1-3)" '0:80+3 3:49 4:49+3' 'with errors'
check 'what lines have nothing of is not there' '!exists $j[0]{fio_lat} &&
	!exists $j[0]{kernel_stages}{negative_beyond}' "$out"

# ---- how long I/Os ran ----
sed '2,$s/"first_ns": 0, "run_ns": [0-9]*/"first_ns": 250000000, "run_ns": 4000000000/' \
	one.jsonl >ran.jsonl
run report --json ran.jsonl
check "the time of rates is that from the first I/O to the last" '
	$j[0]{jobs}[0]{run_ns} == 4e9 && $j[0]{jobs}[0]{first_ns} == 25e7' "$out"
sed -e '2s/"first_ns": 0, "run_ns": [0-9]*,//' \
	-e '3,$s/"first_ns": 0, "run_ns": [0-9]*/"first_ns": 1500000000, "run_ns": 3000000000/' \
	one.jsonl >ramp.jsonl
run report --json ramp.jsonl
check 'ramp time is none of it' '$j[0]{jobs}[0]{run_ns} == 3e9' "$out"

# Lines outside of a part are not parsed: errors in their stages go unseen.
sed -e '3s/"count": 5/"count": 6/' \
	-e '2,$s/"unaccounted": {"read": 0/"unaccounted": {"read": 7/' one.jsonl >skip.jsonl
run report --json --from=2 skip.jsonl
is "$status" 0 'a part that begins after a damaged line'
check 'counts from then on only' '$j[0]{unaccounted}{read} == 21 && $j[0]{ios}{read} == 6' \
	"$out"
run report --from=1 skip.jsonl
has "$err" 'skip.jsonl: line 3: stages.' 'it is named where it is in'
sed '4s/"interval": 3/"interval": 4/' one.jsonl >gap.jsonl
run report --to=1 gap.jsonl
is "$status" 0 'what is behind a part is not read'
run report --from=3 gap.jsonl
has "$err" 'gap.jsonl: line 4: interval 4 follows interval 2' 'a line that is missing is'

# ---- on devices ----
sed '1s/{/{"devices": [{"device": "8:0", "host": "box", "name": "sda"}],/' one.json >a.json
write_intervals b.jsonl thread=2 pid=101
sed -i '1s/{/{"devices": [{"device": "8:16", "host": "box", "name": "sdb"}],/' b.jsonl
write_intervals c.jsonl thread=3 pid=102
sed -i '1s/{/{"devices": [{"device": "8:0", "host": "box", "name": "sda"}, '\
'{"device": "8:16", "host": "box", "name": "sdb"}],/' c.jsonl
run report --json a.json b.jsonl
is_valid report "$out"
check 'a job with a report, and one that was killed, are both in the devices' '
	my %d = map { $_->{name} => $_->{ios}{read} } @{$j[0]{devices}};
	$d{sda} == 100 && $d{sdb} == 100' "$out"
run report --json a.json b.jsonl c.jsonl
is_valid report "$out"
check 'a third that had several is not' '
	@{$j[0]{devices}} == 2 && $j[0]{devices}[0]{ios}{read} == 100 &&
	$j[0]{devices}[0]{jobs} == 1 && $j[0]{ios}{read} == 300' "$out"
run report a.json b.jsonl c.jsonl
has "$out" 'the device of 100 I/Os is not known' 'and the page tells that'
run report c.jsonl
has "$out" 'the device of 100 I/Os is not known' 'also alone'
run report a.json b.jsonl
has_not "$out" 'I/Os is not known' 'not if all are known'
sed 's/"thread_number": 2/"thread_number": 3/; s/"8:16"/"8:0"/' b.jsonl >d.jsonl
run report --json --from=3 b.jsonl d.jsonl
check 'a part of the run by device' '
	@{$j[0]{devices}} == 2 && $j[0]{devices}[0]{ios}{read} == 6 &&
	$j[0]{devices}[1]{ios}{read} == 6' "$out"
sed '1s/"name": "sdb"/"jobs": 0, &/' b.jsonl >e.jsonl
run report --json e.jsonl
cp "$out" e.json
check 'an only device whose I/Os are not known stays so' '
	my $e = $j[0]{devices}[0];
	$e->{jobs} == 0 && exists $e->{jobs} && !$e->{ios}' e.json
run report --json a.json e.json
is_valid report e.json "$out"
check 'and gets none in a merge' '
	my %d = map { $_->{name} => $_ } @{$j[0]{devices}};
	$d{sda}{ios}{read} == 100 && !$d{sdb}{ios}{read} && $d{sdb}{jobs} == 0' "$out"
digits=2 write_intervals coarse.jsonl thread=2 pid=101
run report coarse.jsonl one.jsonl
is "$status $(grep -c '^read: 100 I/Os' "$out")" '0 2' 'jobs with other digits are two groups'
run report --json one.json two.jsonl
check 'a job with a report, and one without' '$j[0]{ios}{read} == 200 &&
	!$j[0]{over_time}' "$out"
run report one.json two.jsonl
has "$out" 'of 1 of 2 jobs there are intervals only' 'the page tells that'
run report one.jsonl one.jsonl
is "$status" 65 'the same file twice'
has "$err" 'one.jsonl: the same job as one.jsonl' 'is refused'
run report one.json one.jsonl one.jsonl
is "$status" 65 'also with the report'

# ---- lat over time, in rows ----
rows()
{
	sed -n '/over time/,/^$/p' "$out" | grep -c '^ *[0-9].* m*s '
}
run report one.jsonl
is "$(rows)" 18 'a row for each window'
run report --html=page one.jsonl
is "$(sed -n '/<summary>read over time, from the start of the first job/,/<\/details>/p' page |
	grep -c '^<tr><td>[0-9]')" 18 'and so in HTML, folded'

# ---- files that are not whole ----
head -n 3 one.jsonl >killed.jsonl
printf '{"interval": 3, "from_' >>killed.jsonl
run report killed.jsonl
is "$status" 0 'a job that was killed in its third line'
has "$out" 'read: 94 I/Os' 'is shown up to there'
has_not "$out" "in the job's report" 'there is no report to be read'
run report --to=1 killed.jsonl
has_not "$out" 'WARNING: the job was killed' 'of a part before that nothing is missing'
run report killed.jsonl
has "$out" 'WARNING: the job was killed, or still runs' 'and is named so'
head -n 1 one.jsonl >empty.jsonl
run report empty.jsonl
is "$status" 0 'a header alone'
run report --json empty.jsonl
cp "$out" empty.json
is_valid report empty.json
check 'has no numbers' '!$j[0]{ios} && !$j[0]{stages} && !$j[0]{lacks}' empty.json
run report --json empty.json
cmp "$out" empty.json
ok $? 'also after it was read again'
head -n 1 two.jsonl >none.jsonl
run report --json empty.jsonl none.jsonl
cp "$out" none.json
run report --json none.json
cmp "$out" none.json
ok $? 'nor have several'
sed 's/"thread_number": 1/"thread_number": 3/' one.json >third.json
run report --json empty.jsonl none.jsonl third.json
cp "$out" with_lines
run report --json none.json third.json
cmp "$out" with_lines
ok $? 'a merge with it is as with its files'
check 'and lacks nothing' '@{$j[0]{jobs}} == 3 && $j[0]{batches} && !$j[0]{lacks} &&
	$j[0]{slowest}' "$out"
sed '2,$s/{"interval".*/{"interval": 1, "from_ns": 0, "to_ns": 1, "realtime_ns": "0"}/' \
	one.jsonl >bare.jsonl
run report bare.jsonl
has "$err" 'bare.jsonl: line 2: it has no numbers' 'a line has numbers'
sed '3s/"count": 5/"count": 6/' one.jsonl >damaged.jsonl
run report damaged.jsonl
is "$status $(wc -l <"$err")" '65 1' 'a damaged one'
has "$err" 'damaged.jsonl: line 3: stages.' 'with the line and what is wrong'
sed '1s/"fallback": false/"fallback": 7/' one.jsonl >bad.jsonl
run report bad.jsonl
has "$err" 'bad.jsonl: line 1: jobs[].fallback is not true or false' 'a bad header'
sed '1s/"fallback": false/"fallback": true/' one.jsonl >fallback.jsonl
run report fallback.jsonl
has "$out" "All times here are the system clock's" "times of the system's clock"
done_testing
