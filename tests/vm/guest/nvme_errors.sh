# SPDX-License-Identifier: MIT
# Reads a device of which a part can't be read; see ../nvme_errors.t.
. /guest/fio.sh

load nvme poll_queues=2
block="--filename=/dev/nvme0n1 --direct=1"
command="--filename=/dev/ng0n1"
# both MODE ARGUMENT...: runs a job on the block device and past the block layer
both()
{
	mode=$1
	shift
	# shellcheck disable=SC2086
	{
		fio_job "$mode-tickwise" tickwise $block "$@"
		fio_job "$mode-io_uring" io_uring $block "$@"
		fio_job "$mode-tickwise-cmd" tickwise-cmd $command "$@"
		fio_job "$mode-io_uring_cmd" io_uring_cmd --cmd_type=nvme \
			$command "$@"
	}
}

# The block layer returns ENODATA, the device its own status: a medium error, 0x281.
go_on="--continue_on_error=io --ignore_error=61:641"
both stops --rw=read --bs=4k --size=2m --iodepth=4
# shellcheck disable=SC2086
{
	both goes_on --rw=read --bs=4k --size=2m --iodepth=4 $go_on
	both polled --rw=read --bs=4k --size=2m --iodepth=4 $go_on --hipri=1
}
