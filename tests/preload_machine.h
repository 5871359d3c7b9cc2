/* SPDX-License-Identifier: MIT */
/*
 * A simulated system clock for the preload clock's tests, made of a counter with a
 * slew that changes from piece to piece. It is a pure function of the counter: its
 * value at any tick is known, whoever asks.
 */
#ifndef TW_TESTS_PRELOAD_MACHINE_H
#define TW_TESTS_PRELOAD_MACHINE_H

#include <stdlib.h>

#include "preload/preload_clock.h"
#include "tap.h"

__extension__ typedef unsigned __int128 preload_u128;

/* Pieces have equal length. The slew of the first one is 0. */
struct preload_system {
	uint64_t start_ticks;
	uint64_t piece_ticks;
	uint64_t pieces;
	preload_u128 *base;		/* of each piece, 2^-32 ns */
	uint64_t *mult;			/* 2^-32 ns in a tick */
	double ns_per_tick;
};

static inline uint64_t preload_system_ns(const struct preload_system *system,
					 uint64_t ticks)
{
	uint64_t since = ticks - system->start_ticks;
	uint64_t piece = since / system->piece_ticks;

	if (piece >= system->pieces)
		piece = system->pieces - 1;
	since -= piece * system->piece_ticks;
	return (uint64_t)((system->base[piece] +
			   (preload_u128)since * system->mult[piece]) >> 32);
}

/* @slew_ppm(context, piece) returns the slew of each piece. */
static inline void preload_system_init(struct preload_system *system, double hz,
				       uint64_t start_ticks, double piece_ns, uint64_t pieces,
				       double (*slew_ppm)(void *, uint64_t), void *context)
{
	/* Start at an uptime of some hours. */
	preload_u128 base = (preload_u128)12345678901234ULL << 32;

	*system = (struct preload_system) {
		.start_ticks = start_ticks,
		.piece_ticks = (uint64_t)(piece_ns * hz / 1e9),
		.pieces = pieces,
		.base = calloc(pieces, sizeof(*system->base)),
		.mult = calloc(pieces, sizeof(*system->mult)),
		.ns_per_tick = 1e9 / hz,
	};
	if (!system->base || !system->mult)
		exit(1);
	for (uint64_t i = 0; i < pieces; i++) {
		double slew = i ? slew_ppm(context, i) : 0;

		system->base[i] = base;
		system->mult[i] = (uint64_t)(1e9 / hz * (1 + slew * 1e-6) * 4294967296.0);
		base += (preload_u128)system->piece_ticks * system->mult[i];
	}
}

struct preload_slew {
	double limit_ppm;
	uint64_t random;
};

/* Another slew up to the limit for each piece. */
static inline double preload_random_slew(void *context, uint64_t piece)
{
	struct preload_slew *slew = context;

	(void)piece;
	return slew->limit_ppm * (2 * ((double)(tap_random(&slew->random) >> 11) * 0x1p-53) - 1);
}

static inline void preload_system_free(struct preload_system *system)
{
	free(system->base);
	free(system->mult);
}

#endif
