# SPDX-License-Identifier: MIT
# What the machine is; see ../boots.t.
cat /sys/devices/system/clocksource/clocksource0/current_clocksource \
	>clocksource
nproc >cpus
tickwise check --json >check.json
echo $? >check.status
tickwise calibrate --json --window=100 >calibrate.json 2>calibrate.err
fio --version >fio.version
fio --enghelp=/tickwise.so >enghelp 2>&1
