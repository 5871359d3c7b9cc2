#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Does the page of a real run name a change, with its time? As root, in a folder on a disk:
#
#	tests/bench/steady_real.sh [RUNS [IOPS [FOLDER]]]
#
# RUNS jobs of 10 s run alone, and RUNS with a second job that begins after 2 to 5 s and runs for
# 2 to 3 s. Both are in a cgroup of version 1 that may read IOPS times a second; 0: no limit. Their
# depth is so large that the limit always has I/Os to hold, also on busy CPUs. Of each run a line is
# printed: the verdict, when the second job began and ended, and the times on the page. A time is
# right if it is within a window of the real one. FOLDER keeps the reports.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${TW_BUILD:-$root/build}
runs=${1:-20}
iops=${2:-2000}
work=$(mktemp -d "$PWD/steady_real.XXXXXX")
keep=${3:-$work}
group=/sys/fs/cgroup/blkio/tw_steady
trap 'cd /; rm -rf "$work"; [ "$iops" = 0 ] || rmdir "$group"' EXIT
trap 'exit 1' INT TERM
cd "$work" || exit
in_group=
if [ "$iops" != 0 ]; then
	device=$(stat -c %d .)
	mkdir -p "$group"
	echo "$((device >> 8 & 4095)):$((device & 255)) $iops" >"$group/blkio.throttle.read_iops_device"
	in_group="echo \$\$ >$group/cgroup.procs;"
fi
job='--direct=1 --rw=randread --bs=4k --iodepth=64 --time_based'
job="$job --size=1g --filename=data --norandommap"
fio --name=lay --filename=data --size=1g --rw=write --bs=1m --end_fsync=1 >/dev/null

for run in $(seq $((2 * runs))); do
	kind=$([ "$run" -gt "$runs" ] && echo second || echo alone)
	rm -f first.prerun.txt
	sh -c "$in_group exec fio --name=first $job --runtime=10 --exec_prerun=true \
		--ioengine=external:$build/tickwise.so --tw_report=first.json" >/dev/null 2>&1 & first=$!
	if [ $kind = second ]; then
		until [ -e first.prerun.txt ]; do sleep 0.05; done
		sleep "$(perl -e 'printf "%.2f", 1.5 + 2 * $ARGV[0]' "0.$((run * 37 % 100))")"
		sh -c "$in_group exec fio --name=second $job --ioengine=libaio \
			--runtime=$((2000 + run * 173 % 1000))ms --output-format=json \
			--output=second.json --exec_prerun='date +%s.%N'" >/dev/null 2>&1
	fi
	wait $first
	"$build/tickwise" report --json first.json >page.json
	cp first.json "$keep/$kind-$run.json"
	perl -MJSON::PP -we 'use strict;
		my ($kind) = @ARGV;
		my $read = sub { local (@ARGV, $/) = @_; <> };
		my $page = decode_json($read->("page.json"));
		my ($job, $steady) = ($page->{jobs}[0], $page->{analysis}{steady});
		my @real;
		if ($kind eq "second") {
			my $second = (decode_json($read->("second.json")))->{jobs}[0];
			my $begin = $read->("second.prerun.txt") - $job->{start} / 1e9;
			@real = ($begin, $begin + $second->{job_runtime} / 1e3);
		}
		my @found = map { $_->{from_ns} / 1e9 } @{$steady->{parts} // []};
		shift @found;
		my $width = $page->{over_time}{width_ns} / 1e9;
		my $right = grep { my $at = $_; grep { abs($_ - $at) <= $width } @found } @real;
		printf "%-7s %-8s real: %-12s found: %-20s %s, load %s", $kind, $steady->{verdict},
			join(" ", map { sprintf "%.2f", $_ } @real),
			join(" ", map { sprintf "%.2f", $_ } @found),
			@real ? "$right of 2 times right" : "", $read->("/proc/loadavg") =~ s/ .*//sr;
		print "\n"; ' $kind
done | tee lines
awk '{ verdicts[$1 " " $2]++; all += $1 == "second"; right[$1] += /2 of 2/ }
	END { for (i in verdicts) print i ": " verdicts[i]
		print "both times right: " right["second"] " of " all }' lines
