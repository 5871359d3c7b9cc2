/* SPDX-License-Identifier: MIT */
/*
 * Tells the listener (tw_set_diagnostics()) what the library decides. Internal.
 */
#ifndef TW_DIAGNOSTICS_H
#define TW_DIAGNOSTICS_H

#include "tickwise.h"

/* Messages are cut at this length. */
#define TW_SAY_SIZE	256

/* Tell the listener one line, "what: ...", without newline. Without a listener this
 * costs a load. Keeps errno. Not for hot paths. */
void tw_say(enum tw_diagnostics_level level, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
