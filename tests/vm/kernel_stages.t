#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: on an older kernel, and on an NVMe device, I/Os are split inside the
# kernel: those of the block device and commands that pass the block layer's file
# interface, with an interrupt or polled.
# Defect: a tracepoint or structure that is another one there; a way from the request
# to its I/O that is missing.
. "$(dirname "$0")/boot.sh"
. "$(dirname "$0")/nvme.sh"
. "$root/tests/fio/kernel_tap.sh"

# from_json FILE PERL: as in fio_tap.sh
from_json()
{
	value "$1" "do { $2 }; ''"
}

seconds=300
nvme_start kernel_stages
wait_end
ok $? "the machine ran"
sed 's/^/# /' "$shared/version"
for mode in block block_hipri block_async block_polled block_fixed block_large \
		command command_fixed; do
	report=$shared/$mode.report.json
	is "$(cat "$shared/$mode.status")" 0 "$mode: fio is content" ||
		sed 's/^/# /' "$shared/$mode.err"
	if json "$report" '$j->{kernel_stages}{state} eq "off"'; then
		skip "$mode: $(value "$report" '$j->{kernel_stages}{why}')"
		continue
	fi
	ios=256
	[ "$mode" != block_large ] || ios=64
	split_is "$report" $ios "$nearly_all" "$mode: split"
done
done_testing
