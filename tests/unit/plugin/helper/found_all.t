#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Tests: plugin/helper/helper_found.c
#
# Behaviour: `tickwise kernel-helper --check` knows each tracepoint that the programs of the
# causes and of syncs take. Defect: a kernel without one counts as one that has all.
. "$(dirname "$0")/../../../tap.sh"

# tracepoints FILE...: of a program. No I/O is split without those of io_uring, and the loader
# takes the exit of ext4's sync if there is the entry.
tracepoints()
{
	(cd "$root/plugin/kernel" && sed -n 's/^SEC("?*tp_btf\/\(.*\)")/\1/p' "$@") |
		grep -v -e ^io_uring_ -e ^ext4_sync_file_exit | sort -u
}

of_causes=$(tracepoints causes/causes.bpf.c)
of_syncs=$(tracepoints sync/sync.bpf.h sync/sync_stages.bpf.c)
works 'both programs have some' test -n "$of_causes" -a -n "$of_syncs"
for name in $of_causes $of_syncs; do
	works "$name" grep -qE "[\"| ]trace:$name[\" ]" "$root/plugin/helper/helper_found.c"
done
done_testing
