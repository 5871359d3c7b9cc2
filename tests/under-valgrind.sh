#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs a test under valgrind, and exits with a failure if valgrind finds an error.
# Threads run one at a time there, some fifty times slower. A test that waits for
# another CPU may not end; it is skipped with that reason.
#
#	tests/under-valgrind.sh TEST
set -u

seconds=${TW_VALGRIND_SECONDS:-120}
out=$(mktemp)
trap 'rm -f "$out"' EXIT
timeout -k 5 "$seconds" valgrind -q --error-exitcode=99 --leak-check=full \
	--fair-sched=yes "$@" >"$out" 2>&1
status=$?
case $status in
124|137)
	echo "1..0 # SKIP not done in $seconds s under valgrind"
	exit 0
	;;
esac
cat "$out"
exit "$status"
