#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: time is virtual (every instruction takes a nanosecond, so nothing
# disturbs), and a device takes a known time. The report has that time and one constant
# for the way from fio and back. Split inside the kernel, `device` is that time and at
# most 25 us, and the other stages are the same for each device. A busy loop on the
# job's CPU lengthens `complete` and not `device`; a writer that takes the device's only
# tag lengthens `blockq` and not `device`. Of 24 devices the one that is 10 % slower is
# the first in the table of devices, and is named: for one job with all of them, and for
# 24 jobs with one each. Defect: a wrong rate, a stamp at the wrong place, a stage left
# out: then the difference is not the same at 10 us and at 1 ms. Also a wait that counts
# for another stage, I/Os that count for another device, a verdict without a difference
# or a difference without a verdict.
. "$(dirname "$0")/boot.sh"

# Two processors would wait for each other's virtual time for ever.
cpus=1
accel=tcg,thread=single
seconds=400
boot truth -icount shift=0,sleep=off
ok $? "the machine ran"
tar -x -C "$shared" -f "$shared/results.tar"

# The way from fio and back, and a stage of it, may vary by 3 us: the timer's interrupt
# comes while other code runs at 10 us, and on an idle CPU at 1 ms.
# alike DESCRIPTION NS...
alike()
{
	what=$1
	shift
	spread=$(printf '%s\n' "$@" | sort -n | awk 'NR == 1 { low = $1 } END { print $1 - low }')
	[ "$spread" -lt 3000 ]
	ok $? "$what is the same for each device to $spread ns ($*)"
}

# The mean minus the device's time, in ns: of the engine, and of fio's own clat.
tops=
own_tops=
for ns in 10000 20000 50000 100000 1000000; do
	report=$shared/$ns-tickwise.report.json
	is "$(value "$report" '$j->{stages}{lat}{read}{count}')" 500 \
		"$ns ns: all are recorded"
	[ "$(value "$report" '$j->{stages}{kernel}{read}{min_ns}')" -ge $ns ]
	ok $? "$ns ns: none is faster than the device"
	tops="$tops $(value "$report" 'int($j->{stages}{lat}{read}{mean_ns} - '$ns')')"
	own_tops="$own_tops $(value "$shared/$ns-io_uring.fio.json" \
		'int($j->{jobs}[0]{read}{clat_ns}{mean} - '$ns')')"
done
# shellcheck disable=SC2086
alike "the added constant" $tops
row "null_blk that takes 10, 20, 50, 100, 1000 us; virtual time" \
	"the set value and one constant, the same to 3 us" \
	"lat: on top$tops ns" "clat: on top$own_tops ns"

fleets="each one"
[ "$slower" = 1 ] || { fleets=; skip "24 devices: on x86-64 only"; }
# shellcheck disable=SC2086
for name in $fleets alone busy writer; do
	succeeds $name "$name: fio succeeds"
done

slow=null17
# judged NAME: prints the sentence on the devices
judged()
{
	sed -n '/devices by p99 of lat/,/^ *lat in device/p' "$shared/$1.txt" | sed '1d; $d' |
		tr -s ' \n' ' '
}
for name in $fleets; do
	has "$shared/$name.txt" 'devices by p99 of lat' "$name: they are in order of p99"
	sed -n '/devices by p99/,/^$/p' "$shared/$name.txt" | grep '^null' >"$scratch/rows"
	is "$(wc -l <"$scratch/rows")" 24 "$name: there are 24 devices"
	is "$(sed 's/ .*//; 1q' "$scratch/rows")" $slow "$name: the slow one is the first"
	is "$(judged $name | grep -o 'null[0-9]* is slower than each of the 23')" \
		"$slow is slower than each of the 23" "$name: and is named"
	echo "# $name:$(judged $name)"
done
[ "$slower" != 1 ] || row "24 null_blk devices of 1 ms, one of 1.1 ms, in one job and in 24; virtual time" \
	"the slow one is first by p99 and is named" \
	"$slow;$(judged one)" "has no devices"

# median FILE STAGE: prints the median, ns
median()
{
	value "$shared/$1" \
		'$j->{stages}{"'"$2"'"}{read}{percentiles}{"50.000000"} . "\n"'
}

# The job is root's, on Debian's kernel: nothing else may prevent the stages.
if json "$shared/10000.json.1" '$j->{jobs}[0]{kernel}{state} eq "off" &&
		$j->{jobs}[0]{kernel}{why} =~ /built without/'; then
	skip "$(value "$shared/10000.json.1" '$j->{jobs}[0]{kernel}{why}')"
	done_testing
fi

# device_is FILE NS DESCRIPTION: passes if all are split and within [NS, NS + 25 us]
device_is()
{
	for stage in submit blockq device complete reap; do
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
for stage in submit blockq complete reap; do
	# shellcheck disable=SC2046
	alike $stage $(for file in 10000.json.1 100000.json.2 1000000.json.3; do
		median $file $stage
	done)
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
works "a busy loop: not blockq" test "$(median busy.json blockq)" -lt 20000
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
