/* SPDX-License-Identifier: MIT */
/*
 * Arrays of ticks to nanoseconds: the choice of a form, and the one that every
 * processor has.
 */
#include "many.h"

int tw_many_scalar(const struct tw_scale *scale, uint64_t *ns,
		   const uint64_t *ticks, size_t count)
{
	/* A copy: the compiler must not fear that ns points into the scale. */
	const struct tw_scale local = *scale;
	size_t i;

	for (i = 0; i < count; i++)
		ns[i] = tw_ticks_to_ns(&local, ticks[i]);
	return 1;
}

/*
 * Asked anew at every call. What the CPU has is read once, before main(), by
 * the compiler's run-time library, and looking that up is a load and a test:
 * cheaper than a pointer of our own, and nothing that threads could race for.
 */
void tw_ticks_to_ns_many(const struct tw_scale *scale, uint64_t *ns,
			 const uint64_t *ticks, size_t count)
{
#if defined(__x86_64__)
	if (tw_many_has_ifma() && tw_many_ifma(scale, ns, ticks, count))
		return;
	if (tw_many_has_avx512() && tw_many_avx512(scale, ns, ticks, count))
		return;
	if (tw_many_has_avx2() && tw_many_avx2(scale, ns, ticks, count))
		return;
#endif
	tw_many_scalar(scale, ns, ticks, count);
}
