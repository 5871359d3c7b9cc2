#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: a merged report is a report of several jobs. `report --json` prints it again
# as it is, a page and a comparison of it are those of its jobs, and reports one after
# another in a file are as in several. Defect: a number that changes when it is read
# again, a job or a slow I/O that is lost in a merge of merges.
# tests/unit/report/report_merge_order.c merges in any order.
. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/../../../report_files.sh"

cd "$scratch" || exit 1
case $tickwise in /*) ;; *) tickwise=$OLDPWD/$tickwise ;; esac

# merged FILE...: prints what `report --json` does
merged()
{
	"$tickwise" report --json --merge-hosts "$@" || echo "exit code $?"
}

# Jobs that differ in rows that only some have, clocks, reasons, devices, widths of
# windows, lengths of lists, options, hosts.
write_full full.json
changes <<'CASES'
full
	delete @{$r}{qw(attached lacks unknown)};
	$r->{slowest} = [map { slow($_, queue => $_) } 30, 20, 20]
full
	delete @{$r}{qw(attached lacks unknown stages_by_lat fio_lat)};
	@{$j}{qw(thread_number pid)} = (2, 2);
	$r->{devices}[0]{device} = "8:1"; $j->{options}{bs} = "8k"; $r->{over_time} = windows(4,
	50, 3);
	$r->{counter} = { verdict => "unreliable", reasons => [{ code => "a", text => "y" }] }
full
	delete @{$r}{qw(attached lacks unknown bytes)}; @{$j}{qw(thread_number pid host)} = (3,
	3, "far");
	$r->{slowest} = [slow(25, queue => 25)]; $r->{clocks}{fio}{error_ppb} = 9000;
	$r->{lunch} = 1; $_->{host} = "far" for @{$r->{machines}}, @{$r->{devices}}
CASES
for i in 1 2 3; do
	merged changes/$i.json >again.json
	merged again.json >twice.json
	cmp again.json twice.json
	ok $? "a job's report is printed again as it is: $i"
done
merged changes/1.json changes/2.json changes/3.json >all.json
is "$(of_json '@r . " " . @{$r->{jobs}} . " $r->{ios}{read} " . @{$r->{slowest}}' all.json)" \
	'1 3 300 1' 'jobs of two hosts are one report'
merged all.json >again.json
cmp all.json again.json
ok $? 'it is printed again as it is'
merged changes/2.json changes/3.json >pair.json
merged changes/1.json pair.json >again.json
cmp all.json again.json
ok $? 'also if two of them were merged before'
cat changes/1.json changes/2.json >two.json
merged changes/3.json two.json >again.json
cmp all.json again.json
ok $? 'or are one after another in a file'
run report --merge-hosts all.json changes/1.json
is "$status $(grep -c 'the same job as' "$err")" '65 1' 'a job twice is refused, also in a merge'
# A merge sorts options. The paths are others.
"$tickwise" report --merge-hosts changes/[123].json | sed '/^options /,/^$/d' >page
"$tickwise" report --merge-hosts all.json | sed '/^options /,/^$/d' >page_again
is "$(diff page page_again)" '' 'the page of a merged report is that of its jobs'

# ---- a comparison ----
for run in 1 2 3 4; do
	for thread in 1 2; do
		write_report before.$run.$thread.json run="\"run\": \"$run\"," thread=$thread \
			pid=$((10 * run + thread))
		write_report after.$run.$thread.json run="\"run\": \"1$run\"," thread=$thread \
			pid=$((100 * run + thread)) slow=2000
	done
	merged before.$run.?.json >>before.json
	merged after.$run.?.json >>after.json
done
"$tickwise" diff before.?.?.json -- after.?.?.json >page
"$tickwise" diff before.json -- after.json >page_again
is "$(wc -l <before.json) $(grep -c 'B is 1.053' page)$(diff page page_again)" '4 1' \
	'a comparison of merged reports finds what one of their jobs does'
done_testing
