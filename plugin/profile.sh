#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Where does the engine's own time go? A fio job on an engine that was built with
# hooks (make PROFILE=1), its functions timed one by one. What fio and the kernel
# do is in none of them, but for the system calls that the engine makes.
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

# Threads, not processes: fio ends the latter by _exit(), and what they recorded
# would be lost.
cd "$work"
"$build/tickwise" profile --top=16 --keep=profile -- "${FIO:-fio}" --name=job --thread \
	--ioengine="external:$build/tickwise.so" --filename="$work/data" \
	--size=64m --rw=randread --bs=4k --iodepth=32 \
	--iodepth_batch_submit=8 --iodepth_batch_complete_max=8 \
	--direct=$direct --time_based --runtime=5 --output=fio.txt "$@"
