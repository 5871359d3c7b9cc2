# SPDX-License-Identifier: MIT
# Reads from a slow device, alone and next to others; see ../kernel_in_flight_of_others.t.
load configfs 2>/dev/null
load null_blk nr_devices=0
mount -t configfs configfs /sys/kernel/config
cat /proc/version >version
# Each request takes 30 ms, whatever it does, and on nullc 500 ms. Discards come one after the
# other, since the kernel locks the device for each, and writes from the page cache need much of
# an emulated CPU: so the times between them are short.
# Only nulld has a cache, and so flushes. When the cache of null_blk is full of writes, it may
# look for space without an end: a soft lockup.
for name in nulla nullb nullc nulld; do
	mkdir "/sys/kernel/config/nullb/$name"
	ns=30000000
	[ $name != nullc ] || ns=500000000
	cache=0
	[ $name != nulld ] || cache=8
	for setting in size=256 blocksize=4096 queue_mode=2 irqmode=2 completion_nsec=$ns \
			hw_queue_depth=64 submit_queues=2 memory_backed=1 cache_size=$cache discard=1 \
			power=1; do
		echo "${setting#*=}" >"/sys/kernel/config/nullb/$name/${setting%%=*}"
	done
done
# others DEVICE KIND: runs what keeps the device busy, in the background
others()
{
	busy="fio --name=others --filename=/dev/$1 --direct=1 --ioengine=psync --time_based
		--runtime=1000 --numjobs=8 --thread --output=/dev/null --eta=never"
	case $2 in
	flushes) flushes "/dev/$1" & ;;
	writes) $busy --rw=randwrite --bs=64k & ;;
	reads) $busy --rw=randread --bs=64k & ;;
	discards) $busy --rw=randtrim --bs=64k & ;;
	writeback)
		sh -c 'echo $$ >/sys/fs/cgroup/others/cgroup.procs; exec "$@"' sh $busy \
			--direct=0 --sync=1 --rw=randwrite --bs=64k --offset=64m --size=128m & ;;
	esac
	others_pid=$!
	echo $others_pid >"$kind.pid"
	[ "$2" != none ] && sleep 3
}

# An emulated CPU that is busy with others takes that long to load the program.
fio_seconds=150
mount -t cgroup2 cgroup2 /sys/fs/cgroup
echo '+io +memory' >/sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/others

for kind in none writes flushes discards reads writeback elsewhere; do
	disk=nulla
	case $kind in
	discards | writeback) disk=nullc ;;
	flushes) disk=nulld ;;
	esac
	if [ $kind = elsewhere ]; then
		others nullb writes
	else
		others $disk $kind
	fi
	fio_job $kind tickwise --rw=randread --invalidate=0 --size=1m --io_size=400k --iodepth=2 \
		--tw_kernel=require --tw_kernel_every=1 --tw_causes=1 --tw_slowest=1000
	[ $kind = none ] || kill "$others_pid"
	wait
done
