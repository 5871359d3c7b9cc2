/* SPDX-License-Identifier: MIT */
/*
 * Numbers for people have four significant digits and a fitting unit. Fails if
 * rounding reaches the next unit, if a sign chooses another unit, or if a time has
 * more digits than it should.
 */
#include <math.h>
#include <string.h>

#include "command/output/page.h"
#include "tap.h"

static void ns_is(double ns, const char *should)
{
	char text[TW_FORMAT_SIZE];

	if (!tap_ok(!strcmp(tw_format_ns(text, ns), should), "%g ns is %s", ns, should))
		tap_note("is %s", text);
}

static void number_is(double value, const char *should, const char *is_signed)
{
	char text[TW_FORMAT_SIZE];

	if (!tap_ok(!strcmp(tw_format_number(text, value), should), "%s", should))
		tap_note("is %s", text);
	if (!tap_ok(!strcmp(tw_format_signed(text, value), is_signed), "%s", is_signed))
		tap_note("is %s", text);
}

int main(void)
{
	ns_is(0, "0 ns");
	ns_is(7, "7 ns");
	ns_is(0.0625, "0.062 ns");
	ns_is(9.9996, "10.00 ns");
	ns_is(123.46, "123.5 ns");
	ns_is(999.96, "1.000 us");
	ns_is(1235, "1.235 us");
	ns_is(99996, "100.0 us");
	ns_is(999.96e3, "1.000 ms");
	ns_is(12.5e9, "12.50 s");
	ns_is(9999.6e9, "2.778 h");
	ns_is(3e18, "95.06 y");
	ns_is(-7, "-7 ns");
	ns_is(-0.25, "-0.250 ns");
	ns_is(-123456, "-123.5 us");
	ns_is(-INFINITY, "-inf y");
	ns_is(INFINITY, "inf y");
	number_is(37195, "37195", "+37195");
	number_is(12.345678, "12.35", "+12.35");
	number_is(-0.0123, "-0.012", "-0.012");
	number_is(-999.96, "-1000", "-1000");
	number_is(12345678901.0, "1.235e+10", "+1.235e+10");
	tap_ok(!strcmp(tw_format_plural(0), "s") &&
	       !strcmp(tw_format_plural(1), "") &&
	       !strcmp(tw_format_plural(2), "s"), "0 calls, 1 call, 2 calls");
	return tap_done();
}
