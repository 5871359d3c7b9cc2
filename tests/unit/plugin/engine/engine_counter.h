/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The clocks of the engine's unit tests. It is included before each source of the
 * engine that they are built from, so that the test decides each stamp.
 */
#ifndef TW_TESTS_ENGINE_COUNTER_H
#define TW_TESTS_ENGINE_COUNTER_H

#include "tickwise.h"
#include "timespec.h"

/* Advances only when the test asks for it, never by being read. The thread that writes
 * intervals reads it, too. */
extern _Atomic(uint64_t) engine_now_ticks;

#define tw_ticks()		(engine_now_ticks)
#define tw_ticks_begin()	(engine_now_ticks)
#define tw_ticks_end()		(engine_now_ticks)
#define tw_clock_ns(clock)	((void)(clock), engine_now_ticks)

/* By the function that engine_world.h has in place of liburing's. */
#define TW_ENTER_BY_LIBURING

/* The system's clocks. */
uint64_t engine_clock_id_ns(clockid_t clock_id);

void engine_clock_rate(struct tw_rate *rate);

#define tw_clock_id_ns(id)	engine_clock_id_ns(id)
#define tw_clock_rate(clock, rate) engine_clock_rate(rate)

#endif
