# SPDX-License-Identifier: MIT
#
# Runs clock_events for each event= on the kernel's command line, a job of fio
# during each; see ../questions.sh. An event is WORD or CPU:TICKS:PPM.
. /guest/fio.sh

load null_blk nr_devices=1 queue_mode=2 irqmode=0 gb=1 submit_queues=1
for event in $(tr ' ' '\n' </proc/cmdline | sed -n 's/^event=//p'); do
	echo "$event" >now
	# Every reading of the job is far from the event but one.
	fio_job "$event" tickwise --filename=/dev/nullb0 --direct=1 --rw=randread \
		--bs=4k --thinktime=20000 --time_based=1 --runtime=15 &
	sleep 1
	clock_events "$(echo "$event" | tr : ' ')" >>events.txt 2>>events.err
	wait
	echo done >now
	echo 'all 0 0' >event
	sleep 1
done
dmesg | grep -i 'clocksource\|tsc' >kernel.txt
