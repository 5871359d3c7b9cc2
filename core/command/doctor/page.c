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
	[TW_DOCTOR_MEND] = TW_MARK_BAD,
	[TW_DOCTOR_UNDECIDED] = TW_MARK_UNDECIDED,
};

struct tw_page *tw_doctor_page(const struct tw_doctor_line lines[TW_DOCTOR_LINES])
{
	struct tw_page *page = tw_page_new("Is this machine ready for Tickwise?");
	unsigned to_mend = count(lines, TW_DOCTOR_MEND);
	unsigned undecided = count(lines, TW_DOCTOR_UNDECIDED);

	for (int i = 0; i < TW_DOCTOR_LINES; i++) {
		tw_page_fact(page, lines[i].name, "%s: %s",
			     tw_doctor_status_name(lines[i].status), lines[i].text);
		tw_page_mark(page, marks[lines[i].status]);
		if (lines[i].mend[0])
			tw_page_fact(page, "", "> %s", lines[i].mend);
	}
	tw_page_gap(page);
	if (to_mend || undecided)
		tw_page_note(page, "%u to mend, %u undecided. What mends it is behind "
			     "the >.", to_mend, undecided);
	else
		tw_page_note(page, "Nothing to mend.");
	return page;
}
