/* SPDX-License-Identifier: MIT */
/*
 * Whether the counter is used. Pure: trust_measure.c looks at the machine. Internal.
 */
#ifndef TW_TRUST_H
#define TW_TRUST_H

#include "tickwise.h"

/* What the states of its checks come to. */
enum tw_verdict tw_health_verdict(const struct tw_clock_health *health);

#endif
