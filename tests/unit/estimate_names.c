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

int main(void)
{
	unsigned bit, other;

	tap_ok(!strcmp(tw_verdict_name(TW_RELIABLE), "reliable") &&
	       !strcmp(tw_verdict_name(TW_UNRELIABLE), "unreliable") &&
	       !strcmp(tw_verdict_name(TW_UNDECIDED), "undecided"),
	       "verdicts");
	for (bit = 1; bit <= TW_REASON_CPUS_SKIPPED; bit <<= 1) {
		const char *code = tw_reliability_reason_code(bit);
		int unique = strcmp(code, "unknown") != 0;

		for (other = 1; other < bit; other <<= 1)
			unique &= strcmp(code, tw_reliability_reason_code(other))
				  != 0;
		tap_ok(unique && strlen(tw_reliability_reason_text(bit)) > 20,
		       "reason 0x%x is %s", bit, code);
	}
	tap_ok(!strcmp(tw_reliability_reason_code(0), "unknown") &&
	       tw_reliability_reason_text(1u << 31), "what is no reason");
	return tap_done();
}
