# SPDX-License-Identifier: MIT
# The engine, and fio's own beside it, on a block device; see ../nvme_block.t.
. /guest/fio.sh

load nvme poll_queues=2
common="--filename=/dev/nvme0n1 --direct=1 --bs=4k --size=2m --iodepth=8
	--rw=randwrite --verify=crc32c --do_verify=1"
cat /sys/block/nvme0n1/queue/io_poll >io_poll
uname -r >kernel

# both MODE ARGUMENT...
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
# Somebody on the other CPU watches when each I/O is done.
common="--filename=/dev/nvme0n1 --direct=1 --bs=4k --size=8m --rw=randread
	--cpus_allowed=0 --tw_watch_cpu=1"
# The engine's brief look at the counters may be disturbed, and then nobody
# watches: another try.
watch()
{
	for try in 1 2 3 4 5; do
		# shellcheck disable=SC2086
		fio_job "$1-tickwise" tickwise $common --iodepth=$2 \
			--tw_watch_mode=$3
		grep -q '"why_not"' "$1-tickwise.report.json" 2>/dev/null ||
			break
	done
}
for watched in taskrun cq; do
	watch "watch_$watched" 1 $watched
	watch "watch_${watched}_deep" 8 $watched
done
