# SPDX-License-Identifier: MIT
# Follows programs that wait for files; see ../kernel_waits.t.
load crc32c_generic 2>/dev/null
load ext4
cat /proc/version >/tmp/version
backed=1
device files 3000000
mkfs.ext4 -qF /dev/files >/tmp/mkfs.log 2>&1
mkdir -p /tmp/files
mount /dev/files /tmp/files
wait_calls write /tmp/files/data 50 >/dev/null
sync
for kind in cold direct faults socket; do
	echo 3 >/proc/sys/vm/drop_caches
	timeout -s KILL 120 tickwise attach --interval=0 --json="/tmp/$kind.json" \
		--output=/dev/null -- wait_calls $kind /tmp/files/data 50 \
		>"/tmp/$kind.out" 2>"/tmp/$kind.err"
	echo $? >"/tmp/$kind.status"
	progress "/tmp/$kind"
done
timeout -s KILL 120 tickwise attach --interval=0 --json=/tmp/sync.json --output=/dev/null -- \
	fio --name=sync --ioengine=psync --filename=/tmp/files/sync --rw=write --bs=4k \
	--size=80k --fallocate=none --fsync=1 --output=/dev/null >/tmp/sync.err 2>&1
echo $? >/tmp/sync.status
# shellcheck disable=SC2046
hand_over $(cd /tmp && echo version *.json *.out *.err *.status)
