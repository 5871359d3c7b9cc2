#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: of eight reads in one batch that are due 100, 200 ... 800 us after
# their submission, fio's own clat is each one's own with tw_event_time=1 and
# tw_event_wait=1, to 50 us; where fio's engine gives all eight the time of the
# last.
# Defect: a completion that is stamped with the batch, a wait for all of them, a
# shift by another I/O's time.
#
# The reads are those of kernel timers (preload/ring_device.c), so that what is
# right is known. What the 50 us are for: waking a process that sleeps takes 20
# to 40 us on a virtual machine. How late the kernel itself was with each is
# written down beside; where that alone takes up 40 of the 50 us, nothing can be
# said: the rest is for our own way, some us. Half of a position's reads decide,
# so that a moment in which others had the CPU doesn't.
. "$(dirname "$0")/fio_tap.sh"
need ring_device

head -c 65536 /dev/zero >d.data

# eight ENGINE ARGUMENT...: batches of eight for two seconds; clat.N has the
# sorted clat (us) of those due at N times 100 us
eight()
{
	engine=$1
	shift
	rm -f clat.* late.* ./*.log
	on_device "DEVICE_DUE_US=100 DEVICE_LATE=late" "$engine" --name=d \
		--filename=d.data --rw=read --bs=4k --size=64k --iodepth=8 \
		--iodepth_batch_submit=8 --iodepth_batch_complete_min=8 \
		--time_based=1 --runtime=2 --write_lat_log=d --log_offset=1 "$@"
	awk -F', *' '{ print $2 / 1000 >"raw." $5 / 4096 % 8 + 1 }' \
		d_clat.1.log
	for n in 1 2 3 4 5 6 7 8; do
		sort -n raw.$n >clat.$n
		rm raw.$n
	done
}
# middle FILE
middle()
{
	sort -n "$1" | awk '{ v[NR] = $1 } END { printf "%.0f", v[int(NR / 2) + 1] }'
}
# within N: the share in percent of those due at N times 100 us
within()
{
	awk -v due="$((100 * $1))" '$1 > due - 50 && $1 < due + 50 { n++ }
		END { printf "%.0f", 100 * n / NR }' "clat.$1"
}
told()
{
	for n in 1 2 3 4 5 6 7 8; do
		echo "# due at ${n}00 us: median $(middle clat.$n) us," \
			"within 50 us: $(within $n) %"
	done
}

eight io_uring
ok $? "eight at a time with fio's own engine"
told
[ "$(within 1)" -lt 50 ]
ok $? 'which takes the end of the last for that of the first'

eight "external:$TICKWISE_SO" --tw_event_time=1 --tw_event_wait=1 \
	--tw_report=d.json
ok $? 'eight at a time with ours'
told
for n in 1 2 3 4 5 6 7 8; do
	cat late.* | awk -v n=$n '$1 == n { print $2 }' >late_of
	late=$(middle late_of)
	if [ "$late" -ge 40 ]; then
		skip "disturbed: half of those due at ${n}00 us came from the \
kernel $late us late and more"
		continue
	fi
	[ "$(within $n)" -ge 50 ]
	ok $? "due at ${n}00 us: fio says so to 50 us (the kernel's part: $late)"
done
json d.json '$j->{ios}{read} >= 8 && !$j->{errors}{read} && !$j->{short}{read}'
ok $? 'and nothing else happened'
done_testing
