# SPDX-License-Identifier: MIT
# Runs jobs while the host, which is told when, stops the machine; see ../stop_cont.t.
load nvme poll_queues=2
disk=nvme0n1
more=--iodepth=4
tell_host()
{
	echo running >"$each.running"
}
meanwhile job 4 tell_host
