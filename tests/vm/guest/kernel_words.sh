# SPDX-License-Identifier: MIT
# Makes I/Os wait for one thing after the other; see ../kernel_words.t.
load crc32c_generic 2>/dev/null
load ext4
load mq-deadline
cat /proc/version >/tmp/version
# A request takes 3 ms. `one` takes one request at a time.
device many 3000000
device one 3000000 1
echo none >/sys/block/one/queue/scheduler
echo none >/sys/block/many/queue/scheduler
backed=1
device files 3000000
mkfs.ext4 -qF /dev/files >/tmp/mkfs.log 2>&1
mkdir -p /tmp/files
mount /dev/files /tmp/files
dd if=/dev/zero of=/tmp/files/data bs=1M count=4 2>/dev/null
sync

# job NAME FILE ARGUMENT...: runs a job; leaves NAME.json
job()
{
	name=$1
	file=$2
	shift 2
	timeout -s KILL 120 fio --name="$name" --filename="$file" --ioengine=external:/tickwise.so \
		--direct=1 --bs=4k --size=4m --iodepth=4 --time_based --runtime=6 \
		--fallocate=none --tw_kernel=require --tw_kernel_every=1 --tw_causes=1 \
		--tw_slowest=100 --tw_report="/tmp/$name.json" --output=/dev/null "$@" \
		2>"/tmp/$name.err"
	echo $? >"/tmp/$name.status"
	progress "/tmp/$name"
}

# meanwhile COMMAND...: repeats the command until the job in the background ends
meanwhile()
{
	while kill -0 $! 2>/dev/null; do
		"$@"
	done
	wait
}

change_scheduler()
{
	echo mq-deadline >/sys/block/many/queue/scheduler
	echo none >/sys/block/many/queue/scheduler
	sleep 0.1
}

freeze()
{
	fsfreeze --freeze /tmp/files
	sleep 0.2
	fsfreeze --unfreeze /tmp/files
	sleep 0.05
}

job none /dev/many --rw=randread
job tag /dev/one --rw=randread
# There are four workers, who wait for the only tag.
job worker /dev/one --rw=randread --iodepth=64 --force_async=1
job queue /dev/many --rw=randread --iodepth=1 &
meanwhile change_scheduler
job freeze /tmp/files/data --rw=randwrite --iodepth=1 --runtime=12 &
meanwhile freeze
# It extends its file, and has the inode's lock for each whole write.
fio --name=append --filename=/tmp/files/data --ioengine=psync --direct=1 --bs=4k \
	--rw=write --offset=4m --size=900m --fallocate=none --output=/dev/null &
append=$!
job lock /tmp/files/data --rw=randwrite --iodepth=1 --runtime=12
kill $append
wait
# shellcheck disable=SC2046
hand_over $(cd /tmp && echo version *.json *.err *.status)
