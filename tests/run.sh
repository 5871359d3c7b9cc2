#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs TAP programs under prove, shows what failed or was skipped, and ends with one
# line of counts: "N passed, N failed, N skipped".
#
#	tests/run.sh [-j JOBS] [-m] LOG TEST...
#
# -j: JOBS tests run at a time (1). A test whose source contains the comment
# "Needs: a CPU for itself" runs alone, after the others.
# -m: for tests that measure this machine: every line of every test is shown, and
# the last line has other words, so that no count of `make check` is seen in it.
#
# A skipped check neither passes nor fails; its reason is listed. LOG has the whole
# output of every test, one test after the other, and the line that counts. stderr
# shows the progress (progress.pl): without a terminal each test that ends, and after
# TW_PROGRESS_SECONDS (30) those that run. TW_UNDER: a program to run each test under.
set -u
LC_ALL=C
export LC_ALL

jobs=1
measures=0
while getopts j:m option; do
	case $option in
	j) jobs=$OPTARG ;;
	m) measures=1 ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
log=$1
shift
here=$(dirname "$0")
mkdir -p "$(dirname "$log")"
rm -f "$log"
parts=$(mktemp -d) || exit 1
progress=
# shellcheck disable=SC2317	# reached through the trap
leave()
{
	[ -z "$progress" ] || kill "$progress" 2>/dev/null
	rm -rf "$parts"
}
trap leave EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# needs_cpu TEST: true if its source has that comment
needs_cpu()
{
	source=$here/${1##*tests/}
	source=${source%.t}.c
	[ -f "$source" ] || source=$1
	grep -q 'Needs: a CPU for itself' "$source"
}

alone=
together=
for test; do
	if [ "$jobs" -gt 1 ] && ! needs_cpu "$test"; then
		together="$together $test"
	else
		alone="$alone $test"
	fi
done

"$here/progress.pl" "$parts" $# "${TW_PROGRESS_SECONDS:-30}" &
progress=$!

# --merge keeps what a test writes to stderr next to its checks.
status=0
for turn in "$jobs $together" "1 $alone"; do
	# shellcheck disable=SC2086	# names without spaces
	set -- $turn
	at_a_time=$1
	shift
	[ $# -gt 0 ] || continue
	prove --merge -j "$at_a_time" --exec "$here/one.sh $parts" "$@" \
		>>"$parts/prove" 2>&1 || status=$?
done
kill "$progress"
wait "$progress"
progress=

# shellcheck disable=SC2086
for test in $together $alone; do
	part=$parts/$(echo "$test" | tr / :)
	echo "==> $test"
	[ ! -f "$part" ] || cat "$part"
	echo
done >"$log"

# Print each line that a reader needs, below the name of its test, then prove's
# summary.
awk -v all="$measures" '/^==> / { test = $2; failing = 0 }
/^ok / { failing = 0 }
/^not ok/ { failing = 1 }
all ? !/^==> |^$|^1\.\.[1-9]/ : /^not ok|# SKIP/ || (failing && /^#/) {
	if (test != "")
		print test
	test = ""
	if (all)
		sub(/^ok [0-9]+ (- )?/, "PASS ") ||
			sub(/^not ok [0-9]+ (- )?/, "FAIL ")
	sub(/^(PASS |1\.\.0 )# SKIP/, "SKIP")
	print "  " $0
}' "$log"
awk '/^Test Summary Report/ { show = 1; next } show && !/^-+$/' "$parts/prove"
cat "$parts/prove" >>"$log"

passed=$(grep -cE '^ok ([0-9]+)' "$log")
skipped=$(grep -cE '^ok ([0-9]+)? ?# (SKIP|skip)' "$log")
skipped_files=$(grep -cE '^1\.\.0 # (SKIP|skip)' "$log")
failed=$(grep -cE '^not ok' "$log")
# A test that died without a failing check is also a failure.
died=$(grep -cE '\(Wstat: .* Failed: 0\)' "$parts/prove")
failed=$((failed + died))
[ "$status" -eq 0 ] || [ "$failed" -gt 0 ] || failed=1
passed=$((passed - skipped))
skipped=$((skipped + skipped_files))
echo "(every line of every test: $log)"
if [ "$measures" = 1 ]; then
	echo "this machine: PASS $passed, FAIL $failed, SKIP $skipped"
else
	echo "$passed passed, $failed failed, $skipped skipped"
fi | tee -a "$log"
exit "$status"
