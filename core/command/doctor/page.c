/* SPDX-License-Identifier: MIT */
/*
 * Makes a page of the lines of tickwise doctor.
 */
#include "command/doctor/doctor.h"
#include "command/output/page.h"

static unsigned count(const struct tw_doctor_line *lines, enum tw_doctor_status status)
{
	unsigned of_status = 0;

	for (int i = 0; i < TW_DOCTOR_LINES; i++)
		of_status += lines[i].status == status;
	return of_status;
}

static const enum tw_mark marks[TW_DOCTOR_STATUSES] = {
	[TW_DOCTOR_GOOD] = TW_MARK_GOOD,
	[TW_DOCTOR_NOTE] = TW_MARK_NONE,
	[TW_DOCTOR_FIX] = TW_MARK_BAD,
	[TW_DOCTOR_UNDECIDED] = TW_MARK_UNDECIDED,
};

struct tw_page *tw_doctor_page(const struct tw_doctor_line lines[TW_DOCTOR_LINES])
{
	struct tw_page *page = tw_page_new("Is this machine ready for Tickwise?");
	unsigned to_fix = count(lines, TW_DOCTOR_FIX);
	unsigned undecided = count(lines, TW_DOCTOR_UNDECIDED);

	for (int i = 0; i < TW_DOCTOR_LINES; i++) {
		tw_page_fact(page, lines[i].name, "%s: %s",
			     tw_doctor_status_name(lines[i].status), lines[i].text);
		tw_page_mark(page, marks[lines[i].status]);
		if (lines[i].fix[0])
			tw_page_fact(page, "", "> %s", lines[i].fix);
	}
	tw_page_gap(page);
	if (to_fix || undecided)
		tw_page_note(page, "%u to fix, %u undecided. The lines after a > fix it.", to_fix, undecided);
	else
		tw_page_note(page, "Nothing to fix.");
	return page;
}
