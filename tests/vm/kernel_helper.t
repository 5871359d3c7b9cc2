#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: also on the kernels of Debian 12 and 13, `tickwise kernel-helper`
# splits the I/Os of a fio without privileges, refuses what is not that fio's own,
# and leaves nothing. Linux 6.1 has no pidfd of a socket's peer. Defect: a helper
# that needs what these kernels lack, or that allows more there.
. "$(dirname "$0")/boot.sh"
. "$root/tests/fio/kernel_tap.sh"

[ -x "$TW_BUILD/tickwise-kernel-helper" ] || {
	skip 'no helper was built: no clang, bpftool or libbpf-dev'
	done_testing
}
seconds=300
for suite in $suites; do
	on_kernel $suite || { skip "$no_kernel"; continue; }
	on_nvme kernel_helper
	ok $? "$suite: the machine ran"
	is "$(head -n 1 "$shared/helper.log")" \
		'listening on /run/tickwise/kernel.sock for user 65534 (Ctrl-C ends it)' \
		"$suite: the helper begins"
	succeeds fio "$suite: fio succeeds" || shows "$shared/fio.out"
	split_is "$shared/process.json.1" 256 \
		"$joined && \$j->{jobs}[0]{kernel}{by_helper}" "$suite: a process"
	split_is "$shared/thread.json.2" 256 "$joined" "$suite: a thread"
	is "$(grep -c ': ok$' "$shared/garbage") $(wc -l <"$shared/garbage")" '0 6' \
		"$suite: a message that is no question is refused"
	is "$(grep -E ': (ok|done)$' "$shared/asks" | tr '\n' ' ')" \
		"load: ok map to read: done its own: ok its child's: ok the rest: ok " \
		"$suite: what is not the job's is refused, too" || shows "$shared/asks"
	is "$(cat "$shared/helper.status") $(grep -c 'No such' "$shared/left")" '0 1' \
		"$suite: it ends and leaves nothing"
	row "kernel $(sed 's/^Linux version \([^ ]*\).*/\1/' "$shared/version"), \
kernel-helper" "a user's I/Os are split, or lack a stamp" "split of 256: process \
$(from_json "$shared/process.json.1" "$kernel_perl"'print sum($j->{kernel_stages}{split})'), \
thread $(from_json "$shared/thread.json.2" \
"$kernel_perl"'print sum($j->{kernel_stages}{split})')" "has no stages"
done
done_testing
