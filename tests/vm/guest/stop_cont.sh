# SPDX-License-Identifier: MIT
# Runs jobs while the host stops the machine; see ../stop_cont.t.
. /guest/fio.sh

load nvme poll_queues=2
for engine in tickwise io_uring; do
	fio_job $engine $engine --filename=/dev/nvme0n1 --direct=1 \
		--rw=randread --bs=4k --iodepth=4 --time_based=1 --runtime=4 &
	sleep 1.5
	# Tell the host when to stop the machine.
	echo running >"$engine.running"
	wait
done
