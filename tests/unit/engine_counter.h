/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The clocks of the engine's unit tests: included before each of the engine's
 * sources that they are built from, so that a stamp is what the test says.
 */
#ifndef TW_TESTS_ENGINE_COUNTER_H
#define TW_TESTS_ENGINE_COUNTER_H

#include "tickwise.h"
#include "timespec.h"

/* Moves only when the test says so, never by being read. */
extern uint64_t engine_now_ticks;

#define tw_ticks()		(engine_now_ticks)
#define tw_clock_ns(clock)	((void)(clock), engine_now_ticks)

/* Those of the system. */
uint64_t engine_clock_id_ns(clockid_t clock_id);

#define tw_clock_id_ns(id)	engine_clock_id_ns(id)

#endif
