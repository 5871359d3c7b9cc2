# SPDX-License-Identifier: MIT
# Makes 24 devices, of which one is 10 % slower; see ../slow_device.t.
. /guest/fio.sh

load configfs 2>/dev/null
load null_blk nr_devices=0
mount -t configfs configfs /sys/kernel/config

# device NAME NS: /dev/NAME takes NS for a request
device()
{
	mkdir "/sys/kernel/config/nullb/$1"
	for setting in size=64 blocksize=4096 queue_mode=2 irqmode=2 \
			completion_nsec="$2" hw_queue_depth=64 submit_queues=1 \
			power=1; do
		echo "${setting#*=}" \
			>"/sys/kernel/config/nullb/$1/${setting%%=*}"
	done
}

# run NAME: runs the jobs on stdin
run()
{
	cat >"/tmp/$1.fio"
	timeout -s KILL 200 fio --output-format=json --eta=never \
		--output=/dev/null "/tmp/$1.fio" 2>"/tmp/$1.err"
	echo $? >"/tmp/$1.status"
	echo "$1: $(cat "/tmp/$1.status") (at $(cut -d' ' -f1 /proc/uptime) s)"
}

names=
for i in 01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24; do
	ns=1000000
	[ $i != 17 ] || ns=1100000
	device "null$i" $ns
	names="$names${names:+ }null$i"
done
global='[global]
ioengine=external:/tickwise.so
direct=1
rw=randread
bs=4k
norandommap'

{
	printf '%s\n' "$global" tw_report=/tmp/each.json iodepth=1 number_ios=1500
	for name in $names; do
		printf '[%s]\nfilename=/dev/%s\n' "$name" "$name"
	done
} | run each
{
	printf '%s\n' "$global" tw_report=/tmp/one.json iodepth=24 number_ios=36000
	printf '[one]\nfilename=%s\n' "$(echo "$names" | sed 's|null|/dev/null|g; s| |:|g')"
} | run one
cat /tmp/*.err
for name in each one; do
	tickwise report /tmp/$name.json* >/tmp/$name.txt 2>&1
done
# Write one file: while the machine waits for the shared folder, its time passes fast.
tar -c -C /tmp -f /tmp/results.tar $(cd /tmp && echo *.txt *.err *.status)
cp /tmp/results.tar .
