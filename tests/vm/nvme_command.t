#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: commands past the block layer: reads, writes, trims and flushes reach
# the right blocks of either size on the NVMe device. They are counted, staged and
# verified as on a block device. What the device refuses is an error. Defect: an
# address in the wrong unit, an entry of double size at the place of a single one, a
# status of the device taken for success.
. "$(dirname "$0")/boot.sh"
. "$(dirname "$0")/nvme.sh"

seconds=300
nvme_start nvme_command
wait_end
ok $? "the machine ran"
for mode in plain one_deep vectored fixedbufs hipri registerfiles all \
		sqthread_poll large_blocks odd_blocks mixed threads other_door; do
	whole $mode-tickwise-cmd
	is "$(cat "$shared/$mode-io_uring_cmd.status")" 0 \
		"$mode: fio's own engine, too"
	side_by_side $mode-tickwise-cmd $mode-io_uring_cmd
done
for mode in flush flush_hipri fua trim trim_mixed trim_large trim_write; do
	whole $mode-tickwise-cmd
done
# A flush after every fourth of 256 writes but the last.
json "$shared/flush-tickwise-cmd.report.json" '$j->{ios}{sync} == 63'
ok $? "every fsync is a flush: $(value "$shared/flush-tickwise-cmd.report.json" '$j->{ios}{sync}')"

part()
{
	dd if="$shared/$1" bs=64k skip="$2" count="$3" 2>/dev/null
}
part before 0 1 >"$scratch/0b"
part after 0 1 | cmp -s - "$scratch/0b"
ok $? "trim: the data before is unchanged"
part before 3 1 >"$scratch/3b"
part after 3 1 | cmp -s - "$scratch/3b"
ok $? "trim: the data after is unchanged"
[ -n "$(part before 1 2 | tr -d '\0' | head -c 1)" ] &&
	[ -z "$(part after 1 2 | tr -d '\0' | head -c 1)" ]
ok $? "trim: the data between is gone"

for engine in tickwise-cmd io_uring_cmd; do
	[ "$(cat "$shared/too_small-$engine.status")" != 0 ]
	ok $? "less than a block: $engine fails"
done
done_testing
