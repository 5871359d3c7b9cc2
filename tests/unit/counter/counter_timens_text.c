/* SPDX-License-Identifier: MIT */
/*
 * Tests: core/machine
 *
 * Reads what a time namespace adds to the clocks, as the kernel writes it. Fails if
 * the two clocks are mixed up, if a negative offset loses its sign, or if a text
 * that is cut off or foreign is taken for "not shifted".
 *
 * Also on other processors.
 */
#include <errno.h>

#include "counter/state.h"
#include "tap.h"

static const struct {
	const char *what;
	const char *text;
	int ret;
	int64_t monotonic_ns, boottime_ns;
} cases[] = {
	{ "outside", "monotonic           0         0\n"
	  "boottime            0         0\n", 0, 0, 0 },
	{ "a week and a bit", "monotonic      604800       123\n"
	  "boottime            0         0\n", 0, 604800000000123, 0 },
	{ "back", "monotonic         -10         0\n"
	  "boottime           -2 500000000\n", 0, -10000000000, -1500000000 },
	{ "the other order", "boottime 1 0\nmonotonic 2 0\n", 0, 2000000000,
	  1000000000 },
	{ "no last line end", "monotonic 1 0\nboottime 2 0", 0, 1000000000,
	  2000000000 },
	{ "nothing", "", -EINVAL, 0, 0 },
	{ "one line", "monotonic 0 0\n", -EINVAL, 0, 0 },
	{ "the same twice", "monotonic 0 0\nmonotonic 0 0\n", -EINVAL, 0, 0 },
	{ "cut off", "monotonic 0 0\nboottime 0", -EINVAL, 0, 0 },
	{ "another clock", "monotonic 0 0\nboottime 0 0\nrealtime 0 0\n",
	  -EINVAL, 0, 0 },
	{ "no numbers", "monotonic x y\nboottime 0 0\n", -EINVAL, 0, 0 },
	{ "too many ns", "monotonic 0 1000000000\nboottime 0 0\n", -EINVAL, 0,
	  0 },
	{ "more than 64 bits hold", "monotonic 9223372037 0\nboottime 0 0\n",
	  -EINVAL, 0, 0 },
};

int main(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int64_t monotonic_ns = 0, boottime_ns = 0;
		int ret = tw_parse_timens_offsets(cases[i].text, &monotonic_ns,
						  &boottime_ns);

		if (!tap_ok(ret == cases[i].ret &&
			    monotonic_ns == cases[i].monotonic_ns &&
			    boottime_ns == cases[i].boottime_ns, "%s",
			    cases[i].what))
			tap_note("%d, %" PRId64 ", %" PRId64, ret, monotonic_ns,
				 boottime_ns);
	}
	return tap_done();
}
