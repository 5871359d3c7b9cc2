# SPDX-License-Identifier: MIT
# Runs the preload clock while the kernel's is steered; see ../preload_steered.t.
# burst=, pause= (ms) and rounds= may be on the kernel's command line.
burst=$(word burst)
pause=$(word pause)
rounds=$(word rounds)
cat /sys/devices/system/clocksource/clocksource0/current_clocksource \
	>clocksource
LD_PRELOAD=/libtickwise-preload.so TICKWISE_PRELOAD=verbose \
	steered_clock "${burst:-30}" "${pause:-46000}" "${rounds:-1}" \
	>steered 2>steered.err
echo $? >steered.status
