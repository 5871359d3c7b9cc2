/* SPDX-License-Identifier: MIT */
/*
 * The rate in /proc/cpuinfo is taken exactly where the kernel was told the rate:
 * the first CPU's flags have both words.
 *
 * Fails if the momentary clock of a real machine is taken for the counter's rate,
 * or if a word is found inside another. Fails also if the second CPU's line is
 * read, or if malformed text is read past its end.
 */
#include "machine/named_rates.h"
#include "tap.h"

#define FLAGS	"flags\t\t: fpu tsc constant_tsc "
#define GUEST	FLAGS "hypervisor tsc_known_freq lahf_lm\n"

static const struct {
	const char *what;
	const char *text;
	uint64_t khz;
} cases[] = {
	{ "a guest that was told", "processor\t: 0\nmodel name\t: X @ 2.6GHz\n"
	  "cpu MHz\t\t: 2599.998\ncache size\t: 1 KB\n" GUEST "\n", 2599998 },
	{ "flags before the rate", GUEST "cpu MHz\t\t: 2100.000\n", 2100000 },
	{ "no line end", "cpu MHz : 2100.000\n"
	  "flags : hypervisor tsc_known_freq", 2100000 },
	{ "bare metal", "cpu MHz\t\t: 3411.123\n" FLAGS "tsc_known_freq\n", 0 },
	{ "a guest that was not told", "cpu MHz\t\t: 3411.123\n"
	  FLAGS "hypervisor\n", 0 },
	{ "a guest that sees how fast a core runs", "cpu MHz\t\t: 3411.123\n"
	  FLAGS "hypervisor tsc_known_freq aperfmperf\n", 0 },
	{ "words inside words", "cpu MHz\t\t: 3411.123\n"
	  FLAGS "xhypervisor tsc_known_freqx hypervisor2\n", 0 },
	{ "flags of another name", "cpu MHz\t\t: 3411.123\n"
	  "vmx flags\t: hypervisor tsc_known_freq\n", 0 },
	{ "only the second CPU", "processor\t: 0\nflags\t: fpu\n\n"
	  "processor\t: 1\ncpu MHz\t\t: 2100.000\n" GUEST, 0 },
	{ "not three decimals", "cpu MHz\t\t: 2100.00\n" GUEST, 0 },
	{ "four decimals", "cpu MHz\t\t: 2100.0000\n" GUEST, 0 },
	{ "no number", "cpu MHz\t\t: unknown\n" GUEST, 0 },
	{ "no value", "cpu MHz\t\t:\n" GUEST, 0 },
	{ "no colon", "cpu MHz\nflags\n", 0 },
	{ "no rate", GUEST, 0 },
	{ "nothing", "", 0 },
	{ "cut off", "cpu MHz\t\t: 21", 0 },
	{ "negative", "cpu MHz\t\t: -2100.000\n" GUEST, 0 },
	{ "absurdly long", "cpu MHz\t\t: 21000000000000000000.000\n" GUEST, 0 },
};

int main(void)
{
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		tap_is_u64(tw_parse_cpuinfo_khz(cases[i].text), cases[i].khz,
			   cases[i].what);
	return tap_done();
}
