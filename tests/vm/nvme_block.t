#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: on an NVMe block device every way of submitting and of completing
# that fio's io_uring engine has works with ours, data is verified, counts are
# fio's own and stages add up.
# Defect: a polled ring that is waited for as if it were not (a hang), buffers
# or files registered under another number, a trim that goes elsewhere, a stamp
# that is another I/O's.
. "$(dirname "$0")/boot.sh"
. "$(dirname "$0")/nvme.sh"

seconds=300
nvme_start nvme_block
wait_end
ok $? "the machine ran"
is "$(cat "$shared/io_poll")" 1 "the device polls"
for mode in plain vectored hipri fixedbufs registerfiles sqthread_poll all \
		trim large_blocks sync; do
	whole $mode-tickwise
	is "$(cat "$shared/$mode-io_uring.status")" 0 \
		"$mode: fio's own engine, too"
	beside $mode-tickwise $mode-io_uring
done
# Two engines, 1024 I/Os each; all but a few without an interrupt.
[ "$(cat "$shared/hipri.interrupts")" -lt 100 ]
ok $? "hipri: $(cat "$shared/hipri.interrupts") interrupts in 2048 I/Os"
# 512 bytes of a device with blocks of 4096: the kernel's to refuse.
for engine in tickwise io_uring; do
	is "$(cat "$shared/too_small-$engine.status")" 1 \
		"less than a block: $engine fails"
	grep -q 'Invalid argument' "$shared/too_small-$engine.fio.json" \
		"$shared/too_small-$engine.err"
	ok $? "less than a block: $engine says EINVAL"
done

done_testing
