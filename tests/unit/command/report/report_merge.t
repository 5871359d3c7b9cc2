#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: core/report core/command/analysis
#
# Jobs of one group of one fio run are added up. Other groups, other runs and other
# names stay apart, in any order of the files. Facts of several jobs are there once, and
# those that differ are named so. A file given twice is refused. A merged report is a
# report: it is printed again as it is, and its page and a comparison of it are those of its
# jobs. Fails if anything is counted twice, lost, or mixed, or if it depends on the order of
# the files. tests/unit/report/report_merge_order.c merges in any order.
. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/../../../report_files.sh"

cd "$scratch" || exit 1
case $tickwise in /*) ;; *) tickwise=$OLDPWD/$tickwise ;; esac

# ---- which belong together ----
write_report one.json run='"run": "",'
write_full full.json
write_report coarse.json digits=2
write_report run7.json run='"run": "7", "options": {},'
write_report old.json run='"run": "8", "options": {},' thread=3

# GROUPS ARGUMENTS: PERL; a group is the thread numbers of its jobs, after their host's
# first letter
cat >cases <<'CASES'
b1b2 one.json @:
b1b2 @ one.json:
b1b2 one.json @: $j->{start} = "1700000010900000000"
b1 b2 one.json @: $j->{start} = "1700000011100000000"
b1 b2 one.json @: $j->{start} = "1700000060000000000"
b1 b1 one.json @: $j->{thread_number} = 1
b1 b2 one.json @: $j->{name} = "other"
b1 b2 one.json @: $j->{groupid} = 1
b1 b2 one.json @: $j->{iodepth} = 31
b1 b2 one.json @: $j->{fio_version} = "fio-3.34"
b1 b2 one.json @: $j->{engine} = "tickwise-cmd"
b1 b2 one.json @: $r->{attached} = { rings => [], operations => [], others => {} }
b1 b2 coarse.json @:
b1 b2 run7.json @: $j->{run} = "8"
b1b2 run7.json @: $j->{run} = "7"; $j->{start} = "1700009000000000000"
b1b2 b3 run7.json @ old.json: $j->{run} = "7"
b1 b2 one.json @: $j->{run} = "7"
b1 f2 one.json @: $j->{host} = "far"
b1f2 --merge-hosts one.json @: $j->{host} = "far"
b1f1 --merge-hosts one.json @: @{$j}{qw(host thread_number)} = ("far", 1)
b1 f2 --merge-hosts one.json @: $j->{host} = "far"; $j->{start} = "1700000060000000000"
b1f2 b3 --merge-hosts run7.json @ old.json: @{$j}{qw(host run)} = ("far", "9")
CASES
perl -ne '/^((?:[a-z][0-9])+(?: (?:[a-z][0-9])+)*) ([^:]*): ?(.*)/ or die;
	print STDERR "$1\n"; print "one $2\n\t\$j->{thread_number} = 2; \$j->{pid} = 101; $3\n"' \
	cases 2>groups | changes
exec 3<groups
while read -r number arguments && read -r text && read -r groups <&3; do
	changed "$number" --json "$arguments"
	is "$(of_json 'join " ", map { join "", map { substr($_->{host}, 0, 1) .
		$_->{thread_number} } @{$_->{jobs}} } @r')" "$groups" "$arguments $text"
done <changes/list
run report --json one.json coarse.json
is "$status $(wc -l <"$err")" '65 1' 'the same job with other digits'

cp one.json copy.json
run report one.json run7.json copy.json
is "$status $(cat "$err")$(cat "$out")" '65 tickwise report: copy.json: the same job as one.json' \
	'the same job twice is refused with both names, and nothing is printed'

# ---- what is merged ----
# A job with all parts, and another one: EXPRESSION, WANTED: PERL for the other one
printf 'full\n\tdelete @{$r}{qw(attached)}; @{$j}{qw(thread_number pid)} = (9, 9)\n' | changes
cp changes/1.json full.json
cat >facts <<'CASES'
$r->{bytes}{read}|819200|
$r->{fio_lat}{sum_ns}{read}|37900|
join " ", @{$r->{batches}}{qw(enters reaps largest_reap)}|14 10 17|\
	$r->{batches}{largest_reap} = 17
join " ", map { $r->{kernel_stages}{$_} } qw(clock_error_ns missed_runs requests)|81 4 240|\
	@{$r->{kernel_stages}}{qw(clock_error_ns missed_runs)} = (81, 4)
"$r->{response}{resolution_ns} $r->{response}{backlog_at_end_ns}{read}"|2000 5|\
	$r->{response}{resolution_ns} = 2000; $r->{response}{backlog_at_end_ns}{read} = 5
$r->{stages_by_lat}{read}[0]|\
	{"from_ns":96,"ios":178,"stages":{"deliver":3560,"kernel":12460,"queue":1780},"to_ns":103}|
"@{$r->{lacks}}"|bytes stages_by_lat|delete @{$r}{qw(bytes stages_by_lat)}
join " ", map { "$_->{device} $_->{ios}{read}" } @{$r->{devices}}|8:0 60 8:16 60|\
	$r->{devices}[0]{device} = "8:16"
join " ", @{$r->{devices}[0]}{qw(nr_requests name size jobs)}|differs sda 512 2|\
	$r->{devices}[0]{nr_requests} = 2; delete $r->{devices}[0]{name}
@{$r->{machines}} . @{$r->{files}}|12|$r->{files}[0]{path} = "y"
{ common => $r->{options}, own => [map { $_->{options} } @{$r->{jobs}}] }|\
	{"common":{"rw":"randread"},"own":[{"bs":"8k"},{"bs":"4k"}]}|$j->{options}{bs} = "8k"
$r->{clocks}{fio}{error_ppb}|-9000|$r->{clocks}{fio}{error_ppb} = -9000
$r->{clocks}{fio}{uncertainty_ppb}|7.5|$r->{clocks}{fio}{uncertainty_ppb} = 7.5
$r->{counter}{verdict} . @{$r->{counter}{reasons}}|unreliable1|\
	$r->{counter}{verdict} = "unreliable"
$r->{counter}{reasons}[0]{text}|aa|$r->{counter}{reasons}[0]{text} = "aa"
@{$r->{counter}{reasons}} . $r->{counter}{reasons}[0]{code}|64c1|\
	$r->{counter}{reasons} = [map +{ code => "c$_", text => "" }, 1 .. 64]
join " ", map { "$_->{job}:$_->{slower}" } @{$r->{triggers}}|0:7 1:1|\
	$r->{triggers}[0]{slower} = 7
join " ", map { "$_->{job}:$_->{ios}" } @{$r->{in_flight_of_others}}|0:7 0:5 1:1|\
	$r->{in_flight_of_others}[0]{ios} = 7; $r->{in_flight_of_others}[1] = { %{$r->{in_flight_of_others}[0]}, ios => 5 }
join " ", map { "$_->{stages}{lat}/$_->{job}" } @{$r->{slowest}}|11/0 9/1|\
	$r->{slowest} = [slow(5, queue => 11), slow(7, queue => 8), slow(9, queue => 4)]
join " ", map { "$_->{stages}{lat}/$_->{job}" } @{$r->{slowest}}|9/0|\
	$r->{slowest} = [slow(5, queue => 9)]
join " ", map { "$_->{stages}{lat}/$_->{job}" } @{$r->{slowest}}||$r->{slowest} = []
"@{$r->{lacks}}"|slowest|delete $r->{slowest}
join " ", map { ($_->{start} - 17e17) / 1e6 . "-$_->{read}{count}" } \
	@{$r->{over_time}{windows}}|0-5 4-4|$r->{over_time} = windows(4, 0, 3, 1, 3)
$r->{over_time}{width_ns} / 1e6|1|$r->{over_time} = windows(1, 127, 3)
$r->{over_time}{width_ns} / 1e6|2|$r->{over_time} = windows(1, 128, 3)
CASES
sed -e :a -e '/\\$/N; s/\\\n\t//; ta' facts >lines
sed 's/.*|/full\n\t@{$j}{qw(thread_number pid)} = (2, 2); /' lines | changes
number=0
while IFS='|' read -r expression wanted edit; do
	number=$((number + 1))
	changed $number --json full.json @
	is "$(of_json "$expression")" "$wanted" "$edit $expression"
	cp "$out" first
	changed $number --json @ full.json
	cmp -s first "$out"
	ok $? 'in either order'
done <lines
printf 'full\n\t$j->{pid} = 2; $r->{errors}{read} = "9223372036854775808"\n' | changes
changed 1 @ @2
is "$status $(wc -l <"$err")" '65 1' 'counts beyond 64 bits are refused'

# ---- a merged report is a report ----
# Jobs that differ in rows that only some have, clocks, reasons, devices, widths of
# windows, lengths of lists, options, hosts.
changes <<'CASES'
full
	delete $r->{lacks}; $r->{slowest} = [map { slow($_, queue => $_) } 30, 20, 20]
full
	delete @{$r}{qw(lacks stages_by_lat fio_lat)}; @{$j}{qw(thread_number pid)} = (2, 2);
	$r->{devices}[0]{device} = "8:1"; $j->{options}{bs} = "8k"; $r->{over_time} = windows(4,
	50, 3); $r->{counter} = { verdict => "unreliable", reasons => [{ code => "a", text => "y" }] }
full
	delete @{$r}{qw(lacks bytes)}; @{$j}{qw(thread_number pid host)} = (3, 3, "far");
	$r->{slowest} = [slow(25, queue => 25)]; $r->{clocks}{fio}{error_ppb} = 9000;
	$r->{lunch} = 1; $_->{host} = "far" for @{$r->{machines}}, @{$r->{devices}}
CASES
# merged FILE...: prints what `report --json` does
merged()
{
	"$tickwise" report --json --merge-hosts "$@" || echo "exit code $?"
}

merged changes/[123].json >all.json
is "$(of_json '@r . " " . @{$r->{jobs}} . " $r->{ios}{read} " . @{$r->{slowest}}' all.json)" \
	'1 3 300 1' 'jobs of two hosts are one report'
merged changes/[23].json >pair.json
cat changes/1.json pair.json >both.json
for files in all.json 'changes/1.json pair.json' both.json; do
	# shellcheck disable=SC2086	# names
	merged $files >again.json
	cmp all.json again.json
	ok $? "which is the same again from $files"
done
# A merge sorts options. The paths are others. A merged report has no row for each host.
"$tickwise" report --merge-hosts changes/[123].json |
	sed '/^options /,/^$/d; /^  *lat$/,/^$/d' >page
"$tickwise" report --merge-hosts all.json |
	sed '/^options /,/^$/d; /^  *lat$/,/^$/d' >page_again
is "$(diff page page_again)" '' 'its page is that of its jobs'
for run in 1 2 3 4; do
	for thread in 1 2; do
		write_report before.$run.$thread.json run="\"run\": \"$run\"," thread=$thread \
			pid=$run$thread
		write_report after.$run.$thread.json run="\"run\": \"1$run\"," thread=$thread \
			pid=1$run$thread slow=2000
	done
	merged before.$run.?.json >>before.json
	merged after.$run.?.json >>after.json
done
"$tickwise" diff before.?.?.json -- after.?.?.json >page
"$tickwise" diff before.json -- after.json >page_again
is "$(wc -l <before.json) $(grep -c '^lat mean .*+5.3 %' page)$(diff page page_again)" '4 1' \
	'a comparison of merged reports finds what one of their jobs does'
done_testing
