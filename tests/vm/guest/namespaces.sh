# SPDX-License-Identifier: MIT
# Jobs in the namespaces of an NVMe device; for ../nvme_metadata.t.

# The kernel may find the namespaces in any order, and numbers what it finds.
name_of()
{
	grep -lx "$1" /sys/block/nvme0n*/nsid | cut -d/ -f4
}

# job LABEL ARGUMENT...: runs it with each engine of $all, in namespace $n
job()
{
	label=$1
	disk=$(name_of "$n")
	shift
	on_each "$label" "$all" --iodepth=8 --size=$((512 * block)) --bs=$((8 * block)) "$@"
}
