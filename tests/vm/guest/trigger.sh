# SPDX-License-Identifier: MIT
# Records the kernel's trace events around a slow I/O; see ../trigger.t.
load nvme
cat /proc/version >version
mkdir -p /tracing
mount -t tracefs tracefs /tracing
disk=nvme0n1

# job LABEL TW_TRIGGER: runs a job; then lists tracefs, a little after the job's end
job()
{
	fio_job "$1" tickwise --size=1m --iodepth=4 --rw=randread --tw_trigger="$2"
	i=0
	while [ -n "$(ls /tracing/instances)" ] && [ $i -lt 300 ]; do
		sleep 0.1
		i=$((i + 1))
	done
	ls /tracing/instances >"after_$1"
}
job slow 1us
job fast 1h
