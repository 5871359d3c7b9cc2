#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: plugin/helper/helper_found.c
#
# Behaviour: `tickwise kernel-helper --check` knows each tracepoint that the programs of the
# causes and of syncs take. Defect: a kernel without one counts as one that has all.
. "$(dirname "$0")/../../../tap.sh"

# tracepoints FILE...: of a program. No I/O is split without those of io_uring, and the loader
# takes the exit of ext4's sync if there is the entry.
tracepoints()
{
	(cd "$root/plugin/kernel" && sed -n 's/^SEC("tp_btf\/\(.*\)")/\1/p' "$@") |
		grep -v -e ^io_uring_ -e ^ext4_sync_file_exit | sort -u
}

for name in $(tracepoints causes.bpf.c) $(tracepoints sync.bpf.h sync_stages.bpf.c); do
	works "$name" grep -qE "[\"| ]trace:$name[\" ]" "$root/plugin/helper/helper_found.c"
done
done_testing
