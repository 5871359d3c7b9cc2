# SPDX-License-Identifier: MIT
# Reads eight namespaces that qemu limits, and a ninth without a limit; see ../limits.t.
load nvme
for i in $(seq "$(find /dev -name "nvme0n*" | wc -l)"); do
	disk=nvme0n$i
	fio_job "$i" tickwise --rw=randread --iodepth=32 --time_based --runtime=15 --size=64m \
		--norandommap
done
