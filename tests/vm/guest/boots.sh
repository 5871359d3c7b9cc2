# SPDX-License-Identifier: MIT
# Prints what the machine is; see ../boots.t.
cat /sys/devices/system/clocksource/clocksource0/current_clocksource >clocksource
nproc >cpus
tickwise check --json >check.json
tickwise calibrate --json --window=100 >calibrate.json 2>calibrate.err
fio --version >fio.version
fio --enghelp=/tickwise.so >enghelp 2>&1
null_disk
fio_job job tickwise --rw=randread --time_based=1 --runtime=1
