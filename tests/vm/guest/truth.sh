# SPDX-License-Identifier: MIT
# Makes devices that take a known time, and disturbs them; see ../truth.t.
for ns in 10000 20000 50000 100000 1000000; do
	null_disk irqmode=2 completion_nsec=$ns
	on_each $ns "tickwise io_uring" --rw=randread --iodepth=1 --number_ios=500 --size=64m
	rmmod null_blk
done

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
	tw_kernel=require
	tw_kernel_every=1
	tw_slowest=1000
	tw_report=/tmp/$1.json
	END
	shift 2
	printf '%s\n' "$@"
}

for ns in 10000 100000 1000000; do
	device "nullb$ns" $ns 64
	job $ns "nullb$ns"
done | run alone

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

# The rest takes minutes, and longer where the processor is another one.
if [ "$slower" != 1 ]; then
	# shellcheck disable=SC2046
	hand_over $(cd /tmp && echo *.json* *.err *.status)
	exit 0
fi

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
for name in each one; do
	tickwise report /tmp/$name.json* >/tmp/$name.txt 2>&1
done
# shellcheck disable=SC2046
hand_over $(cd /tmp && echo *.json* *.txt *.err *.status)
