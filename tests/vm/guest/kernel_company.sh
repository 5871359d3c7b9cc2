# SPDX-License-Identifier: MIT
# Reads from a slow device, alone and next to others; see ../kernel_company.t.
load configfs 2>/dev/null
load null_blk nr_devices=0
mount -t configfs configfs /sys/kernel/config
cat /proc/version >version
# Each request takes 30 ms, whatever it does. Discards come one after the other, since the
# kernel locks the device for each. So that the times between them are short, each takes
# 500 ms.
for name in nulla nullb nullc; do
	mkdir "/sys/kernel/config/nullb/$name"
	ns=30000000
	[ $name != nullc ] || ns=500000000
	for setting in size=256 blocksize=4096 queue_mode=2 irqmode=2 completion_nsec=$ns \
			hw_queue_depth=64 submit_queues=2 memory_backed=1 cache_size=8 discard=1 \
			power=1; do
		echo "${setting#*=}" >"/sys/kernel/config/nullb/$name/${setting%%=*}"
	done
done
# others DEVICE KIND: runs what keeps the device busy, in the background
others()
{
	busy="fio --name=others --filename=/dev/$1 --direct=1 --ioengine=psync --time_based
		--runtime=1000 --numjobs=8 --output=/dev/null --eta=never"
	case $2 in
	flushes) flushes "/dev/$1" & ;;
	writes) $busy --rw=randwrite --bs=64k & ;;
	reads) $busy --rw=randread --bs=64k & ;;
	discards) $busy --rw=randtrim --bs=64k & ;;
	esac
	others_pid=$!
	[ "$2" != none ] && sleep 3
}

for kind in none writes flushes discards reads elsewhere; do
	disk=nulla
	[ $kind != discards ] || disk=nullc
	if [ $kind = elsewhere ]; then
		others nullb writes
	else
		others $disk $kind
	fi
	fio_job $kind tickwise --rw=randread --size=1m --io_size=400k --iodepth=2 \
		--tw_kernel=require --tw_kernel_every=1 --tw_causes=1 --tw_slowest=1000
	[ $kind = none ] || kill "$others_pid"
	wait
done
