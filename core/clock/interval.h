/* SPDX-License-Identifier: MIT */
/*
 * What tw_interval() needs of this machine: noted when a clock is set up.
 */
#ifndef TW_CLOCK_INTERVAL_H
#define TW_CLOCK_INTERVAL_H

#include "tickwise.h"

/* Sets clock->read. Some 20 us. */
void tw_interval_read_cost(struct tw_clock *clock);

#endif
