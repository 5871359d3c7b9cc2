#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs one test for run.sh. The output of the test goes to a file of its own in
# DIRECTORY, so that tests that run at the same time do not mix their lines. prove
# reads the file when the test has ended.
#
#	tests/one.sh DIRECTORY TEST
#
# TW_UNDER: a program to run the test under.
set -u

log=$1/$(echo "$2" | tr / :)
# shellcheck disable=SC2086	# a program and its arguments
${TW_UNDER-} "$2" >"$log" 2>&1 </dev/null
status=$?
cat "$log"
exit "$status"
