#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: zonemode=zbd works as with fio's own engine: zones are written from
# their start on, all of it is read back and verified, and each I/O is counted as
# fio counts it. Defect: a zone that stays locked because fio does not learn of an
# I/O's end, a write that overtakes the one before it, a reset of a zone that is
# lost.
#
# Needs a block device, a loop device and so root. It has no zones: fio then keeps
# them itself, and a trim is a trim.
. "$(dirname "$0")/fio_tap.sh"

truncate -s 8M image
device=$(losetup -f --show image 2>why) || {
	echo "1..0 # SKIP no loop device here: $(head -n 1 why)"
	exit 0
}
trap 'losetup -d "$device"; rm -rf "$scratch"' EXIT

# zoned ENGINE ARGUMENT...: runs a job on the device
zoned()
{
	engine=$1
	shift
	rm -f ./*.tickwise.json
	timeout -s KILL $hung_s "$FIO" --name=z --ioengine="$engine" \
		--filename="$device" --zonemode=zbd --zonesize=512k --direct=1 \
		--output-format=json --output=out.json "$@" >out 2>err
}
moved()
{
	from_json out.json 'my $job = $j->{jobs}[0]; print join " ", map {
		"$_: $job->{$_}{total_ios} of $job->{$_}{io_bytes}" }
		"read", "write", "trim"'
}

# both WHAT ARGUMENT...: runs it with fio's engine, then ours
both()
{
	what=$1
	shift
	if ! zoned io_uring "$@"; then
		skip "$what: fio's own engine can't: $(tail -n 1 err)"
		return
	fi
	stock=$(moved)
	zoned "external:$TICKWISE_SO" "$@"
	ok $? "$what"
	is "$(moved)" "$stock" "$what: as much as with fio's engine"
	same_counts
	ok $? "$what: counted as fio counts"
}

for depth in 1 8; do
	both "random writes verified, depth $depth" --rw=randwrite --bs=4k \
		--size=4m --iodepth=$depth --verify=crc32c
	both "reads and writes, depth $depth" --rw=randrw --bs=4k --size=4m \
		--iodepth=$depth
	both "zones that are trimmed, depth $depth" --rw=trim --bs=512k \
		--size=4m --iodepth=$depth
done
done_testing
