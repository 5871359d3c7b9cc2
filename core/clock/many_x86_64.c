/* SPDX-License-Identifier: MIT */
/*
 * Arrays of ticks to nanoseconds with the vector units of x86-64.
 *
 * No vector unit has the high half of a 64-bit product, so all forms compute
 * the modulus form, and all compute exactly
 *
 *	((t >> L) * whole + ((t & mask) * mult >> shift) + half) >> q
 *
 * They differ in how they get at its two products. Ticks beyond max_ticks are
 * replaced by max_ticks first: the scale's max_ns is what that converts to.
 */
#include "many.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define Q	TW_SCALE_FRACTION_BITS

/*
 * AVX-512 with the 52-bit multiply-and-add: three of them and no masking.
 *
 * It reads only the low 52 bits of its factors, and its high half is an exact
 * (a * b) >> 52. Ticks shifted up by 52 - L are therefore the rest times
 * 2^(52 - L), with the moduli cut off; times mult << (L - shift), the high half
 * is rest * mult >> shift.
 */
#define IFMA	__attribute__((target("avx512f,avx512ifma")))

int tw_many_has_ifma(void)
{
	return __builtin_cpu_supports("avx512f") &&
	       __builtin_cpu_supports("avx512ifma");
}

/*
 * All factors, and the rest's product (at most @whole), must fit 52 bits. They
 * do in nearly all scales whose modulus is tw_scale_init()'s own choice.
 */
static int suits_ifma(const struct tw_scale *scale)
{
	unsigned modulus_log2 = scale->modulus_log2;

	return modulus_log2 <= 52 && modulus_log2 >= scale->shift &&
	       scale->whole >> 52 == 0 &&
	       scale->max_ticks >> modulus_log2 >> 52 == 0 &&
	       scale->mult >> (52 - (modulus_log2 - scale->shift)) == 0;
}

/* The lanes that are left, all eight but at the end. */
static __mmask8 lanes_left(size_t left)
{
	return (__mmask8)(left >= 8 ? 0xff : (1u << left) - 1);
}

IFMA static void convert_ifma(const struct tw_scale *scale, uint64_t *ns,
			      const uint64_t *ticks, size_t count)
{
	const __m512i max = _mm512_set1_epi64((long long)scale->max_ticks);
	const __m512i whole = _mm512_set1_epi64((long long)scale->whole);
	const __m512i mult = _mm512_set1_epi64((long long)
		(scale->mult << (scale->modulus_log2 - scale->shift)));
	const __m512i half = _mm512_set1_epi64(TW_SCALE_HALF);
	const __m128i down = _mm_cvtsi32_si128(scale->modulus_log2);
	const __m128i up = _mm_cvtsi32_si128(52 - scale->modulus_log2);
	size_t i;

	for (i = 0; i < count; i += 8) {
		__mmask8 lanes = lanes_left(count - i);
		__m512i t = _mm512_maskz_loadu_epi64(lanes, ticks + i);
		__m512i moduli, high, sum;

		t = _mm512_mask_mov_epi64(t, _mm512_cmpgt_epu64_mask(t, max),
					  max);
		moduli = _mm512_srl_epi64(t, down);
		high = _mm512_madd52hi_epu64(_mm512_setzero_si512(), moduli,
					     whole);
		sum = _mm512_madd52lo_epu64(half, moduli, whole);
		sum = _mm512_madd52hi_epu64(sum, _mm512_sll_epi64(t, up), mult);
		sum = _mm512_add_epi64(sum, _mm512_slli_epi64(high, 52));
		_mm512_mask_storeu_epi64(ns + i, lanes,
					 _mm512_srli_epi64(sum, Q));
	}
}

int tw_many_ifma(const struct tw_scale *scale, uint64_t *ns,
		 const uint64_t *ticks, size_t count)
{
	if (!suits_ifma(scale))
		return 0;
	convert_ifma(scale, ns, ticks, count);
	return 1;
}

/*
 * AVX-512 without it: the low half of a 64-bit product is one instruction,
 * though three operations inside.
 */
#define AVX512	__attribute__((target("avx512f,avx512dq")))

int tw_many_has_avx512(void)
{
	return __builtin_cpu_supports("avx512f") &&
	       __builtin_cpu_supports("avx512dq");
}

AVX512 int tw_many_avx512(const struct tw_scale *scale, uint64_t *ns,
			  const uint64_t *ticks, size_t count)
{
	const __m512i max = _mm512_set1_epi64((long long)scale->max_ticks);
	const __m512i mask = _mm512_set1_epi64((long long)scale->mask);
	const __m512i whole = _mm512_set1_epi64((long long)scale->whole);
	const __m512i mult = _mm512_set1_epi64((long long)scale->mult);
	const __m512i half = _mm512_set1_epi64(TW_SCALE_HALF);
	const __m128i down = _mm_cvtsi32_si128(scale->modulus_log2);
	const __m128i shift = _mm_cvtsi32_si128(scale->shift);
	size_t i;

	for (i = 0; i < count; i += 8) {
		__mmask8 lanes = lanes_left(count - i);
		__m512i t = _mm512_maskz_loadu_epi64(lanes, ticks + i);
		__m512i rest, sum;

		t = _mm512_mask_mov_epi64(t, _mm512_cmpgt_epu64_mask(t, max),
					  max);
		rest = _mm512_mullo_epi64(_mm512_and_si512(t, mask), mult);
		sum = _mm512_mullo_epi64(_mm512_srl_epi64(t, down), whole);
		sum = _mm512_add_epi64(sum, _mm512_srl_epi64(rest, shift));
		sum = _mm512_add_epi64(sum, half);
		_mm512_mask_storeu_epi64(ns + i, lanes,
					 _mm512_srli_epi64(sum, Q));
	}
	return 1;
}

/*
 * AVX2 multiplies 32 by 32 bits: two such products for each of ours. The moduli
 * are below 2^32. Of the rest and mult, whose product fits 64 bits, one is: the
 * rest of a modulus of up to 2^32 ticks, mult of a longer one.
 */
#define AVX2	__attribute__((target("avx2")))

int tw_many_has_avx2(void)
{
	return __builtin_cpu_supports("avx2");
}

/* (The sign bit of max_ticks is free in every scale of tw_scale_init().) */
static int suits_avx2(const struct tw_scale *scale)
{
	unsigned modulus_log2 = scale->modulus_log2;

	return scale->max_ticks >> 63 == 0 &&
	       scale->max_ticks >> modulus_log2 >> 32 == 0 &&
	       (modulus_log2 <= 32 || scale->mult >> 32 == 0);
}

/* low_a * low_b + a * b * 2^32, all four factors being the low 32 bits. */
AVX2 static inline __m256i product(__m256i low_a, __m256i low_b, __m256i a,
				   __m256i b)
{
	return _mm256_add_epi64(_mm256_mul_epu32(low_a, low_b),
		_mm256_slli_epi64(_mm256_mul_epu32(a, b), 32));
}

/* The top bit of a lane is set where t is beyond max: t has it itself, or max -
 * t falls below zero. */
AVX2 static inline __m256i beyond(__m256i t, __m256i max)
{
	return _mm256_or_si256(t, _mm256_sub_epi64(max, t));
}

#define VECTORS		4		/* of a block, which is */
#define BLOCK		(VECTORS * 4)	/* ticks */

/*
 * Converts whole blocks. Whether any ticks of one are beyond the limit is
 * asked once: a quarter of the work, and hardly ever answered with yes.
 * Return: how many ticks were converted.
 */
AVX2 static size_t convert_avx2(const struct tw_scale *scale, uint64_t *ns,
				const uint64_t *ticks, size_t count)
{
	const int is_long = scale->modulus_log2 > 32;
	const __m256i max = _mm256_set1_epi64x((long long)scale->max_ticks);
	const __m256i mask = _mm256_set1_epi64x((long long)scale->mask);
	const __m256i whole = _mm256_set1_epi64x((long long)scale->whole);
	const __m256i whole_high = _mm256_srli_epi64(whole, 32);
	const __m256i mult = _mm256_set1_epi64x((long long)scale->mult);
	/* The high part of the one or of the other, by what of the other? */
	const __m256i mult_cross = is_long ? mult : _mm256_srli_epi64(mult, 32);
	const __m128i rest_cross = _mm_cvtsi32_si128(is_long ? 32 : 0);
	const __m256i half = _mm256_set1_epi64x(TW_SCALE_HALF);
	const __m128i down = _mm_cvtsi32_si128(scale->modulus_log2);
	const __m128i shift = _mm_cvtsi32_si128(scale->shift);
	size_t i, j;

	for (i = 0; i + BLOCK <= count; i += BLOCK) {
		const __m256i *from = (const __m256i *)(ticks + i);
		__m256i *to = (__m256i *)(ns + i);
		__m256i t[VECTORS], any = _mm256_setzero_si256();

		for (j = 0; j < VECTORS; j++) {
			t[j] = _mm256_loadu_si256(from + j);
			any = _mm256_or_si256(any, beyond(t[j], max));
		}
		if (tw_unlikely(_mm256_movemask_pd(_mm256_castsi256_pd(any)))) {
			tw_many_scalar(scale, ns + i, ticks + i, BLOCK);
			continue;
		}
		for (j = 0; j < VECTORS; j++) {
			__m256i moduli = _mm256_srl_epi64(t[j], down);
			__m256i rest = _mm256_and_si256(t[j], mask);
			__m256i sum = product(moduli, whole, moduli,
					      whole_high);

			rest = product(rest, mult,
				       _mm256_srl_epi64(rest, rest_cross),
				       mult_cross);
			rest = _mm256_srl_epi64(rest, shift);
			sum = _mm256_add_epi64(sum, rest);
			sum = _mm256_add_epi64(sum, half);
			_mm256_storeu_si256(to + j, _mm256_srli_epi64(sum, Q));
		}
	}
	return i;
}

int tw_many_avx2(const struct tw_scale *scale, uint64_t *ns,
		 const uint64_t *ticks, size_t count)
{
	size_t done;

	if (!suits_avx2(scale))
		return 0;
	done = convert_avx2(scale, ns, ticks, count);
	return tw_many_scalar(scale, ns + done, ticks + done, count - done);
}

#endif
