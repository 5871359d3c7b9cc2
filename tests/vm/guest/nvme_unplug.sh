# SPDX-License-Identifier: MIT
# Runs jobs whose device is pulled out in mid-run; see ../nvme_unplug.t.
disk=nvme0n1
for each in tickwise io_uring tickwise-cmd io_uring_cmd; do
	load nvme poll_queues=2
	i=0
	# A device that appeared but has no size yet can't be opened.
	while ! [ "$(cat /sys/block/nvme0n1/size 2>/dev/null || echo 0)" -gt 0 ] &&
	      [ $i -lt 50 ]; do
		sleep 0.1
		i=$((i + 1))
	done
	sleep 0.5
	before=$(interrupts)
	fio_job $each $each --rw=randread --iodepth=4 --time_based=1 --runtime=4 &
	until_more interrupts "$before" 200 200
	sleep 0.5
	for pulled in /sys/bus/pci/drivers/nvme/0*; do
		echo 1 >"$(readlink -f "$pulled")/remove"
	done
	wait
	echo 1 >/sys/bus/pci/rescan
	sleep 1
done
