/* SPDX-License-Identifier: MIT */
/*
 * What check and calibrate print of the kernel's clocksource where /sys does not
 * name it, as in some containers. Fails if another clocksource is claimed, or if
 * the page has only a question mark.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/check/output.h"
#include "command/output/page.h"
#include "tap.h"

/* Return what is printed for that machine; free() it. */
static char *text_of(const struct tw_check *check)
{
	struct tw_page *page = tw_page_new("");
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	tw_check_add_machine(page, check);
	tw_output_text(page, file);
	tw_page_free(page);
	fclose(file);
	return text;
}

static void says(const struct tw_check *check, const char *should,
		 const char *what)
{
	char *text = text_of(check);

	if (!tap_ok(strstr(text, should) != NULL, "%s", what))
		tap_note("is %s", text);
	free(text);
}

int main(void)
{
	struct tw_check check = { 0 };

	says(&check, "\nKernel      /sys does not name the clocksource\n",
	     "no /sys");
	strcpy(check.machine.clocksource, "tsc");
	says(&check, "\nKernel      keeps time by tsc (could use: not known)\n",
	     "only the current one");
	strcpy(check.machine.clocksources, "tsc hpet");
	says(&check, "\nKernel      keeps time by tsc (could use: tsc hpet)\n",
	     "both");
	tap_ok(strstr(tw_text(TW_ENUM_RATE_REFUSAL, TW_REFUSED_CLOCKSOURCE),
		      "or does not say") != NULL,
	       "calibrate: the kernel's own rate is refused in both cases");
	return tap_done();
}
