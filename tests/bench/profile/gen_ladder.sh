#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A C program on standard output: functions of 10, 30, 100 and 1000 dependent
# multiplications, and three nested levels, each once with hooks and once
# without. It prints what the ones without take, in ticks a call:
#
#	NAME TICKS
STAYS='__asm__ volatile("" : "+r"(x));'
BARE='__attribute__((noinline))'
PLAIN='__attribute__((noinline, no_instrument_function))'

# steps COUNT
steps() {
	i=0
	while [ "$i" -lt "$1" ]; do
		printf 'x *= x;'
		i=$((i + 1))
	done
}

# one ATTRIBUTE PREFIX: all functions
one() {
	for n in 10 30 100 1000; do
		echo "static $1 uint64_t $2m$n(uint64_t x) { $STAYS $(steps $n) $STAYS return x; }"
	done
	echo "static $1 uint64_t $2leaf(uint64_t x) { $STAYS $(steps 32) $STAYS return x; }"
	echo "static $1 uint64_t $2mid(uint64_t x) { for (int i = 0; i < 4; i++) { x = $2leaf(x); $STAYS $(steps 12) $STAYS } return x; }"
	echo "static $1 uint64_t $2top(uint64_t x) { for (int i = 0; i < 4; i++) { x = $2mid(x); $STAYS $(steps 16) $STAYS } return x; }"
}

cat <<'END'
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "tickwise.h"
#define ROUNDS 401
#define CALLS 50
END
one "$BARE" ''
one "$PLAIN" 'plain_'
cat <<'END'
#define NO __attribute__((no_instrument_function))
typedef uint64_t call(uint64_t);
static struct { const char *name; call *hooked, *plain; double ticks[ROUNDS]; } all[] = {
	{ "m10", m10, plain_m10, { 0 } }, { "m30", m30, plain_m30, { 0 } },
	{ "m100", m100, plain_m100, { 0 } }, { "m1000", m1000, plain_m1000, { 0 } },
	{ "leaf", leaf, plain_leaf, { 0 } }, { "mid", mid, plain_mid, { 0 } },
	{ "top", top, plain_top, { 0 } },
};
NO static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}
NO static double run(call *function)
{
	uint64_t x = 3, begin = tw_ticks_begin();
	for (int i = 0; i < CALLS; i++)
		x = function(x);
	__asm__ volatile("" : : "r"(x));
	return (double)(tw_ticks_end() - begin) / CALLS;
}
NO int main(void)
{
	for (int round = 0; round < ROUNDS; round++)
		for (unsigned i = 0; i < 7; i++) {
			if (i != 4 && i != 5)
				run(all[i].hooked);
			all[i].ticks[round] = run(all[i].plain);
		}
	for (unsigned i = 0; i < 7; i++) {
		qsort(all[i].ticks, ROUNDS, sizeof(double), compare);
		double sum = 0;
		for (int round = 0; round < ROUNDS; round++)
			sum += all[i].ticks[round];
		printf("%s %.2f %.2f\n", all[i].name, all[i].ticks[ROUNDS / 2], sum / ROUNDS);
	}
	return 0;
}
END
