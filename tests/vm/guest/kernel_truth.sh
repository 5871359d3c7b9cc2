# SPDX-License-Identifier: MIT
# Makes devices that take a known time, and disturbs them; see ../kernel_truth.t.
. /guest/fio.sh

load configfs 2>/dev/null
load null_blk nr_devices=0
mount -t configfs configfs /sys/kernel/config

# device NAME NS TAGS: /dev/NAME takes NS for a request, and TAGS requests at a time
device()
{
	mkdir "/sys/kernel/config/nullb/$1"
	for setting in size=1024 blocksize=4096 queue_mode=2 irqmode=2 \
			completion_nsec="$2" hw_queue_depth="$3" submit_queues=1 \
			power=1; do
		echo "${setting#*=}" \
			>"/sys/kernel/config/nullb/$1/${setting%%=*}"
	done
}

# job NAME DEVICE [OPTION...]: adds a job to the next fio, after those before it
job()
{
	cat <<-END
	[$1]
	stonewall
	ioengine=external:/tickwise.so
	filename=/dev/$2
	direct=1
	rw=randread
	bs=4k
	size=64m
	number_ios=200
	tw_kernel=auto
	tw_slowest=1000
	tw_report=/tmp/$1.json
	END
	shift 2
	printf '%s\n' "$@"
}

# run NAME [PROGRAM ARGUMENT...]: runs the jobs on stdin, in one fio under PROGRAM:
# the program of the stages is loaded once
run()
{
	name=$1
	shift
	cat >"/tmp/$name.fio"
	timeout -s KILL 60 "$@" fio --output-format=json --eta=never \
		--output=/dev/null "/tmp/$name.fio" 2>"/tmp/$name.err"
	echo $? >"/tmp/$name.status"
	echo "$name: $(cat "/tmp/$name.status")" \
		"(at $(cut -d' ' -f1 /proc/uptime) s)"
}

for ns in 10000 100000 1000000; do
	device "nullb$ns" $ns 64
	job $ns "nullb$ns"
done | run alone
cat /proc/version >/tmp/version.err

# A task of this kind does not take the CPU from another one when it wakes up.
(while :; do :; done) &
loop=$!
job busy nullb100000 | run busy /bin/chrt -b 0
kill $loop

device narrow 100000 1
{
	cat <<-END
	[writer]
	ioengine=io_uring
	filename=/dev/narrow
	direct=1
	rw=write
	bs=4k
	size=64m
	iodepth=4
	time_based
	runtime=10
	END
	job reader narrow exitall | grep -v stonewall
} | run writer
# Write one file: while the machine waits for the shared folder, its time passes fast.
tar -c -C /tmp -f /tmp/results.tar $(cd /tmp && echo *.json* *.err *.status)
cp /tmp/results.tar .
