# SPDX-License-Identifier: MIT
# Tests file systems, and devices on top of devices; see ../kernel_stacked.t.
# The functions of these must have addresses when the program is loaded.
for module in crc32c_generic xxhash_generic sha256_generic blake2b_generic xts ecb \
		dm_mod dm_crypt dm_multipath dm_round_robin raid0 raid1 \
		raid10 configfs ext4 xfs btrfs; do
	load $module 2>/dev/null
done
# Each device takes 100 us for a request.
load null_blk nr_devices=20 queue_mode=2 irqmode=2 completion_nsec=100000 \
	memory_backed=1 discard=1 gb=1
# And one of them 100 ms.
mount -t configfs configfs /sys/kernel/config
slow=/sys/kernel/config/nullb/slow
mkdir $slow
echo 2 >$slow/queue_mode
echo 2 >$slow/irqmode
echo 100000000 >$slow/completion_nsec
echo 1 >$slow/memory_backed
echo 1024 >$slow/size
echo 1 >$slow/power
[ -b /dev/slow ] && slow=slow || slow=nullb$(cat $slow/index)
echo "$slow" >slow
cat /proc/version >version
sectors=$(cat /sys/block/nullb0/size)
half=$((sectors / 2))
next=0

# can NAME COMMAND...: runs a command; leaves NAME.cannot with the reason if it fails
can()
{
	name=$1
	shift
	"$@" >/tmp/why 2>&1 && return
	(cat /tmp/why; echo "$1 failed") | head -n 1 >"$name.cannot"
	return 1
}

# a_device: takes the next free device
a_device()
{
	device=/dev/nullb$next
	next=$((next + 1))
}

# jobs NAME FILE: adds jobs of small I/Os, and of large ones that become several
# requests. They run later, one after the other, in one fio: the program is loaded
# once.
jobs()
{
	for size in small large; do
		echo "[$1.$size]"
		echo "filename=$2"
		echo "tw_report=/tmp/$1.$size.json"
		[ $size = small ] && echo bs=4k || echo bs=256k
		[ $size = small ] && echo io_size=1m || echo io_size=16m
	done >>/tmp/stacked.fio
	echo "$1" >>names
}

# files NAME TYPE DEVICE: adds the same jobs on a file system
files()
{
	force=-f
	[ "$2" != ext4 ] || force=-F
	can "$1" "mkfs.$2" -q $force "$3" || return
	mkdir -p "/tmp/$1"
	can "$1" mount -t "$2" "$3" "/tmp/$1" || return
	# The first write of a block would be another kind of I/O.
	dd if=/dev/zero "of=/tmp/$1/data" bs=1M count=16 2>/dev/null
	sync
	jobs "$1" "/tmp/$1/data"
}

# mapped NAME TABLE: makes /dev/mapper/NAME
mapped()
{
	can "$1" dmsetup create --noudevsync "$1" --table "$2" || return
	dmsetup mknodes "$1" >/dev/null 2>&1
}

# trims NAME FILE: adds a job of trims
trims()
{
	{
		echo "[$1.trim]"
		echo "filename=$2"
		echo "tw_report=/tmp/$1.trim.json"
		echo rw=randtrim
		echo bs=64k
	} >>/tmp/stacked.fio
	echo "$1" >>trims
}

# array NAME LEVEL [ATTRIBUTE=VALUE...]: makes /dev/md_NAME of the next two devices,
# without metadata; of the next one and the slow one, if $with_slow is 1
with_slow=
array()
{
	name=$1
	level=$2
	shift 2
	can "$name" sh -c 'echo "md_$0" >/sys/module/md_mod/parameters/new_array' \
		"$name" || return
	md=/sys/block/md_$name/md
	{
		echo none >$md/metadata_version
		echo "$level" >$md/level
		echo 2 >$md/raid_disks
		for attribute; do
			echo "${attribute#*=}" >"$md/${attribute%%=*}"
		done
		for slot in 0 1; do
			[ "$slot$with_slow" = 11 ] && device=/dev/$slow || a_device
			cat "/sys/block/${device#/dev/}/dev" >$md/new_dev
			echo $half >"$md/dev-${device#/dev/}/size"
			echo $slot >"$md/dev-${device#/dev/}/slot"
		done
		echo active >$md/array_state
	} 2>/tmp/why
	case $(cat $md/array_state) in
	active*|clean|write-pending) ;;
	*)	tail -n 1 /tmp/why >"$name.cannot"
		return 1
		;;
	esac
}

cat >/tmp/stacked.fio <<"END"
[global]
ioengine=external:/tickwise.so
direct=1
rw=randrw
size=16m
iodepth=8
stonewall
tw_kernel=require
tw_kernel_every=1
tw_slowest=1000
END
a_device
jobs plain $device
for type in ext4 xfs btrfs; do
	a_device
	files $type $type $device
done
a_device
first=$device
! mapped linear "0 $half linear $first $half" || jobs linear /dev/mapper/linear
! mapped lower "0 $half linear $first 0" ||
	files ext4_linear ext4 /dev/mapper/lower
a_device
first=$device
a_device
! mapped striped "0 $sectors striped 2 128 $first 0 $device 0" ||
	jobs striped /dev/mapper/striped
a_device
key=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
if mapped crypt "0 $sectors crypt aes-xts-plain64 $key 0 $device 0"; then
	! mapped upper "0 $half linear /dev/mapper/crypt 0" ||
		files xfs_linear_crypt xfs /dev/mapper/upper
	! mapped end "0 $half linear /dev/mapper/crypt $half" ||
		jobs linear_crypt /dev/mapper/end
fi
! array raid0 raid0 chunk_size=65536 || jobs raid0 /dev/md_raid0
! array raid1 raid1 component_size=$half resync_start=none ||
	jobs raid1 /dev/md_raid1
! array raid10 raid10 layout=258 chunk_size=65536 component_size=$half \
	resync_start=none || jobs raid10 /dev/md_raid10
with_slow=1
! array raid1_slow raid1 component_size=$half resync_start=none ||
	jobs raid1_slow /dev/md_raid1_slow
a_device
# The way is chosen by the request, not by the bio.
! mapped multipath "0 $sectors multipath 2 queue_mode rq 0 1 1 round-robin 0 1 1 $device 1" ||
	jobs multipath /dev/mapper/multipath
# Through the ring from Linux 6.12 on.
a_device
trims plain $device
[ ! -e /dev/md_raid0 ] || trims raid0 /dev/md_raid0
[ ! -e /dev/md_raid1 ] || trims raid1 /dev/md_raid1

timeout -s KILL 1000 fio --output-format=json --eta=never \
	--output=/tmp/stacked.out /tmp/stacked.fio 2>stacked.err
echo $? >stacked.status
mv /tmp/*.json* .
