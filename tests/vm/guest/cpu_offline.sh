# SPDX-License-Identifier: MIT
# Takes a CPU away in mid-run and brings it back; see ../cpu_offline.t.
. /guest/fio.sh

load null_blk nr_devices=1 queue_mode=2 irqmode=0 gb=1 submit_queues=1
for engine in tickwise io_uring; do
	fio_job job-$engine $engine --filename=/dev/nullb0 --direct=1 \
		--rw=randread --bs=4k --time_based=1 --runtime=3 &
	sleep 1.2
	for pid in $(pidof fio); do
		taskset -p 2 "$pid" >/dev/null
	done
	sleep 0.2
	echo 0 >/sys/devices/system/cpu/cpu1/online
	nproc >"cpus.$engine"
	sleep 0.5
	echo 1 >/sys/devices/system/cpu/cpu1/online
	wait
done
tickwise check --json --watch=1 >watch.json 2>watch.err &
watcher=$!
sleep 2
echo 0 >/sys/devices/system/cpu/cpu1/online
sleep 2
# Not INT: a shell makes its background processes ignore it.
kill -TERM $watcher
wait $watcher
echo $? >watch.status
tickwise check --json >check.json
echo $? >check.status
