/* SPDX-License-Identifier: MIT */
/*
 * The system clocks that the counter is compared with. tw_clock_mark() itself is
 * public.
 */
#ifndef TW_COUNTER_MARK_H
#define TW_COUNTER_MARK_H

#include "tickwise.h"

clockid_t tw_against_clock_id(enum tw_against against);

#endif
