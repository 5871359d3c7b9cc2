#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: plugin/job_devices.c
#
# Behaviour: a job with files on two devices has each I/O in the histograms of one
# device, as the manual describes. A job with two files on one device has no such
# histograms. Defect: a device that is missed or taken for another one, I/Os that
# get lost.
#
# /dev/shm is a file system of its own nearly everywhere. Where it is not, or is
# read-only, there is no second device without privileges.
. "$(dirname "$0")/fio_tap.sh"

# tell FILE PERL-EXPRESSION: prints the expression
tell()
{
	from_json "$1" "print do { $2 }"
}

run_fio --name=one --filename=a:b --size=64k --rw=randread --bs=4k \
	--tw_report=one.json
ok $? 'a job with two files'
is "$(tell one.json 'join " ", map { $_->{lat} ? "some" : "none" } @{$j->{devices}}')" none \
	'of one device has no histograms of that'

other=$(mktemp -d /dev/shm/tickwise.XXXXXX 2>/dev/null)
trap 'rm -rf "$scratch" "$other"' EXIT
if [ -z "$other" ] || [ "$(stat -c %d "$other")" = "$(stat -c %d .)" ]; then
	skip 'no file system but one'
	done_testing
fi
run_fio --name=two --filename="a:b:$other/c" --size=192k --rw=randrw --bs=4k \
	--iodepth=8 --fsync=8 --tw_report=two.json
ok $? 'a job with files on two devices'
is "$(tell two.json 'join " ", map { $_->{device} } @{$j->{devices}}')" \
	"$(stat -c '%Hd:%Ld' a "$other" | LC_ALL=C sort | xargs)" \
	'it has both, in the order of their numbers'
for direction in read write sync; do
	is "$(tell two.json 'my $sum = 0; $sum += $_->{ios}{'$direction'}
		for @{$j->{devices}}; $sum')" \
		"$(tell two.json '$j->{ios}{'$direction'}')" \
		"each $direction is on one of them"
done
is "$(tell two.json 'my ($c) = grep { $_->{device} eq "'"$(stat -c %Hd:%Ld \
		"$other")"'" } @{$j->{devices}}; $c->{ios}{read} + $c->{ios}{write}')" \
	16 'one file has a third of the transfers'
is "$(tell two.json 'my $bad = 0;
	for my $device (@{$j->{devices}}) {
		for my $direction (qw(read write sync)) {
			my $sum = 0;
			$sum += $_->{$direction}{count} // 0
				for @{$device->{over_time}{windows}};
			$bad++ if $sum != $device->{ios}{$direction} ||
				$sum != ($device->{lat}{$direction}{count} // 0);
		}
	}
	$bad')" 0 'its windows over time have all of them'

# With one device for each job of a group, the job's histograms are the device's, also in files
# of intervals.
run_fio --name=far --filename="$other/c" --size=64k --rw=randread --bs=4k \
	--tw_interval=100ms --tw_report=jobs.json --name=far --filename=a --size=64k \
	--rw=randread --bs=4k --loops=2 --tw_interval=100ms --tw_report=jobs.json
ok $? 'two jobs on a device each'
# devices FILE...: prints number and reads of each device in the merged reports
devices()
{
	run report --json "$@"
	tell "$out" 'join " ", sort map { "$_->{device} $_->{ios}{read}" }
		@{$j->{devices}}'
}
wanted=$(printf '%s\n' "$(stat -c '%Hd:%Ld' a) 32" \
	"$(stat -c '%Hd:%Ld' "$other") 16" | sort | tr '\n' ' ')
is "$(devices jobs.json.1 jobs.json.2) " "$wanted" 'the reports together have both'
is "$(devices jobs.json.1.intervals.jsonl jobs.json.2.intervals.jsonl) " "$wanted" \
	'and so have their intervals'
done_testing
