#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tickwise profile --against reads what the installed perf records: with and without
# call chains, compressed, of a fixed period, through a pipe, of two events. A
# function that takes nearly all of the time has samples in each. Fails if perf
# prints what is not understood. Skipped where perf is missing or may not sample.

. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../profile/profile.sh"

cat >"$scratch/busy.c" <<'END'
#include <time.h>
static volatile int sink;
static __attribute__((noinline)) void work(void)
{
	for (int i = 0; i < 100000; i++)
		sink++;
}
/* 0.3 s of the CPU: at 1000 Hz that is at least one sample on any machine. */
int main(void)
{
	while (clock() < 3 * (CLOCKS_PER_SEC / 10))
		work();
	return 0;
}
END
compile gcc busy <"$scratch/busy.c"
record '' "$scratch/busy"
gcc -O2 -g -fno-omit-frame-pointer -o "$scratch/plain" "$scratch/busy.c"

perf record -q -e cpu-clock -o "$scratch/first" "$scratch/plain" \
	>"$scratch/log" 2>&1 || {
	skip "perf can't sample here: $(head -n 1 "$scratch/log")"
	done_testing
}

# reads NAME OPTION...: records $scratch/perf.data with these options, and reads it
reads() {
	run profile --against="$scratch/perf.data" --json "$scratch/profile"
	sed 's/^/# /' "$err"
	found=$(perl -0ne 'print $1 > 0 ? "some" : "none" if
		/"name": "work",\s*"share": .*?"samples": (\d+)/s' "$out")
	is "$status $found" '0 some' "$1"
}
for options in '-F 1000' '-F 1000 -g' '-c 1000000 -g' '-F 1000 -g -z' \
	'-F 1000 -g -e page-faults'; do
	# shellcheck disable=SC2086
	if perf record -q $options -e cpu-clock \
		-o "$scratch/perf.data" "$scratch/plain" >"$scratch/log" 2>&1; then
		reads "perf record $options"
	else
		skip "perf record $options: $(head -n 1 "$scratch/log")"
	fi
done
perf record -q -g -F 1000 -e cpu-clock -o - "$scratch/plain" \
	>"$scratch/perf.data" 2>"$scratch/log"
reads 'perf record -o -'
done_testing
