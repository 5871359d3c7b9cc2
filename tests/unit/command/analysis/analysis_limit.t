#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: core/command/analysis/limit.c
#
# Behaviour: the page tells of a limit above the device, with its rate to 1 %: a bucket of
# tokens for 100 ms, also where the job offers only 1.2 times the limit, where something else
# holds it up for a while, where a burst was allowed, where fio's rate is higher, and where reads
# and writes share it. No limit is a device that takes a constant time, a full queue, a cache,
# stalls at random times, a few stalls, the job's own rate, or a job that waits for a CPU. Defect: a slow drive is called a limit, or the rate is
# that of the burst.
. "$(dirname "$0")/../../../tap.sh"

cd "$scratch" || exit 1

# report SHAPE: leaves the JSON of the page in $out
report()
{
	perl "$root/tests/unit/command/analysis/limit_report.pl" "$1" >"$1.json"
	run report --json "$1.json"
}

# limit SHAPE IOPS HOLD_MS [DIRECTIONS]
limit()
{
	report "$1"
	perl -MJSON::PP -0 -e '$j = decode_json(<STDIN>); $j = $j->[0] if ref $j eq "ARRAY";
		$l = $j->{analysis}{limit};
		exit !($l && abs($l->{iops} / shift() - 1) < 0.01 &&
			abs($l->{hold_ns} / 1e6 / shift() - 1) < 0.05 &&
			abs($l->{bytes_per_second} / 4096 / $l->{iops} - 1) < 1e-6 &&
			$l->{directions} eq shift)' "$2" "$3" "${4-read}" <"$out"
	ok $? "$1: a limit of $2 IOPS, holds of $3 ms" "$out"
}

# no_limit SHAPE
no_limit()
{
	report "$1"
	is "$status" 0 "$1: there is a page"
	! grep -q '"limit"' "$out"
	ok $? "$1: no limit" "$out"
}

limit bucket 3000 50
limit slow 500 91.7
limit near 3000 16.7
limit disturbed 3000 50
limit burst 1000 16
limit behind 3000 50
limit shared 3000 50 'read and write'
for shape in paced constant full cached filled stalls few_stalls rated job; do
	no_limit "$shape"
done
run report bucket.json
tr -s ' \n' '  ' <"$out" | grep -qF 'a limit of 3000 IOPS (or of 11.7 MiB/s) seems to hold reads for 49.96 ms at a time'
ok $? 'the page has the sentence' "$out"
# A fast device and a slow one, of two hosts or of one.
here=$root/tests/unit/command/analysis
perl "$here/steady_report.pl" 'int(2000 + 100 * sin($_ / 3)), 2e5' >fast.json
perl "$here/steady_report.pl" '20, 12e6' |
	sed 's/"thread_number":1/"thread_number":2/; s/"pid":100/"pid":101/' >slow.json
sed 's/254:0/254:1/; s/vda/vdb/' slow.json >slow_device.json
sed 's/"host":"box"/"host":"bax"/g; s/box-7/bax-7/; s/"devices":\[[^]]*\]/"devices":[]/' \
	slow.json >slow_host.json
for slow in slow slow_device slow_host; do
	run report --json --merge-hosts fast.json $slow.json
	is "$(grep -c '"limit"' "$out")" "$([ $slow != slow ] && echo 0 || echo 1)" \
		"a limit is only seen of one device: $slow"
done
run report stalls.json
! grep -q 'seems to hold' "$out"
ok $? 'a page without a limit does not have it' "$out"
done_testing
