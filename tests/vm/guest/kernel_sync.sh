# SPDX-License-Identifier: MIT
# Syncs files and devices that take known times for writes and flushes; see ../kernel_sync.t.
for module in crc32c_generic dm_mod dm_delay ext4 xfs; do
	load $module 2>/dev/null
done
cat /proc/version >/tmp/version
mount -t tracefs tracefs /sys/kernel/tracing
cd /sys/kernel/tracing || exit
echo mono >trace_clock
echo 4096 >buffer_size_kb
cd - >/dev/null || exit

# under NAME CACHE: makes /dev/NAME, with a cache of CACHE MB
under()
{
	if [ ! -d /sys/kernel/config/nullb ]; then
		load configfs 2>/dev/null
		load null_blk nr_devices=0
		mount -t configfs configfs /sys/kernel/config
	fi
	mkdir "/sys/kernel/config/nullb/$1"
	for setting in size=512 blocksize=4096 queue_mode=2 irqmode=1 submit_queues=1 \
			memory_backed=1 cache_size="$2" power=1; do
		echo "${setting#*=}" >"/sys/kernel/config/nullb/$1/${setting%%=*}"
	done
}

# formatted TYPE DEVICE [ARGUMENT...]: makes a file system
formatted()
{
	type=$1
	to=$2
	shift 2
	force=-f
	[ "$type" != ext4 ] || force=-F
	"mkfs.$type" -q $force "$@" "$to" >/tmp/why 2>&1 || cat /tmp/why
}

# delayed NAME FLUSH-MS: makes /dev/mapper/NAME of /dev/NAME
delayed()
{
	all="$(blockdev --getsz "/dev/$1")"
	dmsetup create --noudevsync "$1" --table \
		"0 $all delay /dev/$1 0 100 /dev/$1 0 200 /dev/$1 0 $2"
	dmsetup mknodes "$1" >/dev/null 2>&1
	echo "$1 $(dmsetup info -c --noheadings --separator , -o major,minor "$1")" \
		>>/tmp/devices
}

# mounted NAME TYPE DEVICE [OPTION]: mounts it, with a file that is written, and all others new
mounted()
{
	mkdir -p "/tmp/m/$1"
	options=noatime${4:+,$4}
	[ "$2" != ext4 ] || options=$options,commit=600
	mount -t "$2" -o $options "$3" "/tmp/m/$1"
	dd if=/dev/zero "of=/tmp/m/$1/written" bs=64k count=16 2>/dev/null
	sync
}

# job NAME FILE OPTION...: adds a job to $list
job()
{
	cat >>"$list" <<-END
	[$1]
	stonewall
	filename=$2
	tw_report=/tmp/$1.json
	END
	echo "$1" >>"$list.names"
	shift 2
	printf '%s\n' "$@" >>"$list"
}

# begin LIST OPTION...: begins a list of jobs with these options
begin()
{
	list=$1
	shift
	cat >"$list" <<-"END"
	[global]
	ioengine=external:/tickwise.so
	rw=write
	bs=4k
	size=1m
	tw_slowest=1000
	END
	printf '%s\n' "$@" >>"$list"
}

begin /tmp/jobs number_ios=20 fdatasync=1
for of in ext4:160 ext4:240 xfs:160 xfs:240 raw:160 raw:240; do
	type=${of%:*}
	ms=${of#*:}
	name=$type$ms
	under "$name" 64
	[ "$type" = raw ] || formatted "$type" "/dev/$name"
	delayed "$name" "$ms"
	if [ "$type" = raw ]; then
		job "$name" "/dev/mapper/$name"
		continue
	fi
	mounted "$name" "$type" "/dev/mapper/$name"
	job "$name-over" "/tmp/m/$name/written"
	job "$name-new" "/tmp/m/$name/new"
done
# These have no cache.
for type in ext4 xfs raw; do
	under "${type}0" 0
	if [ "$type" = raw ]; then
		job raw0 /dev/raw0
		continue
	fi
	formatted "$type" "/dev/${type}0"
	mounted "${type}0" "$type" "/dev/${type}0"
	job "${type}0-over" "/tmp/m/${type}0/written"
	job "${type}0-new" "/tmp/m/${type}0/new"
done
# ext4 with its data in the journal, and with fast commits. A full commit comes first.
begin /tmp/modes number_ios=20 fdatasync=1
for name in journal240 fast240; do
	under "$name" 64
	formatted ext4 "/dev/$name" -O "$([ "$name" = fast240 ] || echo ^)fast_commit"
	delayed "$name" 240
	mounted "$name" ext4 "/dev/mapper/$name" "$([ "$name" = fast240 ] || echo data=journal)"
	job "$name-over" "/tmp/m/$name/written"
	job "$name-new" "/tmp/m/$name/new"
done
# Writes that are synced. The devices have FUA.
begin /tmp/writes number_ios=10 tw_kernel_every=1
for ms in 160 240; do
	for type in ext4 xfs; do
		dir=/tmp/m/$type$ms
		job "$type$ms-dnew" "$dir/dnew" direct=1 sync=dsync
		job "$type$ms-dsync" "$dir/written" direct=1 sync=sync
		job "$type$ms-dfua" "$dir/written" direct=1 sync=dsync
	done
	job "raw$ms-dfua" "/dev/mapper/raw$ms" direct=1 sync=dsync
	job "ext4$ms-dappend" "/tmp/m/ext4$ms/append" direct=1 sync=dsync fallocate=none
	job "ext4$ms-ddeep" "/tmp/m/ext4$ms/written" direct=1 sync=sync iodepth=4
	job "ext4$ms-dbuffered" "/tmp/m/ext4$ms/written" sync=dsync
done
for event in block/block_bio_queue jbd2/jbd2_start_commit jbd2/jbd2_end_commit; do
	echo 1 >"/sys/kernel/tracing/events/$event/enable"
done
for of in jobs modes writes; do
	TICKWISE_KERNEL=auto run $of </tmp/$of
done
# called NAME FILE ARGUMENT...: has attach follow the calls of a fio
called()
{
	name=$1
	file=$2
	shift 2
	timeout -s KILL 120 tickwise attach --json="/tmp/call-$name.json" \
		--output=/dev/null -- fio --name=call --ioengine=psync --filename="$file" \
		--rw=write --bs=4k --eta=never --output=/dev/null "$@" >"/tmp/call-$name.err" 2>&1
	echo $? >"/tmp/call-$name.status"
}
# The same by fdatasync(2), on blocks that are written.
for name in ext4240 xfs240 raw240; do
	file=/tmp/m/$name/written
	[ -e "$file" ] || file=/dev/mapper/$name
	called "$name" "$file" --size=1m --number_ios=10 --fdatasync=1
done
echo 0 >/sys/kernel/tracing/events/enable
cat /sys/kernel/tracing/trace >/tmp/trace
# commits NAME: waits for a commit with each sync
commits()
{
	TICKWISE_KERNEL=auto run "$1" <<-END
	[$1]
	ioengine=external:/tickwise.so
	filename=/tmp/m/ext40/$1
	rw=write
	bs=4k
	size=400k
	fallocate=none
	fsync=1
	thinktime=10ms
	tw_slowest=1000
	tw_report=/tmp/$1.json
	END
}
commits alone
# Another process has handles in each commit.
while [ ! -e /tmp/stop ]; do
	: >/tmp/m/ext40/other
done &
echo $! >/tmp/other
commits who
called who /tmp/m/ext40/call --size=400k --fallocate=none --fsync=1 --thinktime=10ms
: >/tmp/stop
# fio's jobs have numbers, which their reports end with.
cd /tmp || exit
for report in *.json.*; do
	mv "$report" "${report%.*}"
done
cd /out || exit
# shellcheck disable=SC2046
hand_over $(cd /tmp && echo version trace devices *.names other *.json *.err *.status)
