#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Show where the engine's own time goes. A fio job runs on an engine that was built with
# hooks (make PROFILE=1), and each function is timed. The times of fio and the kernel are
# not included, except the system calls that the engine makes.
#
#	plugin/profile.sh BUILD-DIRECTORY [FIO-OPTION...]
set -eu

build=$(cd "$1" && pwd)
shift
work=$build/job

rm -rf "$work"
mkdir -p "$work"
trap 'rm -f "$work/data"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
direct=1
dd if=/dev/zero of="$work/probe" bs=4096 count=1 oflag=direct 2>/dev/null ||
	direct=0
rm -f "$work/probe"

# The job is a thread: fio ends a process by _exit(), which would lose what it recorded.
cd "$work"
"$build/tickwise" profile --top=16 --keep=profile -- "${FIO:-fio}" --name=job --thread \
	--ioengine="external:$build/tickwise.so" --filename="$work/data" \
	--size=64m --rw=randread --bs=4k --iodepth=32 \
	--iodepth_batch_submit=8 --iodepth_batch_complete_max=8 \
	--direct=$direct --time_based --runtime=5 --output=fio.txt "$@"
