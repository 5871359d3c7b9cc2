#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs one test for run.sh. The output of the test goes to a file of its own in
# DIRECTORY, so that tests that run at the same time do not mix their lines. prove
# reads the file when the test has ended. A second file, *.ended, shows progress.pl
# that it has; it is empty if the test has passed.
#
# The test begins with the default of each signal. It inherits what the parent of
# `make` ignores: Python SIGPIPE and SIGXFSZ, a shell without job control SIGINT.
#
#	tests/one.sh DIRECTORY TEST
#
# TW_UNDER: a program to run the test under.
set -u

log=$1/$(echo "$2" | tr / :)
# shellcheck disable=SC2086	# a program and its arguments
env --default-signal ${TW_UNDER-} "$2" >"$log" 2>&1 </dev/null
status=$?
[ "$status" = 0 ] && : >"$log.ended" || echo "$status" >"$log.ended"
cat "$log"
exit "$status"
