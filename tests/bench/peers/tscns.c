/* SPDX-License-Identifier: MIT */
/*
 * tscns for peers.sh. Its manual asks for calibrate() now and then, from any thread:
 * here once a second. The variant "once" leaves that out. calibrate() does nothing
 * until 3 s have passed, and after 1 s both variants are the same. It is C++, as
 * tscns is.
 */
#include "starts.h"
#include "tscns.h"

static TSCNS tscns;

/* Return 1 if there is a new rate. */
static int calibrate(void)
{
	double before_ghz = tscns.getTscGhz();

	tscns.calibrate();
	return tscns.getTscGhz() != before_ghz;
}

static void peer_start(const char *variant)
{
	if (strcmp(variant, "once"))
		peer_each_second = calibrate;
	tscns.init();
}

static inline uint64_t peer_ns(void)
{
	return (uint64_t)tscns.rdns();
}
