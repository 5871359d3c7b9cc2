# SPDX-License-Identifier: MIT
# Runs jobs on a device that takes a known time; see ../truth_null.t.
. /guest/fio.sh

for ns in 10000 20000 50000 100000 1000000; do
	load null_blk nr_devices=1 queue_mode=2 irqmode=2 completion_nsec=$ns \
		submit_queues=1 gb=1
	for engine in tickwise io_uring; do
		fio_job "$ns-$engine" $engine --filename=/dev/nullb0 --direct=1 \
			--rw=randread --bs=4k --iodepth=1 --number_ios=500 \
			--size=64m
	done
	rmmod null_blk
done
