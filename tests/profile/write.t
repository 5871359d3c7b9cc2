#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: core/profile core/profile/command
#
# tw_profile_write() writes what is known by then, with calls that have not
# returned, and recording goes on. throttle= stops timing what is short and often
# called, and goes on counting. The shared library exports what its header and its
# hooks need, no more. Fails if a program that ends by _exit() has no profile even
# so, if writing ends the recording, or if a throttled call is lost.

. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/profile.sh"

# ---- tw_profile_write() ----
compile gcc writes <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "tickwise-profile.h"
#define BARE __attribute__((noinline))
static volatile int sink;
static BARE void before(void) { sink++; }
static BARE void after(void) { sink++; }
static BARE void within(char **argv)
{
	for (int i = 0; i < 5; i++)
		before();
	printf("%d\n", tw_profile_write());
	fflush(stdout);
	if (argv[1])
		_exit(0);
	for (int i = 0; i < 3; i++)
		after();
}
int main(int argc, char **argv) { (void)argc; within(argv); return 0; }
END
record '' "$scratch/writes" _exit
is "$program_status $status $(cat "$scratch/program_out")" '0 0 0' \
	'written, and _exit() after that'
calls before 5 after none
is "$(field main 6) $(field within 6) $(field before 6)" '1 1 0' \
	'what has not returned is marked'
# All calls are within the run, and a callee is within its caller.
is "$(awk '/^wall/ { all = $3 - $2 }
	/^node/ && $11 { print ($7 > 0 && $7 <= all); all = $7 }' "$scratch/profile" | xargs)" '1 1' \
	'with its time up to now'
record '' "$scratch/writes"
is "$program_status $status $(cat "$scratch/program_out")" '0 0 0' \
	'written, and an end as usual'
calls before 5 after 3
is "$(field main 6) $(field within 6)" '0 0' 'the end writes again'
is "$(find "$scratch" -name 'profile*' | wc -l)" 1 'nothing is left next to it'
record off "$scratch/writes"
is "$(cat "$scratch/program_out")" -1 'off: -EPERM'
record "file=$scratch/none/profile" "$scratch/writes"
is "$(cat "$scratch/program_out")" -2 'a directory that is not there: -ENOENT'
has "$scratch/program_err" "can't write $scratch/none/profile" 'and told'

# Writing measures the hooks again. From one file to the next the run and the calls that have not
# returned become longer by the same.
compile gcc twice <<'END'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#include "tickwise-profile.h"
static pthread_barrier_t barrier;
static void *waits(void *x)
{
	pthread_barrier_wait(&barrier);
	pause();
	return x;
}
int main(int argc, char **argv)
{
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, waits, NULL);
	pthread_barrier_wait(&barrier);
	tw_profile_write();
	if (rename(argv[argc - 1], argv[argc - 2]))
		return 1;
	tw_profile_write();
	_exit(0);
}
END
record '' "$scratch/twice" "$scratch/first" "$scratch/profile"
spans() {
	awk '/^wall/ { all = $3 - $2 } /^node/ && $11 { print $4, all - $7 }' "$scratch/$1" | sort
}
is "$(spans profile)" "$(spans first)" 'writing is part of neither the run nor a call'
is "$(spans first | wc -l)" 2 'main, and the function of a thread that waits'

# ---- throttle= ----
compile gcc often <<'END'
#define BARE __attribute__((noinline))
static volatile int sink;
static BARE void often(void) { sink++; }
static BARE void rarely(void) { sink++; }
static BARE void second(void) { often(); }
int main(void)
{
	for (int i = 0; i < 1000; i++)
		often();
	for (int i = 0; i < 9; i++)
		rarely();
	for (int i = 0; i < 5; i++)
		second();
	return 0;
}
END
# No call takes as long as an hour.
record throttle=10:3600000000000 "$scratch/often"
is "$program_status $status" '0 0' 'throttle: runs'
calls often 1005
is "$(field often 4)" 990 'from one place the first ten are timed'
is "$(field rarely 4) $(field second 4)" '0 0' 'fewer calls: all of them'

# ---- what is exported ----
library=$(echo "$build"/libtickwise-profile.so.[0-9])
nm -D --defined-only "$library" |
	awk '$2 != "A" && $3 !~ /^(__|_fini|_init)/ { sub(/@.*/, "", $3)
		print $3 }' | sort >"$scratch/exported"
cat "$root/core/profile/tickwise-profile.h" "$root/core/profile/object.h" |
	sed -n 's/^[a-z].* \**\(tw_[a-z_]*\)(.*/\1/p' | sort >"$scratch/declared"
is "$(tr '\n' ' ' <"$scratch/exported")" "$(tr '\n' ' ' <"$scratch/declared")" \
	'the library exports what is declared'
is "$(wc -l <"$scratch/exported")" 4 'one for programs, three for the hooks'
done_testing
