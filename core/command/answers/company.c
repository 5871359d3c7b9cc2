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

int tw_report_say_company(char *text, size_t size, const json_t *slow, int is_single)
{
	const json_t *company = json_object_get(slow, "company");
	const json_t *who = json_object_get(company, "who");
	const uint64_t requests = tw_report_u64(company, "requests");
	const uint64_t theirs = who ? tw_report_u64(who, "requests") : requests;
	const uint64_t kib = (tw_report_u64(company, "bytes") + 1023) / 1024;
	const int kind = kind_of(slow);
	char name[TW_REPORT_NAME] = "others";

	if (kind < 0)
		return 0;
	if (who)
		tw_report_say_holder(name, sizeof(name), who, is_single);
	if (kind == TW_REPORT_COMPANIES - 1)
		snprintf(text, size, "no I/O of others in flight");
	else if (!is_single)
		snprintf(text, size, "behind %s of %s", tw_company_words[kind], name);
	else
		snprintf(text, size, "behind %s%s of %s%s", TW_SAY_COUNT(requests, words[kind]),
			 kib ? tw_format(" (%llu KiB)", (unsigned long long)kib) : "",
			 theirs < requests ? tw_format("others, %llu of them of ",
						       (unsigned long long)theirs) : "",
			 name);
	return 1;
}
