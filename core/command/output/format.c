/* SPDX-License-Identifier: MIT */
/*
 * Formats numbers for pages.
 */
#include <math.h>
#include <stdio.h>

#include "command/output/page.h"

/* A unit is used up to @most of it. Above, rounding would show 1000. */
static const struct unit {
	double ns;
	double most;
	const char *name;
} units[] = {
	{ 1, 999.95, "ns" },
	{ 1e3, 999.95, "us" },
	{ 1e6, 999.95, "ms" },
	{ 1e9, 9999.5, "s" },
	{ 3600e9, 9999.5, "h" },
	{ 365.25 * 86400e9, HUGE_VAL, "y" },
};

/* Return the decimals that give four significant digits to a value below
 * 10^4. */
static int decimals_of(double value)
{
	if (value < 9.9995)
		return 3;
	if (value < 99.995)
		return 2;
	return value < 999.95;
}

struct tw_format_unit tw_format_unit(double ns)
{
	const struct unit *unit = units;

	while (fabs(ns) >= unit->most * unit->ns && unit->most < HUGE_VAL)
		unit++;
	return (struct tw_format_unit) {
		.ns = unit->ns,
		.name = unit->name,
		.decimals = decimals_of(fabs(ns) / unit->ns),
	};
}

const char *tw_format_ns(char *text, double ns)
{
	struct tw_format_unit unit = tw_format_unit(ns);
	double value = ns / unit.ns;

	if (unit.ns == units[0].ns && value == floor(value))
		unit.decimals = 0;
	snprintf(text, TW_FORMAT_SIZE, "%.*f %s", unit.decimals, value,
		 unit.name);
	return text;
}

const char *tw_format_number(char *text, double value)
{
	double size = fabs(value);

	if (size >= 1e10)
		snprintf(text, TW_FORMAT_SIZE, "%.3e", value);
	else
		snprintf(text, TW_FORMAT_SIZE, "%.*f", decimals_of(size),
			 value);
	return text;
}

const char *tw_format_signed(char *text, double value)
{
	text[0] = value < 0 ? '-' : '+';
	snprintf(text + 1, TW_FORMAT_SIZE - 1, "%s",
		 tw_format_number((char[TW_FORMAT_SIZE]) { 0 }, fabs(value)));
	return text;
}

const char *tw_format_plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}
