/* SPDX-License-Identifier: MIT */
/*
 * WTMLIB's conversion for peers.sh: calibrated by its own function, read by its own
 * macros. Its manual converts differences, so a reading counts from the start. It is
 * C++, because WTMLIB exports its functions that way, and its header needs
 * <stddef.h> first.
 */
#include <stddef.h>

#include "starts.h"
#include "wtmlib.h"

static wtmlib_TSCConversionParams_t parameters;
static uint64_t base_ticks;

static void peer_start(const char *variant)
{
	char message[WTMLIB_MAX_ERR_MSG_SIZE] = "";
	uint64_t wraps_s;

	(void)variant;
	if (wtmlib_GetTSCToNsecConversionParams(&parameters, &wraps_s, message,
						sizeof(message))) {
		fprintf(stderr, "WTMLIB: %s\n", message);
		exit(1);
	}
	base_ticks = WTMLIB_GET_TSC();
}

static inline uint64_t peer_ns(void)
{
	uint64_t ticks = WTMLIB_GET_TSC() - base_ticks;

	return WTMLIB_TSC_TO_NSEC(ticks, &parameters);
}
