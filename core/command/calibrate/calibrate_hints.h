/* SPDX-License-Identifier: MIT */
/*
 * The hints about the counter's rate, and their comparison with the measured rate.
 */
#ifndef TW_CALIBRATE_HINTS_H
#define TW_CALIBRATE_HINTS_H

#include "tickwise.h"

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

#endif
