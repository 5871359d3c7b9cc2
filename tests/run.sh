#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs TAP programs under prove, shows what failed or was skipped, and ends
# with one line that counts: "N passed, N failed, N skipped".
#
#	tests/run.sh LOG TEST...
#
# A skipped check is neither: its reason is listed. The whole output of every
# test is in LOG. TW_UNDER: a program to run each test under.
set -u

log=$1
shift
mkdir -p "$(dirname "$log")"

# --merge: what a test writes to stderr belongs beside its checks.
prove --verbose --merge --exec "${TW_UNDER-}" "$@" >"$log" 2>&1
status=$?

# prove's own summary and every line that needs a reader.
awk '/^ok / { failing = 0 }
/^not ok/ { failing = 1 }
/^not ok|# SKIP|Dubious|Non-zero|No plan|Bad plan/ || (failing && /^#/)' "$log"
awk '/^Test Summary Report/ { show = 1 } show' "$log"

passed=$(grep -cE '^ok ([0-9]+)' "$log")
skipped=$(grep -cE '^ok ([0-9]+)? ?# (SKIP|skip)' "$log")
skipped_files=$(grep -cE '^1\.\.0 # (SKIP|skip)' "$log")
failed=$(grep -cE '^not ok' "$log")
# A test that died without a failing check is a failure all the same.
[ "$status" -ne 0 ] && [ "$failed" -eq 0 ] && failed=1
echo "(every line of every test: $log)"
echo "$((passed - skipped)) passed, $failed failed, $((skipped + skipped_files)) skipped"
exit "$status"
