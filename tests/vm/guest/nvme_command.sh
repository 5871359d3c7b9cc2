# SPDX-License-Identifier: MIT
# Runs the passthrough engine and fio's own; see ../nvme_command.t.
. /guest/fio.sh

load nvme poll_queues=2
# both MODE ARGUMENT...: runs a job on both engines
both()
{
	mode=$1
	shift
	for engine in tickwise-cmd io_uring_cmd; do
		fio_job "$mode-$engine" "$engine" --cmd_type=nvme \
			--iodepth=8 --size=2m "$@"
	done
}

# ours MODE ARGUMENT...: runs a job that not every fio's own engine can do
ours()
{
	mode=$1
	shift
	fio_job "$mode-tickwise-cmd" tickwise-cmd --size=2m --iodepth=8 "$@"
}

small="--filename=/dev/ng0n1 --bs=4k"
large="--filename=/dev/ng0n2 --bs=4k"
verify="--rw=randwrite --verify=crc32c --do_verify=1"
# shellcheck disable=SC2086
{
	both plain $small $verify
	both one_deep $small $verify --iodepth=1
	both vectored $small $verify --nonvectored=0
	both fixedbufs $small $verify --fixedbufs=1
	both hipri $small $verify --hipri=1
	both registerfiles $small $verify --registerfiles=1
	both all $small $verify --hipri=1 --fixedbufs=1 --registerfiles=1
	both sqthread_poll $small $verify --sqthread_poll=1
	both large_blocks $large $verify
	both odd_blocks --filename=/dev/ng0n1 --bs=1536 --size=1536k $verify
	both too_small $large --bs=512 --rw=randread
	both mixed $small --rw=randrw --numjobs=1 --iodepth=16
	both threads $small --rw=randread --thread=1
	both past_end $small --rw=read --offset=63m --size=2m
	ours flush $small --rw=write --fsync=4 --size=1m --iodepth=1
	ours flush_hipri $small --rw=write --fsync=4 --size=256k --hipri=1
	ours fua $small --rw=randwrite --writefua=1 --readfua=1 --size=256k
	# Use both engines: what one wrote the other reads.
	fio_job seed-io_uring io_uring --filename=/dev/nvme0n1 --direct=1 \
		--bs=4k --size=2m --rw=write --verify=crc32c --do_verify=0
	both other_door $small --rw=read --verify=crc32c
	# Trim the middle; its neighbours stay.
	dd if=/dev/nvme0n1 of=before bs=64k count=4 2>/dev/null
	ours trim $small --rw=trim --offset=64k --size=128k --bs=16k
	echo 3 >/proc/sys/vm/drop_caches
	dd if=/dev/nvme0n1 of=after bs=64k count=4 2>/dev/null
	ours trim_mixed $small --rw=randtrim --size=2m
	ours trim_large $large --rw=randtrim --size=2m --hipri=1
	ours trim_write $small --rw=trimwrite --size=1m
}
