/* SPDX-License-Identifier: MIT */
/*
 * Telling whoever listens (tw_set_diagnostics()) what was decided. Internal.
 */
#ifndef TW_DIAGNOSTICS_H
#define TW_DIAGNOSTICS_H

#include "tickwise.h"

/* Messages are cut at this length. */
#define TW_SAY_SIZE	256

/* One line, "what: ...", no newline. Costs a load where nobody listens, keeps
 * errno; not for hot paths. */
void tw_say(enum tw_diagnostics_level level, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
