#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: eight reads in one batch are due 100, 200 ... 800 us after their
# submission. With tw_event_time=1 and tw_event_wait=1 fio's own clat is the one of
# each read. fio's engine gives all eight the time of the last, and so does ours
# with only one of the two options. Defect: a completion that is stamped with the
# batch, a wait for all of them, a shift by another I/O's time.
#
# Simulated time (preload/ring_device.c) makes the right result known. Between the
# due time of a completion and its stamp are readings of the clock, 10 ns each, at
# most ten of them: 100 ns.
. "$(dirname "$0")/fio_tap.sh"
need ring_device

head -c 65536 /dev/zero >d.data

# eight ENGINE ARGUMENT...: runs 20 ms of batches of eight; prints the clat (us) of
# those due at 100, 200 ... us, where all of them agree to 100 ns
eight()
{
	engine=$1
	shift
	rm -f ./*.log
	on_device "DEVICE_DUE_US=100" "$engine" --name=d \
		--filename=d.data --rw=read --bs=4k --size=64k --iodepth=8 \
		--iodepth_batch_submit=8 --iodepth_batch_complete_min=8 \
		--time_based=1 --runtime=20ms --write_lat_log=d --log_offset=1 \
		"$@" || cat err
	awk -F', *' '{
		n = $5 / 4096 % 8 + 1
		us = int($2 / 1000)
		if (!(n in clat))
			clat[n] = us
		if (clat[n] != us || $2 % 1000 > 100)
			clat[n] = clat[n] "," $2 / 1000
	}
	END {
		for (n = 1; n <= 8; n++)
			printf "%s ", clat[n]
	}' d_clat.1.log
}
own='100 200 300 400 500 600 700 800 '
last='800 800 800 800 800 800 800 800 '

is "$(eight io_uring)" "$last" \
	"fio's own engine takes the end of the last for that of each"
ours=external:$TICKWISE_SO
is "$(eight "$ours" --tw_event_time=1 --tw_event_wait=1 --tw_report=d.json)" \
	"$own" 'ours has the end of each with both options'
json d.json '$j->{ios}{read} >= 8 && !$j->{errors}{read} && !$j->{short}{read}'
ok $? 'and nothing else happened'
is "$(eight "$ours" --tw_report=none)" "$last" 'that of the last with neither'
is "$(eight "$ours" --tw_event_wait=1 --tw_report=none)" "$last" \
	'with tw_event_wait=1 alone: fio is left alone'
is "$(eight "$ours" --tw_event_time=1 --tw_report=none)" "$last" \
	'with tw_event_time=1 alone: none is seen before the last is there'
done_testing
