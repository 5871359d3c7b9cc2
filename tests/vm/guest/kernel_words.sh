# SPDX-License-Identifier: MIT
# Makes I/Os wait for one thing after the other; see ../kernel_words.t.
load crc32c_generic 2>/dev/null
load ext4
load mq-deadline
# Its functions must have addresses when the program is loaded.
load dm_mod
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

# The limit of `words` holds for `words/job`, which has none.
mount -t cgroup2 cgroup2 /sys/fs/cgroup
echo +io >/sys/fs/cgroup/cgroup.subtree_control
mkdir -p /sys/fs/cgroup/words/job
echo +io >/sys/fs/cgroup/words/cgroup.subtree_control
many=$(cat /sys/block/many/dev)

# job NAME FILE ARGUMENT...: runs a job in $group; leaves NAME.json
group=/sys/fs/cgroup
job()
{
	name=$1
	file=$2
	shift 2
	(echo 0 >$group/cgroup.procs
	exec timeout -s KILL 120 fio --name="$name" --filename="$file" \
		--ioengine=external:/tickwise.so --direct=1 --bs=4k --size=4m --iodepth=4 \
		--time_based --runtime=4 --fallocate=none --tw_kernel=require \
		--tw_kernel_every=1 --tw_causes=1 --tw_slowest=1000 \
		--tw_report="/tmp/$name.json" --output=/dev/null "$@" 2>"/tmp/$name.err")
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

# limit LIMIT...: sets io.max for a while
limit()
{
	sleep 1
	echo "$many $*" >/sys/fs/cgroup/words/io.max
	sleep 4
	echo "$many rbps=max riops=max" >/sys/fs/cgroup/words/io.max
}

suspend()
{
	dmsetup suspend held
	sleep 0.2
	dmsetup resume --noudevsync held
	sleep 0.05
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
dmsetup create --noudevsync held --table "0 $(cat /sys/block/many/size) linear /dev/many 0"
dmsetup mknodes held
job suspend /dev/mapper/held --rw=randread --iodepth=1 &
meanwhile suspend
dmsetup remove --noudevsync held
group=/sys/fs/cgroup/words/job
job ios /dev/many --rw=randread --iodepth=1 &
meanwhile limit riops=50 rbps=10000000
job bytes /dev/many --rw=randread --iodepth=1 &
meanwhile limit riops=500 rbps=200000
# All of the device's time is worth 100 reads a second.
echo "$many ctrl=user model=linear rbps=1000000000 rseqiops=100 rrandiops=100" \
	"wbps=1000000000 wseqiops=100 wrandiops=100" >/sys/fs/cgroup/io.cost.model
echo "$many enable=1 ctrl=user min=100 max=100" >/sys/fs/cgroup/io.cost.qos
job iocost /dev/many --rw=randread --iodepth=1
echo "$many enable=0" >/sys/fs/cgroup/io.cost.qos
group=/sys/fs/cgroup
# They extend the file or fill it, and have the inode's lock for each whole write. One of them is
# always next, so a write of the job waits for more than the time of a request.
fio --name=append --filename=/tmp/files/data --ioengine=psync --direct=1 --bs=4k --rw=write \
	--offset=4m --offset_increment=450m --size=450m --numjobs=2 --fallocate=none \
	--output=/dev/null &
append=$!
job lock /tmp/files/data --rw=randwrite --iodepth=1
kill $append
wait
# shellcheck disable=SC2046
hand_over $(cd /tmp && echo version *.json *.err *.status)
