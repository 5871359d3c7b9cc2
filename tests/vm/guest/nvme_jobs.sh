# SPDX-License-Identifier: MIT
# Runs our engines and fio's own on NVMe; see ../nvme_jobs.t.
load nvme poll_queues=2
cat /sys/block/nvme0n1/queue/io_poll >io_poll
verify='--rw=randwrite --verify=crc32c --do_verify=1'

# job MODE DISK ARGUMENT...: runs a job with each of $engines
job()
{
	mode=$1
	disk=nvme$2
	shift 2
	on_each "$mode" "$engines" --iodepth=8 --size=2m "$@"
}

# shellcheck disable=SC2086
for engines in 'tickwise io_uring' 'tickwise-cmd io_uring_cmd'; do
	job plain 0n1 $verify
	job vectored 0n1 $verify --nonvectored=0
	before=$(interrupts)
	job hipri 0n1 $verify --hipri=1
	echo $(($(interrupts) - before)) >"${engines%% *}.interrupts"
	job fixedbufs 0n1 $verify --fixedbufs=1
	job registerfiles 0n1 $verify --registerfiles=1
	job sqthread_poll 0n1 $verify --sqthread_poll=1
	job all 0n1 $verify --hipri=1 --fixedbufs=1 --registerfiles=1
	job large_blocks 0n2 $verify
	job too_small 0n2 --bs=512 --rw=randread
done
engines='tickwise io_uring'
job trim 0n2 --rw=randtrim
job sync 0n2 --rw=write --fsync=4
# shellcheck disable=SC2086
{
	engines='tickwise-cmd io_uring_cmd'
	job one_deep 0n1 $verify --iodepth=1
	job odd_blocks 0n1 --bs=1536 --size=1536k $verify
	job mixed 0n1 --rw=randrw --iodepth=16
	job threads 0n1 --rw=randread --thread=1
	# Use both ways: what one wrote the other reads.
	fio_job seed-io_uring io_uring --size=2m --rw=write --verify=crc32c --do_verify=0
	job other_door 0n1 --rw=read --verify=crc32c
}
# Not every fio's own engine can do these.
engines=tickwise-cmd
# Trim the middle; its neighbours stay.
dd if=/dev/nvme0n1 of=before bs=64k count=4 2>/dev/null
job trim 0n1 --rw=trim --offset=64k --size=128k --bs=16k
echo 3 >/proc/sys/vm/drop_caches
dd if=/dev/nvme0n1 of=after bs=64k count=4 2>/dev/null
job trim_mixed 0n1 --rw=randtrim
job trim_large 0n2 --rw=randtrim --hipri=1
job trim_write 0n1 --rw=trimwrite --size=1m
job flush 0n1 --rw=write --fsync=4 --size=1m --iodepth=1
job flush_hipri 0n1 --rw=write --fsync=4 --size=256k --hipri=1
job fua 0n1 --rw=randwrite --writefua=1 --readfua=1 --size=256k
