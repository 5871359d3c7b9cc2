/* SPDX-License-Identifier: MIT */
/*
 * The hints about the counter's rate, their comparison with the measured rate,
 * and the output of tickwise calibrate.
 */
#ifndef TW_COMMAND_CALIBRATE_H
#define TW_COMMAND_CALIBRATE_H

#include <jansson.h>

#include "tickwise.h"

struct tw_page;

#define TW_HINTS	7

/* A rate of the counter as another source states it. */
struct tw_hint {
	const char *name;
	double hz;
	double difference_ppb;	/* positive = the hint is higher than the rate used */
	double explained_ppb;	/* difference that the errors of both can explain */
	int contradicts;	/* 1: the difference is larger than that */
};

/**
 * tw_hints_compare - compare the machine's own statements with a measured rate
 * @hints: room for TW_HINTS
 *
 * Return: how many hints there are. Pure.
 */
unsigned tw_hints_compare(const struct tw_machine *machine,
			  const struct tw_rate *rate, struct tw_hint *hints);

struct tw_page *tw_calibrate_page(const struct tw_rate *rate,
				  const struct tw_machine *machine,
				  const struct tw_counter_facts *counter);
json_t *tw_calibrate_json(const struct tw_rate *rate,
			  const struct tw_machine *machine,
			  const struct tw_counter_facts *counter);

#endif
