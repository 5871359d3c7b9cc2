#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Tests: plugin/engine/engine.c plugin/engine/engine.h plugin/record/job_record.c plugin/record/job_record.h
# plugin/record/io_times.h core/latency/histogram.c
#
# Behaviour: an I/O has no more instructions of the engine than the budget in numbers.json
# allows, from prep() to the flush: of a plain job, and of jobs of other kinds. Defect: small
# steps, each too small to be measured, that make the engine slower than fio's own.
#
# callgrind counts. The job is in simulated time (path_jobs.c), so the counts are the same in
# each run, at any load. They depend on the compiler, its flags, and fio's headers. For others
# than those in numbers.json the test is skipped. TW_EXPECT=1 writes the numbers of this
# compiler.
. "$(dirname "$0")/../tap.sh"

ios=6400
numbers=$root/tests/budget/numbers.json
build=${TW_BUILD:-$root/build}
# shellcheck disable=SC2086 # a command with options
key="$(${CC:-gcc} --version | sed -n '1s/ *(.*)//; 1s/.*\(gcc\|clang\)/\1/p') \
$(uname -m), $(sed -n 's/^FIO_VERSION *= *//p' "$build/fio.path"): \
$(sed 's/^[^ ]* *//; s/ *$//' "$build/flags")"

skip() {
	echo "1..0 # SKIP $1"
	exit 0
}
command -v valgrind >/dev/null || skip 'no valgrind'
[ -n "${TW_EXPECT:-}" ] || grep -qF "\"$key\"" "$numbers" ||
	skip "no numbers for $key (TW_EXPECT=1 writes them)"

cd "$scratch" || exit 1
set --
for kind in plain tw_stages=0 'kernel, chosen' 'kernel, not chosen' rate devices tw_interval; do
	out=$scratch/callgrind.$#
	valgrind --tool=callgrind --collect-atstart=no --toggle-collect=path_jobs_ios \
		--callgrind-out-file="$out" "$build/tests/budget/path_jobs" "$kind" $ios \
		2>log || { cat log; echo "Bail out! $kind"; exit 1; }
	set -- "$@" "$kind=$out"
done
perl "$root/tests/budget/count.pl" "$numbers" "$key" $ios "$@"
