#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: reads and writes that move nothing and have no error, as those of a
# block device that is gone, are I/Os like any other to fio, with either engine.
# Ours also counts them apart, and reports them once for each job. It leaves out
# those of the ramp time, as fio does. Defect: a device that is gone passed off as a
# fast one.
. "$(dirname "$0")/fio_tap.sh"
need ring_device

# job SETTINGS ARGUMENT...: runs reads of 4 KiB, one at a time
job()
{
	settings=$1
	shift
	rm -f r.json out.json
	head -c 262144 /dev/zero >e.data
	on_device "$settings" "external:$TICKWISE_SO" --name=e \
		--filename=e.data --bs=4k --size=256k --rw=randread \
		--iodepth=1 --tw_report=r.json "$@"
}

# empty: prints the report's count of empty reads and writes
empty()
{
	from_json r.json 'print $j->{empty}{read} + $j->{empty}{write}'
}

job ""
is "$(empty)" 0 'a device that does what it should: none'
grep -q 'moved nothing' err
[ $? -ne 0 ]
ok $? 'and not a word'

for rw in randread randwrite; do
	job DEVICE_NONE=4 --rw=$rw
	is "$(empty)" 16 "$rw: nothing of every fourth of 64: 16 counted"
	is "$(grep -c '^tickwise: e: 16 of its reads and writes moved nothing' \
		err)" 1 "$rw: one line says so"
	json r.json '$j->{ios}{read} + $j->{ios}{write} == 64 &&
		!$j->{errors}{read} && !$j->{errors}{write} &&
		!$j->{short}{read} && !$j->{short}{write}'
	ok $? "$rw: among those that are recorded, no errors, not short"
	is "$(from_json out.json 'my $job = $j->{jobs}[0];
		print $job->{read}{clat_ns}{N} // 0, " ",
			$job->{write}{clat_ns}{N} // 0')" \
		"$([ $rw = randread ] && echo 64 0 || echo 0 64)" \
		"$rw: fio counts them all"
	json r.json '$j->{bytes}{read} + $j->{bytes}{write} == 48 * 4096'
	ok $? "$rw: but not as bytes"
done

job DEVICE_NONE=1 --tw_report=none
is "$(grep -c '^tickwise: e: 64 of .* moved nothing' err)" 1 \
	'without a report it is told as well'

# All are empty, so the count is no more than are recorded, although there were
# more. A hundred of each in simulated time.
job 'DEVICE_NONE=1 DEVICE_SERIAL_US=1000' --time_based --runtime=100ms \
	--ramp_time=100ms
json r.json '$j->{empty}{read} == $j->{ios}{read} &&
	$j->{ios}{read} > 90 && $j->{unaccounted}{read} > 90'
ok $? 'those of the ramp time are left out'
done_testing
