# SPDX-License-Identifier: MIT
# Tests file systems, and devices on top of devices; see ../kernel_stacked.t.
# The functions of these must have addresses when the program is loaded.
for module in crc32c_generic xxhash_generic sha256_generic blake2b_generic xts ecb \
		dm_mod dm_crypt dm_multipath dm_round_robin raid0 raid1 \
		raid10 configfs ext4 xfs btrfs; do
	load $module 2>/dev/null
done
# Each device takes 100 us for a request.
load null_blk nr_devices=24 queue_mode=2 irqmode=2 completion_nsec=100000 \
	memory_backed=1 discard=1 gb=1
mount -t configfs configfs /sys/kernel/config
cat /proc/version >version
tickwise doctor >doctor 2>&1
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

# a_slow_device NAME: makes a device that takes 200 ms; NAME.slow has its name
a_slow_device()
{
	slow=/sys/kernel/config/nullb/slow_$1
	mkdir "$slow"
	for setting in queue_mode=2 irqmode=2 completion_nsec=200000000 memory_backed=1 \
			size=1024 power=1; do
		echo "${setting#*=}" >"$slow/${setting%%=*}"
	done
	# Linux 6.1 names it by its number.
	[ -b "/dev/slow_$1" ] && device=/dev/slow_$1 || device=/dev/nullb$(cat "$slow/index")
	echo "${device#/dev/}" >"$1.slow"
}

# jobs NAME FILE: adds jobs of small I/Os, and of large ones that become several
# requests. They run later, one after the other, in one fio: the program is loaded
# once. With a slow disk there are more of the large ones, enough for a sentence on them.
jobs()
{
	for size in small large; do
		echo "[$1.$size]"
		echo "filename=$2"
		echo "tw_report=/tmp/$1.$size.json"
		[ $size = small ] && echo bs=4k || echo bs=256k
		[ $size = small ] && echo io_size=1m ||
			{ [ -e "$1.slow" ] && echo io_size=64m || echo io_size=16m; }
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

# array NAME LEVEL [ATTRIBUTE=VALUE...]: makes /dev/md_NAME of the next $disks devices,
# without metadata; the last one of NAME_slow is slow
disks=2
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
		echo $disks >$md/raid_disks
		for attribute; do
			echo "${attribute#*=}" >"$md/${attribute%%=*}"
		done
		for slot in $(seq 0 $((disks - 1))); do
			case $slot.$name in
			$((disks - 1)).*_slow) a_slow_device "$name" ;;
			*) a_device ;;
			esac
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
! array raid1_slow raid1 component_size=$half resync_start=none ||
	jobs raid1_slow /dev/md_raid1_slow
! array raid0_slow raid0 chunk_size=65536 || jobs raid0_slow /dev/md_raid0_slow
disks=4
! array raid10_slow raid10 layout=258 chunk_size=65536 component_size=$half \
	resync_start=none || jobs raid10_slow /dev/md_raid10_slow
a_device
first=$device
a_slow_device multipath
cp multipath.slow linear_multipath.slow
cp multipath.slow bio_multipath.slow
paths="0 1 1 round-robin 0 2 1 $first 1 $device 1"
# The path is chosen by the request, and not by the bio.
if mapped multipath "0 $sectors multipath 2 queue_mode rq $paths"; then
	jobs multipath /dev/mapper/multipath
	! mapped linear_multipath "0 $half linear /dev/mapper/multipath 0" ||
		jobs linear_multipath /dev/mapper/linear_multipath
fi
! mapped bio_multipath "0 $sectors multipath 2 queue_mode bio $paths" ||
	jobs bio_multipath /dev/mapper/bio_multipath
# Through the ring from Linux 6.12 on.
a_device
trims plain $device
[ ! -e /dev/md_raid0 ] || trims raid0 /dev/md_raid0
[ ! -e /dev/md_raid1 ] || trims raid1 /dev/md_raid1

timeout -s KILL 1000 fio --output-format=json --eta=never \
	--output=/tmp/stacked.out /tmp/stacked.fio 2>stacked.err
echo $? >stacked.status
mv /tmp/*.json* .
