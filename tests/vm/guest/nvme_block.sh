# SPDX-License-Identifier: MIT
# Runs the engine and fio's own on a block device; see ../nvme_block.t.
. /guest/fio.sh

load nvme poll_queues=2
common="--filename=/dev/nvme0n1 --direct=1 --bs=4k --size=2m --iodepth=8
	--rw=randwrite --verify=crc32c --do_verify=1"
cat /sys/block/nvme0n1/queue/io_poll >io_poll

# both MODE ARGUMENT...: runs a job on both engines
both()
{
	mode=$1
	shift
	# shellcheck disable=SC2086
	for engine in tickwise io_uring; do
		fio_job "$mode-$engine" "$engine" $common "$@"
	done
}

both plain
both vectored --nonvectored=0
before=$(interrupts)
both hipri --hipri=1
echo $(($(interrupts) - before)) >hipri.interrupts
both fixedbufs --fixedbufs=1
both registerfiles --registerfiles=1
both sqthread_poll --sqthread_poll=1
both all --hipri=1 --fixedbufs=1 --registerfiles=1
common="--filename=/dev/nvme0n2 --direct=1 --bs=4k --size=2m --iodepth=8"
both trim --rw=randtrim
both large_blocks --rw=randwrite --verify=crc32c --do_verify=1
both too_small --bs=512 --rw=randread
both sync --rw=write --fsync=4
