# SPDX-License-Identifier: MIT
# Suspends a device for 100 ms under an open loop; see ../open_loop.t.
load crc32c_generic 2>/dev/null
load dm_mod
cat /proc/version >/tmp/version
trace=/sys/kernel/tracing
mount -t tracefs tracefs $trace
# A request takes 100 us.
device many 100000
echo none >/sys/block/many/queue/scheduler
dmsetup create --noudevsync held --table "0 $(cat /sys/block/many/size) linear /dev/many 0"
dmsetup mknodes held
echo 8192 >$trace/buffer_size_kb
echo mono >$trace/trace_clock
echo 1 >$trace/events/block/block_rq_complete/enable

# job NAME ARGUMENT...: leaves NAME.json and NAME.trace, which has a line for each completion
job()
{
	name=$1
	shift
	: >$trace/trace
	timeout -s KILL 120 fio --name="$name" --filename=/dev/mapper/held \
		--ioengine=external:/tickwise.so --direct=1 --bs=4k --size=64m --rw=randread \
		--iodepth=512 --time_based --runtime=2 --norandommap --tw_slowest=10000 \
		--tw_report="/tmp/$name.json" --output=/dev/null "$@" 2>"/tmp/$name.err" &
	sleep 1
	dmsetup suspend held
	sleep 0.1
	dmsetup resume --noudevsync held
	wait $!
	echo $? >"/tmp/$name.status"
	cat $trace/trace >"/tmp/$name.trace"
	progress "/tmp/$name"
}

job open --tw_rate_iops=2000
job closed --rate_iops=2000
dmsetup remove --noudevsync held
# shellcheck disable=SC2046
hand_over $(cd /tmp && echo version *.json *.trace *.err *.status)
