#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: where time is virtual and a device takes a known time, `device` is that
# time and at most 25 us, and the other stages are the same for each device. A busy
# loop on the job's CPU lengthens `complete` and not `device`; a writer that takes
# the device's only tag lengthens `blockq` and not `device`. Defect: a stamp at the
# wrong place, a wait that counts for another stage.
. "$(dirname "$0")/boot.sh"

# Two processors would wait for each other's virtual time for ever.
cpus=1
accel=tcg,thread=single
seconds=240

# median FILE STAGE: prints the median, ns
median()
{
	value "$shared/$1" \
		'$j->{stages}{"'"$2"'"}{read}{percentiles}{"50.000000"} . "\n"'
}

boot kernel_truth -icount shift=0,sleep=off
ok $? "the machine ran"
tar -x -C "$shared" -f "$shared/results.tar"
for name in alone busy writer; do
	is "$(cat "$shared/$name.status")" 0 "$name: fio succeeds" ||
		sed 's/^/# /' "$shared/$name.err"
done
# The job is root's, on Debian's kernel: nothing else may prevent the stages.
if json "$shared/10000.json.1" '$j->{jobs}[0]{kernel}{state} eq "off" &&
		$j->{jobs}[0]{kernel}{why} =~ /built without/'; then
	skip "$(value "$shared/10000.json.1" '$j->{jobs}[0]{kernel}{why}')"
	done_testing
fi

stages='submit blockq device complete reap'
# device_is FILE NS DESCRIPTION: passes if all are split and within [NS, NS + 25 us]
device_is()
{
	for stage in $stages; do
		echo "# $3: $stage $(median "$1" $stage) ns"
	done
	is "$(value "$shared/$1" '$j->{kernel_stages}{split}{read}')" 200 \
		"$3: all are split"
	json "$shared/$1" 'my $d = $j->{stages}{device}{read};
		$d->{min_ns} >= '"$2"' &&
		$d->{percentiles}{"99.000000"} <= '"$2"' + 25000'
	ok $? "$3: device is $(value "$shared/$1" '
		my $d = $j->{stages}{device}{read};
		"$d->{min_ns} to $d->{percentiles}{q(99.000000)}"') ns (p99)"
}

job=0
tops=
for ns in 10000 100000 1000000; do
	job=$((job + 1))
	device_is $ns.json.$job $ns "$ns ns"
	tops="$tops $(($(median $ns.json.$job device) - ns))"
done
# As in truth_null.t: what the timer's interrupt finds on the CPU is worth up to 3 us.
for stage in submit blockq complete reap; do
	spread=$(for file in 10000.json.1 100000.json.2 1000000.json.3; do
		median $file $stage
	done | sort -n | awk 'NR == 1 { low = $1 } END { print $1 - low }')
	[ "$spread" -lt 3000 ]
	ok $? "$stage is the same for each device to $spread ns"
done

# longer FILE STAGE DESCRIPTION: passes if it is at least twice that of a job alone
longer()
{
	alone=$(median 100000.json.2 "$2")
	[ "$(median "$1" "$2")" -gt $((2 * alone + 20000)) ]
	ok $? "$3: $2 takes $(median "$1" "$2") ns instead of $alone"
}
device_is busy.json 100000 "a busy loop"
longer busy.json complete "a busy loop"
[ "$(median busy.json blockq)" -lt 20000 ]
ok $? "a busy loop: not blockq"
device_is reader.json.2 100000 "a writer"
longer reader.json.2 blockq "a writer"

row "null_blk that takes 10, 100, 1000 us; virtual time; split inside the kernel" \
	"device: the set time and 0 to 25 us; the other stages stay" \
	"device: on top$tops ns" "has no stages"
row "a busy loop on the job's CPU; a writer that takes the device's only tag" \
	"complete is longer; blockq is longer; device is not" \
	"complete $(median busy.json complete) ns, alone $(median \
		100000.json.2 complete), device $(median busy.json device); \
blockq $(median reader.json.2 blockq) ns, alone $(median \
		100000.json.2 blockq), device $(median reader.json.2 device)" \
	"has no stages"
done_testing
