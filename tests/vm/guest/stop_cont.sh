# SPDX-License-Identifier: MIT
# The whole machine stands still in mid-run; see ../stop_cont.t.
. /guest/fio.sh

load nvme poll_queues=2
for engine in tickwise io_uring; do
	fio_job $engine $engine --filename=/dev/nvme0n1 --direct=1 \
		--rw=randread --bs=4k --iodepth=4 --time_based=1 --runtime=4 &
	sleep 1.5
	# For the one who stops us.
	echo running >"$engine.running"
	wait
done
