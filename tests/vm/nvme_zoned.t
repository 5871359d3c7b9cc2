#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: on a device with zones, zonemode=zbd works as with fio's own engines,
# on the block device and past the block layer. Such a device takes writes only at a
# zone's write pointer, and limits the number of open zones. As much is written and
# read, what was written is verified, counts are fio's and stages add up. A trim is
# the reset of a zone. Defect: writes of a batch that change places, a zone that
# stays locked because fio does not learn of an I/O's end, a reset that goes
# elsewhere or is none.
. "$(dirname "$0")/boot.sh"

seconds=300
truncate -s 16M "$scratch/zoned.img"
# One queue, which keeps the order of commands. No discard=unmap: what is only
# deallocated stays, what is reset reads as 0.
boot nvme_zoned \
	-drive "file=$scratch/zoned.img,if=none,id=nvz,format=raw,cache=unsafe" \
	-device nvme,id=nvme0,serial=tickwise,max_ioqpairs=1 \
	-device nvme-ns,drive=nvz,bus=nvme0,nsid=1,logical_block_size=4096,physical_block_size=4096,zoned=on,zoned.zone_size=1M,zoned.zone_capacity=1M,zoned.max_open=4,zoned.max_active=4
ok $? "the machine ran"
is "$(cat "$shared/zoned")" host-managed "the device has zones"

moved()
{
	value "$shared/$1.fio.json" 'my $job = $j->{jobs}[0];
		join ", ", map { "$_ $job->{$_}{total_ios} of " .
			$job->{$_}{io_bytes} } "read", "write", "trim"'
}

for mode in fill verify batched mixed one_deep; do
	for pair in tickwise:io_uring tickwise-cmd:io_uring_cmd; do
		ours=$mode-${pair%:*} own=$mode-${pair#*:}
		whole "$ours"
		is "$(cat "$shared/$own.status")" 0 "$own: fio's own, too"
		is "$(moved "$ours")" "$(moved "$own")" \
			"$ours: as much as with fio's own engine"
	done
done

# Trims of zones are resets, but fio 3.33's own engine for commands does none.
for engine in tickwise tickwise-cmd; do
	whole trim-$engine
	is "$(moved trim-$engine)" "read 0 of 0, write 0 of 0, trim 2 of 2097152" \
		"trim-$engine: one for each zone"
	is "$(cat "$shared/fill_$engine-io_uring.status")" 0 \
		"trim-$engine: the zones are filled before"
	is "$(cat "$shared/filled-$engine") $(cat "$shared/trimmed-$engine")" \
		'1111 0011' "trim-$engine: two of four are empty again"
done
done_testing
