#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: on an NVMe device, with blocks of 512 and of 4096 bytes, our engines do
# every way of submitting and completing that fio's own have, on the block device and
# with commands past the block layer. Data is verified, counts are fio's and stages add
# up; trims and flushes reach the right blocks. What the device refuses is an error.
# Defect: a wait on a polled ring as if it were not polled (a hang), buffers or files
# registered under another number, a trim that goes elsewhere, a stamp that is another
# I/O's. With commands: an address in the wrong unit, an entry of double size at the
# place of a single one, a status of the device taken for success.
. "$(dirname "$0")/boot.sh"

seconds=400
on_nvme nvme_jobs
ok $? "the machine ran"
is "$(cat "$shared/io_poll")" 1 "the device polls"
both='plain vectored hipri fixedbufs registerfiles sqthread_poll all large_blocks'
for mode in $both trim sync; do
	whole $mode-tickwise
	is "$(cat "$shared/$mode-io_uring.status")" 0 "$mode: fio's own engine, too"
done
for mode in $both one_deep odd_blocks mixed threads other_door; do
	whole $mode-tickwise-cmd
	is "$(cat "$shared/$mode-io_uring_cmd.status")" 0 "$mode: fio's own engine, too"
done
for mode in flush flush_hipri fua trim trim_mixed trim_large trim_write; do
	whole $mode-tickwise-cmd
done
# Two engines, 1024 I/Os each; nearly all without an interrupt.
[ "$(cat "$shared/tickwise.interrupts")" -lt 100 ]
ok $? "hipri: $(cat "$shared/tickwise.interrupts") interrupts in 2048 I/Os"
# The kernel refuses 512 bytes of a device with blocks of 4096, and so does the device.
for engine in tickwise io_uring; do
	is "$(cat "$shared/too_small-$engine.status")" 1 "less than a block: $engine fails"
	grep -q 'Invalid argument' "$shared/too_small-$engine.fio.json" \
		"$shared/too_small-$engine.err"
	ok $? "less than a block: $engine says EINVAL"
done
for engine in tickwise-cmd io_uring_cmd; do
	[ "$(cat "$shared/too_small-$engine.status")" != 0 ]
	ok $? "less than a block: $engine fails"
done
# A flush after every fourth of 256 writes but the last.
is "$(value "$shared/flush-tickwise-cmd.report.json" '$j->{ios}{sync}')" 63 \
	"every fsync is a flush"

# part FILE SKIP COUNT: prints a part, in units of 64 kB
part()
{
	dd if="$shared/$1" bs=64k skip="$2" count="$3" 2>/dev/null
}
for at in 0 3; do
	is "$(part after $at 1 | cksum)" "$(part before $at 1 | cksum)" \
		"trim: the data before and after is unchanged"
done
[ -n "$(part before 1 2 | tr -d '\0' | head -c 1)" ] &&
	[ -z "$(part after 1 2 | tr -d '\0' | head -c 1)" ]
ok $? "trim: the data between is gone"
done_testing
