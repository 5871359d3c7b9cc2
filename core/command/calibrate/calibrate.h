/* SPDX-License-Identifier: MIT */
/*
 * What tickwise calibrate prints beside the rate: the hints, compared with it.
 */
#ifndef TW_COMMAND_CALIBRATE_H
#define TW_COMMAND_CALIBRATE_H

#include <jansson.h>

#include "tickwise.h"

struct tw_page;

#define TW_HINTS	7

/* What somebody else says the counter's rate is. */
struct tw_hint {
	const char *name;
	double hz;
	double difference_ppb;	/* + = says more than the rate used */
	double explained_ppb;	/* what the two's resolutions can make */
	int contradicts;	/* more than that */
};

/**
 * tw_hints_compare - hold what the machine says against a rate
 * @hints: room for TW_HINTS
 *
 * Return: how many hints there are. Pure.
 */
unsigned tw_hints_compare(const struct tw_machine *machine,
			  const struct tw_rate *rate, struct tw_hint *hints);

struct tw_page *tw_calibrate_page(const struct tw_rate *rate,
				  const struct tw_machine *machine,
				  const struct tw_counter_facts *counter);
/* NULL: no memory. */
json_t *tw_calibrate_json(const struct tw_rate *rate,
			  const struct tw_machine *machine,
			  const struct tw_counter_facts *counter);

#endif
