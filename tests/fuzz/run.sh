#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs fuzzers for SECONDS each, one after another, from their seeds. BUILD/corpus
# keeps the inputs that they find on the way. What they print is closed; to see it,
# run a fuzzer on its input by hand. The output is TAP. The exit code is a failure
# if a fuzzer found a fault: BUILD/NAME-crash-... is then the input.
#
#	tests/fuzz/run.sh BUILD SECONDS NAME...
set -u

# Make the path absolute: a fuzzer may change its folder.
build=$(cd "$1" && pwd) || exit 1
seconds=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
count=0
failed=0
for name; do
	count=$((count + 1))
	mkdir -p "$build/corpus/$name"
	if timeout -k 10 $((seconds + 60)) "$build/tests/fuzz/$name" \
			-max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 \
			-close_fd_mask=3 -max_len=65536 -print_final_stats=1 \
			-artifact_prefix="$build/$name-" "$build/corpus/$name" \
			"$here/corpus/$name" >"$build/$name.log" 2>&1; then
		echo "ok $count - $name: $(sed -n \
			's/^stat::number_of_executed_units: *//p' \
			"$build/$name.log") inputs in $seconds s"
	else
		echo "not ok $count - $name: see $build/$name.log"
		failed=1
	fi
done
echo "1..$count"
exit $failed
