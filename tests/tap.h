/* SPDX-License-Identifier: MIT */
/*
 * Test Anything Protocol for the C tests: one program, one behaviour.
 *
 * Every check prints a line; tap_done() prints the plan and gives the exit
 * code. Random tests take a seed from TW_SEED and print it.
 */
#ifndef TW_TESTS_TAP_H
#define TW_TESTS_TAP_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int tap_count;
static int tap_failed;

__attribute__((format(printf, 2, 3)))
static inline int tap_ok(int passed, const char *format, ...)
{
	va_list args;

	printf("%sok %d - ", passed ? "" : "not ", ++tap_count);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
	tap_failed += !passed;
	return passed;
}

/* Count one check that could not be made. The reason is no evidence either way. */
__attribute__((format(printf, 1, 2)))
static inline void tap_skip(const char *format, ...)
{
	va_list args;

	printf("ok %d # SKIP ", ++tap_count);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
}

__attribute__((format(printf, 1, 2)))
static inline void tap_note(const char *format, ...)
{
	va_list args;

	printf("# ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

static inline int tap_is_u64(uint64_t is, uint64_t should, const char *what)
{
	if (tap_ok(is == should, "%s", what))
		return 1;
	tap_note("is %" PRIu64 ", should be %" PRIu64, is, should);
	return 0;
}

/* The tests' only source of randomness: xorshift64*. */
static inline uint64_t tap_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1dULL;
}

static inline uint64_t tap_seed(void)
{
	const char *text = getenv("TW_SEED");
	uint64_t seed = text ? strtoull(text, NULL, 0) : 20261122;

	if (seed == 0)
		seed = 1;
	tap_note("TW_SEED=%" PRIu64, seed);
	return seed;
}

static inline int tap_done(void)
{
	printf("1..%d\n", tap_count);
	return tap_failed != 0;
}

#endif
