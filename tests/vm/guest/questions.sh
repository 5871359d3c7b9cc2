# SPDX-License-Identifier: MIT
#
# Runs clock_events for the event= on the kernel's command line, during a job of fio;
# see ../questions.sh. An event is WORD or CPU:TICKS:PPM.
. /guest/fio.sh

reads()
{
	awk '{ print $1 }' /sys/block/nullb0/stat
}

# A read takes 50 ms. So one is in flight whenever something happens.
load null_blk nr_devices=1 queue_mode=2 irqmode=2 completion_nsec=50000000 gb=1 \
	submit_queues=1
fio_seconds=150
# This is a subshell, whose number is not $$. What begins now stays on one CPU.
# shellcheck disable=SC2016
self=$(exec sh -c 'echo $PPID')
case $(word event) in
[0-9]*) ;;
*) taskset -p 1 "$self" >/dev/null ;;
esac
fio_job job tickwise --filename=/dev/nullb0 --direct=1 --rw=randread --bs=4k \
	--time_based=1 --runtime=120 --clocksource=clock_gettime &
until_more reads 0 10 300
taskset -p 3 "$self" >/dev/null
clock_events "$(word event | tr : ' ')" >cells.txt 2>cells.err
# The process that starts the others has the lowest number. It ends its job.
kill -TERM "$(pidof fio | tr ' ' '\n' | sort -n | head -n 1)"
wait
cat /sys/devices/system/clocksource/clocksource0/current_clocksource >clocksource
dmesg | grep -i 'clocksource\|tsc' >kernel.txt
