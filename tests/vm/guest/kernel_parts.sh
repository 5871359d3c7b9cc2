# SPDX-License-Identifier: MIT
# Makes I/Os wait for a tag, in a scheduler, and for a worker; see ../kernel_parts.t.
cat /proc/version >/tmp/version
load mq-deadline
device tag 100000 1
echo none >/sys/block/tag/queue/scheduler
device sched 100000 1
echo mq-deadline >/sys/block/sched/queue/scheduler
# The scheduler has place for all.
echo 64 >/sys/block/sched/queue/nr_requests
device wide 100000 64
echo none >/sys/block/wide/queue/scheduler
device quiet 100000 64
echo none >/sys/block/quiet/queue/scheduler
echo 0 >/sys/block/quiet/queue/iostats
device async 100000 64
echo none >/sys/block/async/queue/scheduler

# jobs KIND CAUSES DEVICE...: runs a job on each device; reports KIND-DEVICE.json
jobs()
{
	kind=$1 causes=$2
	shift 2
	for name; do
		cat <<-END
		[$name]
		stonewall
		ioengine=external:/tickwise.so
		filename=/dev/$name
		direct=1
		rw=randread
		norandommap
		bs=4k
		size=64m
		iodepth=8
		number_ios=200
		tw_kernel=require
		tw_kernel_every=1
		tw_causes=$causes
		tw_slowest=1000
		tw_report=/tmp/$kind-$name.json
		force_async=$([ "$name" = async ] && echo 1 || echo 0)
		END
	done | run "$kind"
}
# When workers get I/Os and begin, by the kernel's own trace.
trace=/sys/kernel/tracing
[ -d $trace/events ] || mount -t tracefs tracefs $trace
echo mono >$trace/trace_clock
echo p:begun io_wq_submit_work >$trace/kprobe_events
echo 1 >$trace/events/kprobes/begun/enable
echo 1 >$trace/events/io_uring/io_uring_queue_async_work/enable
jobs exact 1 tag sched wide quiet async
cat $trace/trace >/tmp/trace
echo 0 >$trace/events/enable
jobs bound 0 tag sched wide quiet async
# fio's jobs have numbers, which their reports end with.
cd /tmp || exit
for report in *.json.?; do
	mv "$report" "${report%.?}"
done
cd /out || exit
# shellcheck disable=SC2046
hand_over $(cd /tmp && echo version trace *.json *.err *.status)
