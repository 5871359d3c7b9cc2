# SPDX-License-Identifier: MIT
# Runs on machines that keep time by another clock than the counter; see ../clocksource.t.
null_disk
cat /sys/devices/system/clocksource/clocksource0/current_clocksource >clocksource
grep -c -w -m 1 rdtscp /proc/cpuinfo >rdtscp
tickwise check --json >check.json 2>check.err
echo $? >check.status
# A short window may be too disturbed, and the program then tells so.
for window in 200 2000; do
	tickwise calibrate --json --window=$window >calibrate.json 2>calibrate.err
	echo $? >calibrate.status
	[ "$(cat calibrate.status)" -eq 70 ] || break
done
on_each job "tickwise io_uring" --rw=randread --time_based=1 --runtime=1
