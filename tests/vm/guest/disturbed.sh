# SPDX-License-Identifier: MIT
# Disturbs jobs from within their machine; see ../disturbed.t.
null_disk
job="--filename=/dev/nullb0 --direct=1 --rw=randread --bs=4k --eta=never"

# Make a full disk for the report.
mkdir /tmp/full
mount -t tmpfs -o size=64k tmpfs /tmp/full
dd if=/dev/zero of=/tmp/full/filler bs=1k count=60 2>/dev/null
# shellcheck disable=SC2086
fio --name=full --ioengine=external:/tickwise.so $job --time_based=1 --runtime=1 \
	--tw_report=/tmp/full/report.json --output-format=json \
	--output=full.fio.json 2>full.err
echo $? >full.status
ls -A /tmp/full >full.ls

# Give less and less memory: what is missing is reported, nothing dies of a signal.
for engine in tickwise io_uring; do
	for kb in 460000 440000 420000 410000 400000 390000 380000 370000 \
			360000 350000 340000 330000; do
		name=external:/tickwise.so
		[ $engine = tickwise ] || name=$engine
		# Run it in a session of its own: fio without memory may send
		# SIGTERM to its whole group.
		# shellcheck disable=SC2086
		(ulimit -v $kb; exec setsid timeout -s KILL 60 fio --name=m \
			--ioengine=$name $job --iodepth=64 --thread=1 --size=1m \
			--output=/tmp/memory.out 2>/tmp/memory.err)
		echo "$kb $? $(cat /tmp/memory.err /tmp/memory.out |
			grep -cE '^tickwise|failed to start')" >>"memory.$engine"
		rm -f /tmp/*.tickwise.json ./*.tickwise.json
	done
done

# storm SIGNAL...: sends them to all of fio's processes, as fast as a shell can, 300
# times or until one of them has ended; prints how often
storm()
{
	pids=$(pidof fio)
	i=0
	# shellcheck disable=SC2086
	while [ $i -lt 300 ] && kill -0 $pids 2>/dev/null; do
		for signal; do
			kill "-$signal" $pids 2>/dev/null
		done
		i=$((i + 1))
	done
	# shellcheck disable=SC2086
	kill -CONT $pids 2>/dev/null
	echo $i
}
more=--iodepth=8
meanwhile storm 4 storm STOP CONT WINCH CHLD URG
more=

# Kill the job's process, then fio as a whole.
killed()
{
	kill -KILL "$(pidof fio | cut -d' ' -f1)"
	sleep 1
	killall -KILL fio 2>/dev/null
}
meanwhile killed 20 killed
ls /tmp >killed.ls

# The kernel takes a tick of 10000 us for 10050: its clock is 0.5 % fast. It is so
# before the job, too, and for all of the job.
adjtimex -t 10050 >/dev/null
meanwhile fast 3 true
adjtimex -t 9950 >/dev/null
meanwhile slow 3 true
adjtimex -t 10000 >/dev/null
meanwhile ahead 3 date -s '2031-01-01 00:00:00'
meanwhile back 3 date -s '2001-01-01 00:00:00'

# Take the CPU that the job runs on, and give it back.
cpu=/sys/devices/system/cpu/cpu1/online
cpu_offline()
{
	for pid in $(pidof fio); do
		taskset -p 2 "$pid" >/dev/null
	done
	sleep 0.2
	echo 0 >$cpu
	nproc
	sleep 0.5
	echo 1 >$cpu
}
meanwhile offline 3 cpu_offline
tickwise check --json --least-time=4s >lost.json 2>lost.err &
checker=$!
sleep 2
echo 0 >$cpu
wait $checker
echo $? >lost.status
tickwise check --json >check.json
echo $? >check.status
