# SPDX-License-Identifier: MIT
# Runs on machines that keep time by another clock than the counter; see ../clocksource.t.
. /guest/fio.sh

load null_blk nr_devices=1 queue_mode=2 irqmode=0 gb=1 submit_queues=1
cat /sys/devices/system/clocksource/clocksource0/current_clocksource \
	>clocksource
grep -c -w -m 1 rdtscp /proc/cpuinfo >rdtscp
tickwise check --json >check.json 2>check.err
echo $? >check.status
# A short window may be too disturbed, and the program then tells so.
for window in 200 2000; do
	tickwise calibrate --json --window=$window >calibrate.json \
		2>calibrate.err
	echo $? >calibrate.status
	[ "$(cat calibrate.status)" -ne 70 ] || continue
	break
done
for engine in tickwise io_uring; do
	fio_job job-$engine $engine --filename=/dev/nullb0 --direct=1 \
		--rw=randread --bs=4k --time_based=1 --runtime=1
done
