#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: core/counter
#
# check and calibrate, in a process that may not read the counter, report that in
# one line and exit with 70. Fails if they die of SIGSEGV, or name another reason.

. "$(dirname "$0")/../../tap.sh"

preload=${TW_BUILD:-$root/build}/tests/preload/forbid_counter.so
# Sanitizers want to be loaded first, and the order does not matter here.
ASAN_OPTIONS=verify_asan_link_order=0
export ASAN_OPTIONS

# Run it in a subshell, so that only the program gets the preload.
forbidden() {
	(
		LD_PRELOAD=$preload
		export LD_PRELOAD
		exec "$tickwise" "$@"
	) >"$out" 2>"$err"
	status=$?
}

case $(uname -m) in
x86_64) ;;
*)
	echo "1..0 # SKIP only x86-64 can forbid a process its counter"
	exit 0
	;;
esac
forbidden --version
if [ "$status" -ne 0 ]; then
	echo "1..0 # SKIP nothing runs with the preload: exit code $status"
	exit 0
fi

for command in check calibrate; do
	forbidden "$command"
	is "$status" 70 "tickwise $command: exit code 70"
	is "$(wc -l <"$err") $(wc -c <"$out")" '1 0' 'one line, no output'
	has "$err" 'this process may not read the counter (prctl PR_SET_TSC)' \
		'which says why'
	run "$command"
	has_not "$err" 'PR_SET_TSC' 'and not where it may'
done
done_testing
