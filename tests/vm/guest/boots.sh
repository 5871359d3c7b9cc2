# SPDX-License-Identifier: MIT
# Prints what the machine is; see ../boots.t.
cat /sys/devices/system/clocksource/clocksource0/current_clocksource \
	>clocksource
nproc >cpus
tickwise check --json >check.json
echo $? >check.status
tickwise calibrate --json --window=100 >calibrate.json 2>calibrate.err
fio --version >fio.version
fio --enghelp=/tickwise.so >enghelp 2>&1
load null_blk nr_devices=1 queue_mode=2 irqmode=0 gb=1
. /guest/fio.sh
fio_job job tickwise --filename=/dev/nullb0 --direct=1 --rw=randread --bs=4k \
	--time_based=1 --runtime=1
