# SPDX-License-Identifier: MIT
# Uses a namespace with zones as block device and by commands; see ../nvme_zoned.t.
load nvme
cat /sys/block/nvme0n1/queue/zoned >zoned
disk=nvme0n1
# job MODE ENGINES ARGUMENT...
job()
{
	mode=$1
	engines=$2
	shift 2
	on_each "$mode" "$engines" --zonemode=zbd --bs=16k --size=8m --iodepth=8 "$@"
}

# From here on zones are full or partly written, and each job that writes resets them.
all='tickwise io_uring tickwise-cmd io_uring_cmd'
job fill "$all" --rw=write
job verify "$all" --rw=randwrite --verify=crc32c --do_verify=1
job batched "$all" --rw=randwrite --iodepth_batch_submit=8
job mixed "$all" --rw=randrw
job one_deep "$all" --rw=randwrite --iodepth=1

# Print 1 for each zone that has any data, else 0.
left()
{
	echo 3 >/proc/sys/vm/drop_caches
	for zone in 0 1 2 3; do
		dd if=/dev/nvme0n1 bs=1M skip=$zone count=1 2>/dev/null |
			tr -d '\0' | head -c 1 | wc -c
	done | tr -d '\n'
}
for ours in tickwise tickwise-cmd; do
	job "fill_$ours" io_uring --rw=write --iodepth=1
	left >"filled-$ours"
	job trim $ours --rw=trim --bs=1m --size=2m
	left >"trimmed-$ours"
done
