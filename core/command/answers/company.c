/* SPDX-License-Identifier: MIT */
/*
 * What else a device had in flight when it got an I/O (tw_causes), in words.
 */
#include <stdio.h>
#include <string.h>

#include "base/allocate.h"
#include "command/answers/answers.h"
#include "command/output/page.h"

const char *const tw_company_words[TW_REPORT_COMPANIES - 1] = {
	"reads", "writes", "flushes", "discards", "commands",
};

/* As a count of requests has them. */
static const char *const words[] = {
	"read[s]", "write[s]", "flush[es]", "discard[s]", "other command[s]",
};

/* Return the kind that the I/O was behind; TW_REPORT_COMPANIES - 1: it was alone; -1: that is
 * not known. */
static int kind_of(const json_t *slow)
{
	const json_t *company = json_object_get(slow, "company");
	const char *behind = tw_report_string(company, "behind");

	for (int i = 0; company && behind && tw_company_kinds[i]; i++)
		if (!strcmp(tw_company_kinds[i], behind))
			return i;
	return company && !behind ? TW_REPORT_COMPANIES - 1 : -1;
}

/* Return whose requests they were. This is the place for a name, where a report has one. */
static const char *who_of(const json_t *company)
{
	(void)company;
	return "others";
}

int tw_report_say_company(char *text, size_t size, const json_t *slow, int is_single)
{
	const json_t *company = json_object_get(slow, "company");
	const uint64_t kib = (tw_report_u64(company, "bytes") + 1023) / 1024;
	const int kind = kind_of(slow);

	if (kind < 0)
		return 0;
	if (kind == TW_REPORT_COMPANIES - 1)
		snprintf(text, size, "no I/O of others in flight");
	else if (!is_single)
		snprintf(text, size, "behind %s of %s", tw_company_words[kind],
			 who_of(company));
	else
		snprintf(text, size, "behind %s of %s%s",
			 TW_SAY_COUNT(tw_report_u64(company, "requests"), words[kind]),
			 who_of(company), kib ? tw_format(" (%llu KiB)",
							  (unsigned long long)kib) : "");
	return 1;
}
