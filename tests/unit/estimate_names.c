/* SPDX-License-Identifier: MIT */
/*
 * Every verdict and every reason has a name of its own: JSON readers and pages
 * for people rely on it.
 *
 * Fails when a reason is added without its code and text.
 */
#include <string.h>

#include "tap.h"
#include "tickwise.h"

/*
 * As many as there are, told by hand: a loop up to the last one's name doesn't
 * notice when that is not the last any more. The compiler does, of the switch.
 */
#define REASONS	10

static int is_counted(enum tw_reliability_reason reason)
{
	switch (reason) {
	case TW_REASON_OFFSET:
	case TW_REASON_PACE:
	case TW_REASON_STANDS_STILL:
	case TW_REASON_BACKWARDS:
	case TW_REASON_TOLERANCE:
	case TW_REASON_STATISTICS:
	case TW_REASON_ONE_CPU:
	case TW_REASON_CLOCKSOURCE:
	case TW_REASON_NOT_INVARIANT:
	case TW_REASON_CPUS_SKIPPED:
		return 1;
	}
	return 0;
}

static int has_name(unsigned bit)
{
	return strcmp(tw_name(TW_ENUM_REASON, bit), "unknown") != 0;
}

/* Over all 32: what has a name is in the header, and the other way round. */
static void try_all_bits(void)
{
	unsigned named = 0, listed = 0;
	unsigned i;

	for (i = 0; i < 32; i++) {
		named += (unsigned)has_name(1u << i);
		listed += (unsigned)is_counted(
				(enum tw_reliability_reason)(1u << i));
		if (has_name(1u << i) != is_counted(
				(enum tw_reliability_reason)(1u << i)))
			tap_ok(0, "bit %u is a reason and has a name", i);
	}
	tap_is_u64(listed, REASONS, "reasons there are");
	tap_is_u64(named, REASONS, "reasons that have a name");
}

int main(void)
{
	unsigned bit, other;

	tap_ok(!strcmp(tw_name(TW_ENUM_VERDICT, TW_RELIABLE), "reliable") &&
	       !strcmp(tw_name(TW_ENUM_VERDICT, TW_UNRELIABLE), "unreliable") &&
	       !strcmp(tw_name(TW_ENUM_VERDICT, TW_UNDECIDED), "undecided"),
	       "verdicts");
	try_all_bits();
	for (bit = 1; bit < 1u << REASONS; bit <<= 1) {
		const char *code = tw_name(TW_ENUM_REASON, bit);
		int unique = strcmp(code, "unknown") != 0;

		for (other = 1; other < bit; other <<= 1)
			unique &= strcmp(code, tw_name(TW_ENUM_REASON, other))
				  != 0;
		tap_ok(unique && strlen(tw_text(TW_ENUM_REASON, bit)) > 20,
		       "reason 0x%x is %s", bit, code);
	}
	tap_ok(!strcmp(tw_name(TW_ENUM_REASON, 0), "unknown") &&
	       tw_text(TW_ENUM_REASON, 1u << 31), "what is no reason");
	return tap_done();
}
