#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: core/profile core/profile/command
#
# A program runs as it would without hooks if there is no memory for them, whichever
# mapping fails, or if all fail from one on. Fails if a missing record is used: that
# is a crash before main().

. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/profile.sh"

compile gcc program <<'END'
#include <stdio.h>
static volatile int sink;
static __attribute__((noinline)) void called(void) { sink++; }
int main(void)
{
	for (int i = 0; i < 7; i++)
		called();
	printf("%d\n", sink);
	return 3;
}
END
# The library's mappings are those without a reservation. FAIL=N: the Nth fails.
# FAIL=-N: it and all after it. Their number goes to standard error.
cat >"$scratch/fails.c" <<'END'
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
static int count;
void *mmap(void *at, size_t size, int access, int flags, int file, off_t offset)
{
	const char *text = getenv("FAIL");
	int fail = text ? atoi(text) : 0;

	if (flags & MAP_NORESERVE && file == -1) {
		count++;
		if (count == fail || (fail < 0 && count >= -fail)) {
			errno = ENOMEM;
			return MAP_FAILED;
		}
	}
	return (void *)syscall(SYS_mmap, at, size, access, flags, file, offset);
}
__attribute__((destructor)) static void say(void)
{
	fprintf(stderr, "%d mappings\n", count);
}
END
gcc -O2 -shared -fPIC -o "$scratch/fails.so" "$scratch/fails.c"
ok $? 'a mapping that fails'

# run_failing N: runs it; checks exit code and output
run_failing() {
	rm -f "$scratch/profile"
	FAIL=$1 LD_PRELOAD=$scratch/fails.so \
		TICKWISE_PROFILE=file=$scratch/profile "$scratch/program" \
		>"$scratch/program_out" 2>"$scratch/program_err"
	echo "$? $(cat "$scratch/program_out")"
}
is "$(run_failing 0)" '3 7' 'none fails: runs'
mappings=$(sed -n 's/ mappings$//p' "$scratch/program_err")
[ "${mappings:-0}" -gt 5 ]
ok $? "it has more than five (${mappings:-none})"
for fail in $(seq "${mappings:-0}"); do
	is "$(run_failing "$fail")" '3 7' "mapping $fail fails: runs"
	is "$(run_failing "-$fail")" '3 7' "all from $fail on: runs"
done
done_testing
