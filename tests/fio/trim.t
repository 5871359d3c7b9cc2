#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: trims reach a block device, alone, mixed with others and in all of
# fio's kinds of trim. They go through the ring if the kernel can do that, else by a
# system call. Each is counted once. Defect: a trim lost on the way back to the
# system call, the wrong range, a trim that overtakes the write of its own block.
#
# zonemode=zbd works as with fio's own engine: zones are written from their start on, all of
# it is read back and verified, and each I/O is counted as fio counts it. Defect: a zone that
# stays locked because fio does not learn of an I/O's end, a write that overtakes the one
# before it, a reset of a zone that is lost.
#
# Needs a block device of its own that can be trimmed: a loop device, and so root,
# on a file that can have holes. It has no zones: fio then keeps them itself, and a trim is a
# trim.
. "$(dirname "$0")/fio_tap.sh"
need ring_device

truncate -s 8M image
fallocate --punch-hole --offset 0 --length 4096 image 2>why || {
	echo "1..0 # SKIP no holes in files here: $(head -n 1 why)"
	exit 0
}
device=$(losetup -f --show image 2>why) || {
	echo "1..0 # SKIP no loop device here: $(head -n 1 why)"
	exit 0
}
zram=
trap 'losetup -d "$device"; rm -rf "$scratch"
	[ -z "$zram" ] || echo "$zram" >/sys/class/zram-control/hot_remove' EXIT

# commands: prints how many (the opcode is 46, in hex 2e) went through the ring
commands()
{
	cat ring.[0-9]* 2>/dev/null | awk '$1 == "2e" { n += $NF }
		END { print n + 0 }'
}

for rw in trim randtrimwrite; do
	rm -f ./*.tickwise.json
	watched "" --name=t --filename="$device" --rw=$rw --bs=4k --size=1m --iodepth=8
	ok $? "$rw"
	same_counts
	ok $? "$rw: counted as fio counts"
	json t.1.*.tickwise.json '$j->{ios}{trim} &&
		$j->{bytes}{trim} == 4096 * $j->{ios}{trim}'
	ok $? "$rw: and so are bytes"
done

# The range is gone, the rest is not.
yes | head -c 8388608 >"$device"
rm -f ./*.tickwise.json
run_fio --name=t --filename="$device" --rw=randtrim --bs=64k --offset=1m --size=2m \
	--iodepth=8
ok $? "a range of trims"
json t.1.*.tickwise.json '$j->{ios}{trim} == 32 && !$j->{errors}{trim}'
ok $? "none is lost, none fails"
is "$(perl -e 'local $/ = \1048576;
	print map { /[^\0]/ ? /\0/ ? "x" : "1" : "0" } <>' \
	"$device")" 10011111 "exactly what was trimmed is gone"
if watched "" --name=t --filename="$device" --rw=trim --bs=4k --size=1m \
		--iodepth=8 --tw_report=none && [ "$(commands)" -eq 256 ]; then
	rm -f ./*.tickwise.json
	watched "" --name=t --filename="$device" --rw=trim --bs=4k --size=1m \
		--iodepth=8 --iodepth_batch=8
	json t.1.*.tickwise.json '$j->{batches}{enters} < 256'
	ok $? "several trims enter the kernel together"
else
	skip "this kernel does not trim through the ring (Linux 6.12 does)"
fi
watched "" --name=t --filename="$device" --rw=trimwrite --bs=4k --size=1m \
	--iodepth=8 --tw_report=none
is "$(commands)" 0 "with writes to the same blocks: one after the other"

# A trim by the system call waits for the writes before it.
rm -f ./*.tickwise.json
run_fio --name=t --filename="$device" --rw=trimwrite --bs=4k --size=1m \
	--iodepth=8 --iodepth_batch=4
json t.1.*.tickwise.json '$j->{requeued}{trim} > 0 && $j->{ios}{trim} == 256'
ok $? "fio brings it again, and that is counted apart"
same_counts
ok $? "and not as another I/O"

# zram refuses trims of the ring. Those of the ring's depth end before the first system call.
if { zram=$(cat /sys/class/zram-control/hot_add) && echo 8M >"/sys/block/zram$zram/disksize"; } \
		2>why; then
	rm -f ./*.tickwise.json
	watched "" --name=t --filename="/dev/zram$zram" --rw=trim --bs=4k --size=1m --iodepth=8
	ok $? "a device that refuses trims of the ring"
	json t.1.*.tickwise.json '$j->{ios}{trim} == 256 && ($j->{requeued}{trim} > 0 || '\
"$(commands)"' == 256)'
	ok $? "those that wait in the ring do not stay there"
else
	skip "no zram here: $(head -n 1 why)"
fi

# verified_trims ENGINE: runs trims that fio puts among writes
verified_trims()
{
	"$FIO" "$plain_clock" --name=t --ioengine="$1" --filename="$device" --rw=randwrite \
		--bs=4k --size=4m --iodepth=8 --verify=crc32c \
		--trim_percentage=25 --trim_backlog=8 --output-format=json \
		--output=out.json >out 2>err
}
if verified_trims io_uring; then
	rm -f ./*.tickwise.json
	verified_trims "external:$TICKWISE_SO"
	ok $? "trims among writes that are verified"
	same_counts
	ok $? "counted as fio counts"
else
	skip "trim_percentage: this fio's own engine dies of it"
fi

# fio can't trim a file; it reports that error itself.
for engine in io_uring "external:$TICKWISE_SO"; do
	rm -f ./*.tickwise.json
	"$FIO" "$plain_clock" --name=t --ioengine="$engine" --filename=file --rw=trim --bs=4k \
		--size=64k --output-format=json --output=out.json >out 2>err
	echo "$? $(from_json out.json 'print $j->{jobs}[0]{error}')"
done >ends
is "$(uniq ends | wc -l)" 1 "a file ends as with fio's engine: $(head -n 1 ends)"

# ---- zonemode=zbd ----

# zoned ENGINE ARGUMENT...: runs a job on the device
zoned()
{
	engine=$1
	shift
	rm -f ./*.tickwise.json
	timeout -s KILL $hung_s "$FIO" "$plain_clock" --name=z --ioengine="$engine" \
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

both 'random writes verified' --rw=randwrite --bs=4k --size=1m --iodepth=8 \
	--verify=crc32c
both 'reads and writes, one at a time' --rw=randrw --bs=4k --size=1m
both 'zones that are trimmed' --rw=trim --bs=512k --size=4m --iodepth=8
done_testing
