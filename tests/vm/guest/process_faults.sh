# SPDX-License-Identifier: MIT
# Makes faults around the process; see ../process_faults.t.
. /guest/fio.sh

load null_blk nr_devices=1 queue_mode=2 irqmode=0 gb=1 submit_queues=1
disk="--filename=/dev/nullb0 --direct=1 --rw=randread --bs=4k"

# Make a full disk for the report.
mkdir /tmp/full
mount -t tmpfs -o size=64k tmpfs /tmp/full
dd if=/dev/zero of=/tmp/full/filler bs=1k count=60 2>/dev/null
# shellcheck disable=SC2086
fio --name=full --ioengine=external:/tickwise.so $disk --eta=never \
	--time_based=1 --runtime=1 --tw_report=/tmp/full/report.json \
	--output-format=json --output=full.fio.json 2>full.err
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
			--ioengine=$name $disk --eta=never --iodepth=64 \
			--thread=1 --size=1m --output=/tmp/memory.out \
			2>/tmp/memory.err)
		echo "$kb $? $(grep -c tickwise /tmp/memory.err)" \
			>>"memory.$engine"
		rm -f /tmp/*.tickwise.json ./*.tickwise.json
	done
done

# storm SIGNALS: sends them to all of fio's processes, as fast as a shell can, 300
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
	kill -CONT $pids 2>/dev/null
	echo $i
}
for engine in tickwise io_uring; do
	# shellcheck disable=SC2086
	fio_job storm-$engine $engine $disk --time_based=1 --runtime=4 \
		--iodepth=8 &
	sleep 1.5
	storm STOP CONT WINCH CHLD URG >storm-$engine.rounds
	wait
done

# Kill the job's process, then fio as a whole.
for engine in tickwise io_uring; do
	# shellcheck disable=SC2086
	fio_job killed-$engine $engine $disk --time_based=1 --runtime=20 &
	sleep 2
	kill -KILL $(pidof fio | cut -d' ' -f1)
	sleep 1
	killall -KILL fio 2>/dev/null
	wait
	ls /tmp >killed-$engine.ls
done
