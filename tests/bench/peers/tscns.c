/* SPDX-License-Identifier: MIT */
/*
 * tscns for peers.sh. Its manual asks for calibrate() now and then, from any thread:
 * here once a second, which corrects the rate every 3 s. The variant "once" leaves
 * that out. It is C++, as tscns is.
 */
#include <string.h>

#include "tscns.h"

static TSCNS tscns;
static bool only_once;

static void peer_start(const char *variant)
{
	only_once = !strcmp(variant, "once");
	tscns.init();
}

static inline uint64_t peer_ns(void)
{
	return (uint64_t)tscns.rdns();
}

static void peer_each_second(void)
{
	if (!only_once)
		tscns.calibrate();
}

static double peer_stated_ns(void)
{
	return -1;
}

#include "starts.h"
