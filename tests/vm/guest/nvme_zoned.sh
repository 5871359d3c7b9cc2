# SPDX-License-Identifier: MIT
# Uses a namespace with zones as block device and by commands; see ../nvme_zoned.t.
. /guest/fio.sh

load nvme
cat /sys/block/nvme0n1/queue/zoned >zoned
# both MODE ARGUMENT...: runs a job on each of our engines and of fio's own
both()
{
	mode=$1
	shift
	set -- --zonemode=zbd --bs=16k --size=8m --iodepth=8 "$@"
	for engine in tickwise io_uring; do
		fio_job "$mode-$engine" $engine --filename=/dev/nvme0n1 \
			--direct=1 "$@"
	done
	fio_job "$mode-tickwise-cmd" tickwise-cmd --filename=/dev/ng0n1 "$@"
	fio_job "$mode-io_uring_cmd" io_uring_cmd --cmd_type=nvme \
		--filename=/dev/ng0n1 "$@"
}

# From here on zones are full or partly written, and each job that writes resets them.
both fill --rw=write
both verify --rw=randwrite --verify=crc32c --do_verify=1
both batched --rw=randwrite --iodepth_batch_submit=8
both mixed --rw=randrw
both one_deep --rw=randwrite --iodepth=1

# Print 1 for each zone that has any data, else 0.
left()
{
	echo 3 >/proc/sys/vm/drop_caches
	for zone in 0 1 2 3; do
		dd if=/dev/nvme0n1 bs=1M skip=$zone count=1 2>/dev/null |
			tr -d '\0' | head -c 1 | wc -c
	done | tr -d '\n'
}
for trim in tickwise:/dev/nvme0n1 tickwise-cmd:/dev/ng0n1; do
	ours=${trim%%:*}
	fio_job "fill_$ours-io_uring" io_uring --filename=/dev/nvme0n1 \
		--direct=1 --zonemode=zbd --rw=write --bs=16k --size=8m
	left >"filled-$ours"
	fio_job "trim-$ours" "$ours" --filename="${trim#*:}" --direct=1 \
		--zonemode=zbd --rw=trim --bs=1m --size=2m --iodepth=8
	left >"trimmed-$ours"
done
