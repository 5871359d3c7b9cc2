# SPDX-License-Identifier: MIT
# Reads a device of which a part can't be read; see ../nvme_errors.t.
load nvme poll_queues=2
disk=nvme0n1
all='tickwise io_uring tickwise-cmd io_uring_cmd'
job='--rw=read --size=2m --iodepth=4'
# The block layer returns ENODATA, the device its own status: a medium error, 0x281.
go_on='--continue_on_error=io --ignore_error=61:641'
# shellcheck disable=SC2086
{
	on_each stops "$all" $job
	on_each goes_on "$all" $job $go_on
	on_each polled "$all" $job $go_on --hipri=1
}
