/* SPDX-License-Identifier: MIT */
/*
 * What --quiet and --verbose do: they leave out remarks, not errors or warnings,
 * and print what the library decides, one on a line. Fails if a message is lost, or
 * if something is printed unasked.
 */
#include "command/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diagnostics.h"
#include "tap.h"

static void say_all(void)
{
	tw_command_remark("test", "a %s", "remark");
	tw_command_fail("test", TW_EXIT_DATA, "an error");
	tw_say(TW_SAY_NOTE, "rate: decided");
	tw_say(TW_SAY_WARNING, "rate: not all");
}

static void writes(const struct tw_common *common, const char *should, const char *what)
{
	FILE *own = stderr;
	char *is = NULL;
	size_t size;

	stderr = open_memstream(&is, &size);
	tap_ok(tw_command_take_common("test", common) == TW_GO_ON, "%s", what);
	say_all();
	fclose(stderr);
	stderr = own;
	if (!tap_ok(!strcmp(is, should), "%s: what is printed", what))
		tap_note("is '%s'", is);
	free(is);
}

int main(void)
{
	writes(&(struct tw_common) { .output = "-" },
	       "tickwise test: a remark\ntickwise test: an error\n", "neither");
	writes(&(struct tw_common) { .is_verbose = 1 },
	       "tickwise test: a remark\ntickwise test: an error\n"
	       "tickwise test: rate: decided\n"
	       "tickwise test: warning: rate: not all\n", "--verbose");
	writes(&(struct tw_common) { .is_quiet = 1 },
	       "tickwise test: an error\ntickwise test: rate: decided\n"
	       "tickwise test: warning: rate: not all\n", "--quiet, too");
	return tap_done();
}
