# SPDX-License-Identifier: MIT
# Runs a fio without privileges, and the helper that has them; see ../kernel_helper.t.
load nvme
cat /proc/version >version
mkdir -p /run
chmod 755 /
chmod 777 /tmp
chmod 666 /dev/nvme0n1
echo 2 >/proc/sys/kernel/unprivileged_bpf_disabled

tickwise-kernel-helper --user=65534 >helper.log 2>&1 &
helper=$!
while ! grep -q '^listening' helper.log 2>/dev/null && kill -0 $helper 2>/dev/null; do
	sleep 0.1
done
# busybox's setpriv lacks these options.
(cd /tmp && timeout -s KILL 1000 /bin/setpriv --reuid=65534 --regid=65534 \
	--clear-groups --bounding-set=-all fio --ioengine=external:/tickwise.so \
	--filename=/dev/nvme0n1 --direct=1 --bs=4k --size=1m --iodepth=8 --rw=randrw \
	--tw_kernel=require --tw_kernel_every=1 --tw_slowest=1000 --output=/tmp/out --eta=never \
	--invalidate=0 \
	--name=process --tw_report=/tmp/process.json \
	--name=thread --thread --tw_report=/tmp/thread.json) 2>fio.err
echo $? >fio.status
cp /tmp/*.json.* .
as_user='/bin/setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all'
for case in garbage asks; do
	timeout -s KILL 600 $as_user helper_client /run/tickwise/kernel.sock $case \
		>$case 2>&1
done
kill $helper
wait $helper
echo $? >helper.status
ls /run/tickwise >left 2>&1
cp /tmp/out fio.out
