# SPDX-License-Identifier: MIT
# Two busy loops take turns with a job on its CPU; see ../kernel_causes.t.
cat /proc/version >/tmp/version
device slow 100000
loops=
for name in loop_a loop_b; do
	printf '#!/bin/sh\nwhile :; do :; done\n' >/tmp/$name
	chmod 755 /tmp/$name
	/tmp/$name &
	loops="$loops $!"
done
# A task of this kind does not take the CPU from another one when it wakes up.
run causes /bin/chrt -b 0 <<'END'
[causes]
ioengine=external:/tickwise.so
filename=/dev/slow
direct=1
rw=randread
bs=4k
size=64m
number_ios=200
tw_kernel=require
tw_causes=1
tw_slowest=1000
tw_report=/tmp/causes.json
END
# shellcheck disable=SC2086
kill $loops
hand_over version causes.json causes.err causes.status
