/* SPDX-License-Identifier: MIT */
/*
 * The kernel log's best message about the counter's rate is found: refined before
 * detected, counter before processor, and of each the last.
 *
 * Fails if the first hit is taken, if a program's own line is believed, or if
 * malformed text is read past its end.
 */
#include "machine/named_rates.h"
#include "tap.h"

#define PROCESSOR	"<6>[    0.000112] tsc: Detected 2600.000 MHz processor\n"
#define COUNTER		"<6>[    0.000113] tsc: Detected 2599.998 MHz TSC\n"
#define REFINED		"<6>[    1.743215] tsc: Refined TSC clocksource " \
			"calibration: 2599.997 MHz\n"

static const struct {
	const char *what;
	const char *text;
	uint64_t khz;
} cases[] = {
	{ "the processor alone", "<5>[    0.000000] Linux version 6\n"
	  PROCESSOR "<6>[    0.1] TSC deadline timer available\n", 2600000 },
	{ "the counter before the processor", PROCESSOR COUNTER, 2599998 },
	{ "and in the other order", COUNTER PROCESSOR, 2599998 },
	{ "refined before all", PROCESSOR COUNTER REFINED, 2599997 },
	{ "and in another order", REFINED PROCESSOR COUNTER, 2599997 },
	{ "the last of two", REFINED "<6>[ 9.0] tsc: Refined TSC clocksource "
	  "calibration: 2600.001 MHz\n", 2600001 },
	{ "no times", "<6>tsc: Detected 2100.000 MHz processor\n", 2100000 },
	{ "with the caller", "<6>[    0.000000][    T0] tsc: Detected "
	  "2100.000 MHz processor\n", 2100000 },
	{ "no prefix, no line end", "tsc: Detected 2100.000 MHz TSC", 2100000 },
	{ "a program's line", "<14>[  9.0] prog: tsc: Detected 1.000 MHz TSC\n",
	  0 },
	{ "a bad one after a good one", COUNTER
	  "<6>[ 1.0] tsc: Detected 99.9 MHz TSC\n", 2599998 },
	{ "another unit", "<6>[ 1.0] tsc: Detected 2.600 GHz TSC\n", 0 },
	{ "another message", "<6>[ 1.0] tsc: Marking TSC unstable\n", 0 },
	{ "cut off", "<6>[ 1.0] tsc: Detected 2100.0", 0 },
	{ "cut off in the prefix", "<6", 0 },
	{ "cut off in the time", "<6>[    0.0", 0 },
	{ "empty lines", "\n\n\n", 0 },
	{ "nothing", "", 0 },
};

int main(void)
{
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		tap_is_u64(tw_parse_kernel_log_khz(cases[i].text),
			   cases[i].khz, cases[i].what);
	return tap_done();
}
