/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: the text of write_mode becomes commands with limits that share all chances
 * from 0 to 99, as in fio; a wrong text is refused. Defect: a name that is the beginning of
 * another is taken, chances that no command has, a percentage that is read as 0.
 */
#include <string.h>

#include "tap.h"
#include "nvme/write_modes.h"

/* Of each hundred writes: plain, uncorrectable, zeroes, verify. */
static void shares(const char *text, unsigned w, unsigned u, unsigned z, unsigned v)
{
	struct tw_write_modes modes = { .count = 77 };
	const char *why = tw_write_modes_read(text, &modes);
	unsigned of[16] = { 0 };
	unsigned chance;

	for (chance = 0; !why && chance < 100; chance++)
		of[tw_write_modes_at(&modes, chance) & 15]++;
	tap_ok(!why && of[TW_NVME_WRITE] == w && of[TW_NVME_UNCORRECTABLE] == u &&
	       of[TW_NVME_ZEROES] == z && of[TW_NVME_VERIFY] == v &&
	       tw_write_modes_plain(&modes) == (w == 100 && modes.count == 1),
	       "%s: %u, %u, %u, %u", text ? text : "no text", w, u, z, v);
}

static void refused(const char *text, const char *words)
{
	struct tw_write_modes modes;
	const char *why = tw_write_modes_read(text, &modes);

	tap_ok(why && strstr(why, words), "'%s': %s", text, why ? why : "(accepted)");
}

int main(void)
{
	shares(NULL, 100, 0, 0, 0);
	shares("write", 100, 0, 0, 0);
	shares("uncor", 0, 100, 0, 0);
	shares("zeroes", 0, 0, 100, 0);
	shares("verify", 0, 0, 0, 100);
	shares("write/30:zeroes/20:uncor/50", 30, 50, 20, 0);
	shares("write/50:zeroes/:uncor/", 50, 25, 25, 0);
	shares("verify/:write/:uncor/:zeroes/", 25, 25, 25, 25);
	shares("zeroes/0:write/100", 100, 0, 0, 0);
	/* A third is 33, and the last name takes what is left. */
	shares("write/:zeroes/:uncor/", 33, 34, 33, 0);
	refused("", "write, uncor");
	refused("wri", "write, uncor");
	refused("writes", "write, uncor");
	refused("zone_append", "zone_append: refused");
	refused("write/50:bogus/50", "write, uncor");
	refused("write/50:zeroes", "percentage or nothing");
	refused("write:zeroes", "percentage or nothing");
	refused("write/-1:zeroes/", "percentage or nothing");
	refused("write/+1:zeroes/", "percentage or nothing");
	refused("write/ 1:zeroes/", "percentage or nothing");
	refused("write/1x:zeroes/", "percentage or nothing");
	refused("write/101:zeroes/", "percentage or nothing");
	refused("write/4294967297:zeroes/", "percentage or nothing");
	refused("write/60:zeroes/60", "add up");
	refused("write/30:zeroes/30", "add up");
	refused("write/100", "two names");
	refused("write/:zeroes/:uncor/:verify/:write/", "more than once");
	return tap_done();
}
