# SPDX-License-Identifier: MIT
# The kernel's trace events around a slow I/O; see ../trigger.t.
. /guest/fio.sh

load nvme
cat /proc/version >version
mkdir -p /tracing
mount -t tracefs tracefs /tracing
block="--filename=/dev/nvme0n1 --direct=1 --bs=4k --size=1m --iodepth=4 --rw=randread"
# shellcheck disable=SC2086
{
	fio_job slow tickwise $block --tw_trigger=1us
	ls /tracing/instances >after_slow
	fio_job fast tickwise $block --tw_trigger=1h
	ls /tracing/instances >after_fast
}
