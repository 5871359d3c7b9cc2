# SPDX-License-Identifier: MIT
# Makes I/Os wait for a tag and in a scheduler; see ../kernel_parts.t.
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
		END
	done | run "$kind"
}
jobs exact 1 tag sched wide quiet
jobs bound 0 tag sched wide quiet
# fio's jobs have numbers, which their reports end with.
cd /tmp || exit
for report in *.json.?; do
	mv "$report" "${report%.?}"
done
cd /out || exit
# shellcheck disable=SC2046
hand_over $(cd /tmp && echo version *.json *.err *.status)
