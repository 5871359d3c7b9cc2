# SPDX-License-Identifier: MIT
# Reads from a slow device, alone and next to others; see ../kernel_company.t.
load configfs 2>/dev/null
load null_blk nr_devices=0
mount -t configfs configfs /sys/kernel/config
cat /proc/version >version
for name in nulla nullb; do
	mkdir "/sys/kernel/config/nullb/$name"
	# Each request takes 30 ms, whatever it does.
	for setting in size=256 blocksize=4096 queue_mode=2 irqmode=2 completion_nsec=30000000 \
			hw_queue_depth=64 submit_queues=2 memory_backed=1 cache_size=8 discard=1 \
			power=1; do
		echo "${setting#*=}" >"/sys/kernel/config/nullb/$name/${setting%%=*}"
	done
done
for disk in /dev/nulla /dev/nullb; do
	[ -e "$disk" ] || ls /dev >no_disk
done

# others KIND: runs what keeps the device busy, in the background
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

disk=nulla
for kind in none writes flushes discards reads elsewhere; do
	on=nulla
	what=$kind
	[ $kind != elsewhere ] || { on=nullb; what=writes; }
	others $on $what
	cat "/sys/block/$on/inflight" >"$kind.inflight"
	fio_job $kind tickwise --rw=randread --size=1m --io_size=400k --iodepth=2 \
		--tw_kernel=require --tw_kernel_every=1 --tw_causes=1 --tw_slowest=1000
	[ $kind = none ] || kill "$others_pid"
	wait
done
