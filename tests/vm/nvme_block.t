#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: on an NVMe block device ours does every way of submitting and
# completing that fio's io_uring engine has. Data is verified, counts are fio's own
# and stages add up. Defect: a wait on a polled ring as if it were not polled (a
# hang), or buffers or files registered under another number. Also a trim that goes
# elsewhere, or a stamp that is another I/O's.
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
	side_by_side $mode-tickwise $mode-io_uring
done
# Two engines, 1024 I/Os each; nearly all without an interrupt.
[ "$(cat "$shared/hipri.interrupts")" -lt 100 ]
ok $? "hipri: $(cat "$shared/hipri.interrupts") interrupts in 2048 I/Os"
# The kernel refuses 512 bytes of a device with blocks of 4096.
for engine in tickwise io_uring; do
	is "$(cat "$shared/too_small-$engine.status")" 1 \
		"less than a block: $engine fails"
	grep -q 'Invalid argument' "$shared/too_small-$engine.fio.json" \
		"$shared/too_small-$engine.err"
	ok $? "less than a block: $engine says EINVAL"
done

done_testing
