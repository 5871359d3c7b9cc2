# SPDX-License-Identifier: MIT
# Runs I/Os that are split inside the kernel; see ../kernel_stages.t.
# The module's functions must have addresses when the program is loaded.
load nvme poll_queues=2
cat /proc/version >version

# job MODE ENGINE ARGUMENT...
disk=nvme0n1
job()
{
	fio_job "$@" --tw_kernel=require --tw_kernel_every=1 --tw_slowest=1000
}
common='--size=1m --iodepth=8 --rw=randrw'
# shellcheck disable=SC2086
{
	job block tickwise $common --tw_causes=1
	job block_hipri tickwise $common --hipri=1
	job block_async tickwise $common --force_async=1
	job block_polled tickwise $common --sqthread_poll=1
	job block_fixed tickwise $common --fixedbufs=1 --registerfiles=1
	job block_large tickwise $common --bs=256k --size=16m
	job command tickwise-cmd $common
	job command_fixed tickwise-cmd $common --fixedbufs=1 --registerfiles=1
}

# The same for a fio with its own engine, and for one whose ring exists before.
attach()
{
	mode=$1
	shift
	timeout -s KILL $((120 * slower)) tickwise attach --interval=1 --json="/tmp/$mode.json" \
		--output="/tmp/$mode.page" "$@" 2>"$mode.err"
	echo $? >"$mode.status"
	mv "/tmp/$mode.json" .
}
if [ -e /bin/tickwise-attach ]; then
	stock="--ioengine=io_uring --eta=never --bs=4k --size=1m --iodepth=8 --output=/dev/null
		--filename=/dev/nvme0n1 --direct=1"
	# shellcheck disable=SC2086
	attach attach --causes -- fio --name=attach $stock --rw=randrw
	cat >/tmp/wait.sh <<'END'
while [ ! -e /tmp/go ]; do sleep 0.1; done
END
	# shellcheck disable=SC2086
	fio --name=late $stock --rw=randread --thread \
		--exec_prerun='sh /tmp/wait.sh' &
	late=$!
	(until grep -q ' s, ' /tmp/attach_late.page; do sleep 1; done 2>/dev/null
	: >/tmp/go) &
	attach attach_late $late
	wait
	ifconfig lo 127.0.0.1 up
	head -c 65536 /dev/zero >/tmp/file
	for kinds in all waiting many; do
		attach kinds_$kinds -- attach_kinds /tmp/file $kinds
	done
fi
