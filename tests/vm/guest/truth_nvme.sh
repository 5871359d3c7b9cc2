# SPDX-License-Identifier: MIT
# Runs jobs on an NVMe device that takes a known time; see ../truth_nvme.t.
load nvme poll_queues=2
disk=nvme0n1
job='--rw=randread --iodepth=4 --time_based=1 --runtime=1'
# shellcheck disable=SC2086
{
	fio_job block tickwise $job --tw_kernel=require --tw_kernel_every=1
	fio_job polled tickwise $job --tw_kernel=require --tw_kernel_every=1 --hipri=1
	fio_job command tickwise-cmd $job --tw_kernel=require --tw_kernel_every=1
	fio_job own io_uring $job
}
