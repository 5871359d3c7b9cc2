# SPDX-License-Identifier: MIT
# Follows programs that wait for files; see ../kernel_waits.t.
load crc32c_generic 2>/dev/null
load ext4
# Its functions must have addresses when the program is loaded.
load dm_mod
cat /proc/version >/tmp/version
backed=1
device files 3000000
mkfs.ext4 -qF /dev/files >/tmp/mkfs.log 2>&1
mkdir -p /tmp/files
mount /dev/files /tmp/files
wait_calls write /tmp/files/data 50 >/dev/null
sync
for kind in cold direct faults socket mapped; do
	echo 3 >/proc/sys/vm/drop_caches
	timeout -s KILL 120 tickwise attach --interval=0 --json="/tmp/$kind.json" \
		--output=/dev/null -- wait_calls $kind /tmp/files/data 50 \
		>"/tmp/$kind.out" 2>"/tmp/$kind.err"
	echo $? >"/tmp/$kind.status"
	progress "/tmp/$kind"
done
# The same file is read by another process, which is not followed.
while :; do wait_calls direct /tmp/files/data 50; done >/dev/null &
other=$!
timeout -s KILL 120 tickwise attach --interval=0 --json=/tmp/together.json --output=/dev/null -- \
	wait_calls direct /tmp/files/data 50 >/tmp/together.out 2>/tmp/together.err
echo $? >/tmp/together.status
kill $other
timeout -s KILL 120 tickwise attach --interval=0 --json=/tmp/sync.json --output=/dev/null -- \
	fio --name=sync --ioengine=psync --filename=/tmp/files/sync --rw=write --bs=4k \
	--size=80k --fallocate=none --fsync=1 --output=/dev/null >/tmp/sync.err 2>&1
echo $? >/tmp/sync.status

# followed KIND HOW: attach follows reads while the device is limited or suspended
followed()
{
	timeout -s KILL 120 tickwise attach --interval=0 --json="/tmp/$1.json" \
		--output=/dev/null -- wait_calls "$2" /tmp/files/data 50 \
		>"/tmp/$1.out" 2>"/tmp/$1.err"
	echo $? >"/tmp/$1.status"
	progress "/tmp/$1"
}
mount -t cgroup2 cgroup2 /sys/fs/cgroup
echo +io >/sys/fs/cgroup/cgroup.subtree_control
mkdir -p /sys/fs/cgroup/limited
echo "$(cat /sys/block/files/dev) riops=20" >/sys/fs/cgroup/limited/io.max
for how in direct cold written; do
	echo 3 >/proc/sys/vm/drop_caches
	(echo 0 >/sys/fs/cgroup/limited/cgroup.procs; followed "limit_$how" $how)
done
umount /tmp/files
dmsetup create --noudevsync held --table "0 $(cat /sys/block/files/size) linear /dev/files 0"
dmsetup mknodes held
mount /dev/mapper/held /tmp/files
for how in direct cold; do
	followed "suspend_$how" $how &
	while kill -0 $! 2>/dev/null; do
		dmsetup suspend --nolockfs held
		sleep 0.2
		dmsetup resume --noudevsync held
		sleep 0.05
	done
done
# shellcheck disable=SC2046
hand_over $(cd /tmp && echo version *.json *.out *.err *.status)
