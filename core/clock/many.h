/* SPDX-License-Identifier: MIT */
/*
 * The forms of tw_ticks_to_ns_many(), for its choice between them and for the
 * tests, which force each in turn.
 *
 * A form is called only where its tw_many_has_ function says that the CPU can.
 * It returns 1 when it has converted everything, 0 when the scale has a shape
 * that it was not made for, and then has written nothing.
 */
#ifndef TW_CLOCK_MANY_H
#define TW_CLOCK_MANY_H

#include "tickwise.h"

typedef int tw_many_form(const struct tw_scale *scale, uint64_t *ns,
			 const uint64_t *ticks, size_t count);

/* Every CPU, every scale. */
tw_many_form tw_many_scalar;

#if defined(__x86_64__)
int tw_many_has_ifma(void);
int tw_many_has_avx512(void);
int tw_many_has_avx2(void);
tw_many_form tw_many_ifma;
tw_many_form tw_many_avx512;	/* every scale */
tw_many_form tw_many_avx2;
#endif

#endif
