#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Writes a C program to standard output: functions of 10, 30, 100 and 1000 dependent
# multiplications, and three nested levels. It is to be compiled twice. With
# -DHOOKED and hooks it is these functions. Without, it is the functions again, and
# the code that calls and times both. Code that times has no hooks: a compiler puts
# them into inlined functions, too. The program prints, in ticks a call, what the
# functions without hooks take: the median and both quartiles. Then it prints the
# same of those with hooks (0: called by others only). Its argument is the profile's
# file. The constants, which are known before it begins, are kept as FILE.before.
#
#	NAME TICKS LOW HIGH HOOKED HOOKED_LOW HOOKED_HIGH
STAYS='__asm__ volatile("" : "+r"(x));'
BARE='__attribute__((noinline))'

# steps COUNT
steps() {
	i=0
	while [ "$i" -lt "$1" ]; do
		printf 'x *= x;'
		i=$((i + 1))
	done
}

cat <<'END'
#include <stdint.h>
typedef uint64_t call(uint64_t);
extern call *const hooked[], *const plain[];
END
for n in 10 30 100 1000; do
	echo "static $BARE uint64_t m$n(uint64_t x) { $STAYS $(steps $n) $STAYS return x; }"
done
echo "static $BARE uint64_t leaf(uint64_t x) { $STAYS $(steps 32) $STAYS return x; }"
echo "static $BARE uint64_t mid(uint64_t x) { for (int i = 0; i < 4; i++) { x = leaf(x); $STAYS $(steps 12) $STAYS } return x; }"
echo "static $BARE uint64_t top(uint64_t x) { for (int i = 0; i < 4; i++) { x = mid(x); $STAYS $(steps 16) $STAYS } return x; }"
cat <<'END'
#define ALL { m10, m30, m100, m1000, leaf, mid, top }
#ifdef HOOKED
call *const hooked[] = ALL;
#else
call *const plain[] = ALL;
#include <stdio.h>
#include <stdlib.h>
#include "tickwise.h"
#include "profile/tickwise-profile.h"
#define ROUNDS 401
#define CALLS 50
enum { LEAF = 4, MID = 5, COUNT = 7 };
static const char *const names[] = { "m10", "m30", "m100", "m1000", "leaf", "mid", "top" };
static double ticks[COUNT][ROUNDS], with_hooks[COUNT][ROUNDS];
static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}
static double run(call *function)
{
	uint64_t x = 3, begin = tw_ticks_begin();
	for (int i = 0; i < CALLS; i++)
		x = function(x);
	__asm__ volatile("" : : "r"(x));
	return (double)(tw_ticks_end() - begin) / CALLS;
}
int main(int argc, char **argv)
{
	char before[4096];
	if (argc != 2 || tw_profile_write())
		return 1;
	snprintf(before, sizeof(before), "%s.before", argv[1]);
	if (rename(argv[1], before))
		return 1;
	for (int round = 0; round < ROUNDS; round++)
		for (unsigned i = 0; i < COUNT; i++) {
			/* They are called by top. */
			if (i != LEAF && i != MID)
				with_hooks[i][round] = run(hooked[i]);
			ticks[i][round] = run(plain[i]);
		}
	for (unsigned i = 0; i < COUNT; i++) {
		qsort(ticks[i], ROUNDS, sizeof(double), compare);
		qsort(with_hooks[i], ROUNDS, sizeof(double), compare);
		printf("%s %.2f %.2f %.2f %.2f %.2f %.2f\n", names[i],
		       ticks[i][ROUNDS / 2], ticks[i][ROUNDS / 4],
		       ticks[i][ROUNDS * 3 / 4], with_hooks[i][ROUNDS / 2],
		       with_hooks[i][ROUNDS / 4], with_hooks[i][ROUNDS * 3 / 4]);
	}
	return 0;
}
#endif
END
