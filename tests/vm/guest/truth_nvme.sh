# SPDX-License-Identifier: MIT
# Runs jobs on an NVMe device that takes a known time; see ../truth_nvme.t.
. /guest/fio.sh

load nvme poll_queues=2
fio_job block tickwise --filename=/dev/nvme0n1 --direct=1 --rw=randread \
	--bs=4k --iodepth=4 --time_based=1 --runtime=1 --tw_kernel=auto
fio_job polled tickwise --filename=/dev/nvme0n1 --direct=1 --rw=randread \
	--bs=4k --iodepth=4 --time_based=1 --runtime=1 --tw_kernel=auto --hipri=1
fio_job command tickwise-cmd --filename=/dev/ng0n1 --rw=randread \
	--bs=4k --iodepth=4 --time_based=1 --runtime=1 --tw_kernel=auto
fio_job own io_uring --filename=/dev/nvme0n1 --direct=1 --rw=randread \
	--bs=4k --iodepth=4 --time_based=1 --runtime=1
