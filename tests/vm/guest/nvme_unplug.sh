# SPDX-License-Identifier: MIT
# Runs jobs whose device is pulled out in mid-run; see ../nvme_unplug.t.
. /guest/fio.sh

for engine in tickwise io_uring tickwise-cmd io_uring_cmd; do
	load nvme poll_queues=2
	i=0
	# A device that appeared but has no size yet can't be opened.
	while ! [ "$(cat /sys/block/nvme0n1/size 2>/dev/null || echo 0)" -gt 0 ] &&
	      [ $i -lt 50 ]; do
		sleep 0.1
		i=$((i + 1))
	done
	sleep 0.5
	case $engine in
	*cmd) file=/dev/ng0n1 ;;
	*) file="/dev/nvme0n1 --direct=1" ;;
	esac
	case $engine in
	*_cmd) file="$file --cmd_type=nvme" ;;
	esac
	before=$(interrupts)
	# shellcheck disable=SC2086
	fio_job $engine $engine --filename=$file --rw=randread --bs=4k \
		--iodepth=4 --time_based=1 --runtime=4 &
	until_more interrupts "$before" 200 200
	sleep 0.5
	for device in /sys/bus/pci/drivers/nvme/0*; do
		bus=$(readlink -f "$device")
		echo 1 >"$bus/remove"
	done
	wait
	echo 1 >/sys/bus/pci/rescan
	sleep 1
done
