/* SPDX-License-Identifier: MIT */
/*
 * tw_ticks_to_ns_many() gives, bit for bit, what tw_ticks_to_ns() gives: every
 * form forced in turn, on boundary and random ticks, over rates from 10 MHz to
 * 10 GHz and moduli of all lengths, in place and apart, at every count and
 * offset, beyond the limit too. Fails if a partial product is dropped, a lane
 * saturates to something else, or a tail is left out or overrun.
 */
#include <math.h>
#include <string.h>

#include "clock/many.h"
#include "tap.h"

#define RATES		200
#define COUNT		512
#define MOST_SHORT	40
#define CANARY		0xdeadbeefcafef00dULL

struct form {
	const char *name;
	int has;		/* on this CPU */
	tw_many_form *convert;
	unsigned converted, refused, wrong;
};

static int public_form(const struct tw_scale *scale, uint64_t *ns,
		       const uint64_t *ticks, size_t count)
{
	tw_ticks_to_ns_many(scale, ns, ticks, count);
	return 1;
}

/* With @is_within, none beyond the limit: one beyond sends a whole block of
 * some forms another way. */
static void fill(const struct tw_scale *scale, uint64_t *random, int is_within,
		 uint64_t *ticks)
{
	const uint64_t edges[] = {
		0, 1, scale->mask, scale->mask + 1, scale->mask + 2,
		UINT32_MAX, 1ULL << 32, scale->max_ticks - 1, scale->max_ticks,
		scale->max_ticks + 1, 1ULL << 63, (1ULL << 63) - 1,
		(1ULL << 63) + scale->max_ticks + 1, UINT64_MAX,
	};
	const unsigned many = sizeof(edges) / sizeof(*edges);
	unsigned i;

	for (i = 0; i < COUNT; i++) {
		/* Over all octaves; every second one beside a boundary. */
		ticks[i] = tap_random(random) >> (tap_random(random) % 64);
		if (i % 2)
			ticks[i] = (ticks[i] & ~scale->mask) - 2 +
				   tap_random(random) % 4;
	}
	/* An edge in every lane, whatever the vector's width. */
	for (i = 0; i < 9 * many; i++)
		ticks[tap_random(random) % COUNT] = edges[i % many];
	memcpy(ticks, edges, sizeof(edges));
	for (i = 0; is_within && i < COUNT; i++)
		ticks[i] %= scale->max_ticks + 1;
}

static unsigned differences(const struct tw_scale *scale, const uint64_t *ns,
			    const uint64_t *ticks, size_t count)
{
	unsigned wrong = 0;
	size_t i;

	for (i = 0; i < count; i++)
		wrong += ns[i] != tw_ticks_to_ns(scale, ticks[i]);
	return wrong;
}

/* @count from ticks + @offset, apart and in place, with a word on either side
 * that must stay. */
static void try_one(struct form *form, const struct tw_scale *scale,
		    const uint64_t *ticks, size_t offset, size_t count)
{
	uint64_t apart[COUNT + 2], in_place[COUNT + 2];

	ticks += offset;
	memset(apart, 0xee, sizeof(apart));
	memcpy(in_place + 1, ticks, count * sizeof(*ticks));
	apart[0] = apart[count + 1] = CANARY;
	in_place[0] = in_place[count + 1] = CANARY;
	if (!form->convert(scale, apart + 1, ticks, count)) {
		form->refused++;
		return;
	}
	form->convert(scale, in_place + 1, in_place + 1, count);
	form->converted++;
	form->wrong += differences(scale, apart + 1, ticks, count) +
		       differences(scale, in_place + 1, ticks, count);
	form->wrong += apart[0] != CANARY || apart[count + 1] != CANARY ||
		       in_place[0] != CANARY || in_place[count + 1] != CANARY;
}

static void try_scale(struct form *forms, unsigned many,
		      const struct tw_scale *scale, int is_within,
		      uint64_t *random)
{
	uint64_t ticks[COUNT];
	size_t count = tap_random(random) % (MOST_SHORT + 1);
	unsigned i;

	fill(scale, random, is_within, ticks);
	for (i = 0; i < many; i++) {
		if (!forms[i].has)
			continue;
		try_one(&forms[i], scale, ticks, 0, COUNT);
		try_one(&forms[i], scale, ticks, tap_random(random) % 16,
			count);
	}
}

static struct tw_rate rate_number(unsigned i, uint64_t *random)
{
	static const double edges[] = {
		1e7, 1e10, 1e9, 24e6, 62.5e6, 2599998140.336, 4294967296.0,
	};
	struct tw_rate rate = { 0 };

	if (i < sizeof(edges) / sizeof(*edges))
		rate.hz = edges[i];
	else
		rate.hz = 1e7 * exp((double)(tap_random(random) >> 11) *
				    0x1p-53 * log(1000));
	if (i % 2 && rate.hz < 9e9) {
		rate.kernel_shift = 24;
		rate.kernel_mult = (uint32_t)(1e9 * 0x1p24 / rate.hz);
		rate.hz = 1e9 * 0x1p24 / rate.kernel_mult;
	}
	return rate;
}

static void try_rates(struct form *forms, unsigned many, uint64_t modulus_ns,
		      uint64_t *random)
{
	struct tw_scale scale;
	unsigned i;

	for (i = 0; i < RATES; i++) {
		struct tw_rate rate = rate_number(i, random);

		/* Not every modulus can be had at every rate. */
		if (tw_scale_init(&scale, &rate, modulus_ns))
			continue;
		try_scale(forms, many, &scale, 0, random);
		try_scale(forms, many, &scale, 1, random);
	}
}

static void try_counts(struct form *forms, unsigned many)
{
	const struct tw_rate rate = { .hz = 2.6e9 };
	uint64_t ticks[COUNT], random = 1;
	struct tw_scale scale;
	unsigned i, offset, count;

	tw_scale_init(&scale, &rate, 0);
	fill(&scale, &random, 1, ticks);
	for (i = 0; i < many; i++)
		for (offset = 0; forms[i].has && offset < 8; offset++)
			for (count = 0; count <= MOST_SHORT; count++)
				try_one(&forms[i], &scale, ticks, offset,
					count);
}

/* A form that refuses is no error, only slow: but of the scales that
 * tw_scale_init() chooses itself, seldom. At 2 of 100 rates and less the best
 * modulus is long by luck; a fifth is far from that, and from "always". */
static void check(const struct form *form, int is_best)
{
	if (!form->has) {
		tap_skip("%s: not on this CPU", form->name);
		return;
	}
	tap_ok(form->wrong == 0 && form->converted > 0,
	       "%s: the same, with %s modulus", form->name,
	       is_best ? "the best" : "any");
	tap_note("%u arrays converted, %u words wrong, %u scales refused",
		 form->converted, form->wrong, form->refused);
	if (is_best)
		tap_ok(form->refused * 5 < form->converted,
		       "%s: refuses few of these scales", form->name);
}

int main(void)
{
	/* What people ask for, and absurd ones. */
	static const uint64_t moduli_ns[] = {
		10000000000, 3600000000000, 1000000, 1000, 100,
	};
	struct form forms[] = {
		{ .name = "the public function", .has = 1,
		  .convert = public_form },
		{ .name = "scalar", .has = 1, .convert = tw_many_scalar },
#if defined(__x86_64__)
		{ .name = "AVX-512 IFMA", .has = tw_many_has_ifma(),
		  .convert = tw_many_ifma },
		{ .name = "AVX-512", .has = tw_many_has_avx512(),
		  .convert = tw_many_avx512 },
		{ .name = "AVX2", .has = tw_many_has_avx2(),
		  .convert = tw_many_avx2 },
#endif
	};
	const unsigned many = sizeof(forms) / sizeof(*forms);
	uint64_t random = tap_seed();
	unsigned i;

	try_rates(forms, many, 0, &random);
	try_counts(forms, many);
	for (i = 0; i < many; i++)
		check(&forms[i], 1);
	for (i = 0; i < sizeof(moduli_ns) / sizeof(*moduli_ns); i++)
		try_rates(forms, many, moduli_ns[i], &random);
	for (i = 0; i < many; i++)
		check(&forms[i], 0);
	return tap_done();
}
