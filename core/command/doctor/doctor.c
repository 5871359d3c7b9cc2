/* SPDX-License-Identifier: MIT */
/*
 * tickwise doctor: tells whether this machine is ready for measurements, and
 * how to correct what is not.
 */
#include "command/command.h"
#include "command/doctor/doctor_parts.h"
#include "command/output/page.h"
#include "command/own_files.h"
#include "report/report_json.h"

struct arguments {
	struct tw_wanted wanted;
	const char *fio;
};

static const struct tw_option option_table[] = {
	TW_OPTION_JSON(struct arguments, wanted),
	TW_OPTION_HTML(struct arguments, wanted),
	TW_OPTION_FIO(struct arguments, fio, "Check this fio"),
	{ .name = NULL },
};

const struct tw_options tw_doctor_options = {
	.command = TW_DOCTOR,
	.about =
	"Show what Tickwise needs of this machine and what disturbs measurements on it, a "
	"line each, with the command that fixes it. Nothing is changed.",
	.codes =
	"Exit codes: 0 all is good, 1 something is to be fixed, 2 something could not be "
	"decided, 64 and above could not run.",
	.table = option_table,
	.common = TW_HAS_OUTPUT | TW_HAS_VERBOSE,
};

static const struct status {
	const char *name;
	enum tw_mark mark;
	int exit_code;
} statuses[TW_DOCTOR_STATUSES] = {
	[TW_DOCTOR_GOOD] = { "good", TW_MARK_GOOD, TW_EXIT_GOOD },
	[TW_DOCTOR_NOTE] = { "note", TW_MARK_NONE, TW_EXIT_GOOD },
	[TW_DOCTOR_FIX] = { "fix", TW_MARK_BAD, TW_EXIT_BAD_VERDICT },
	[TW_DOCTOR_UNDECIDED] = { "undecided", TW_MARK_UNDECIDED, TW_EXIT_UNDECIDED },
};

static unsigned count(const struct tw_doctor_line *lines, enum tw_doctor_status status)
{
	unsigned of_status = 0;

	for (int i = 0; i < TW_DOCTOR_LINES; i++)
		of_status += lines[i].status == status;
	return of_status;
}

/* Return the status of all lines together. */
static const struct status *sum_of(const struct tw_doctor_line *lines)
{
	return &statuses[count(lines, TW_DOCTOR_FIX) ? TW_DOCTOR_FIX :
			 count(lines, TW_DOCTOR_UNDECIDED) ? TW_DOCTOR_UNDECIDED :
			 TW_DOCTOR_GOOD];
}

static struct tw_page *make_page(const struct tw_doctor_line *lines)
{
	struct tw_page *page = tw_page_new("Is this machine ready for Tickwise?");
	unsigned to_fix = count(lines, TW_DOCTOR_FIX);
	unsigned undecided = count(lines, TW_DOCTOR_UNDECIDED);

	for (const struct tw_doctor_line *line = lines; line < lines + TW_DOCTOR_LINES; line++) {
		tw_page_fact(page, line->name, "%s: %s", statuses[line->status].name,
			     line->text);
		tw_page_mark(page, statuses[line->status].mark);
		if (line->fix[0])
			tw_page_fact(page, "", "> %s", line->fix);
	}
	tw_page_gap(page);
	if (to_fix || undecided)
		tw_page_note(page, "%u to fix, %u undecided. The lines after a > fix it.",
			     to_fix, undecided);
	else
		tw_page_note(page, "Nothing to fix.");
	return page;
}

static json_t *make_json(const struct tw_doctor_line *lines)
{
	json_t *checks = json_array();

	for (const struct tw_doctor_line *line = lines; line < lines + TW_DOCTOR_LINES; line++)
		json_array_append_new(checks, json_pack("{ss, ss, so, so}",
			"name", line->name, "status", statuses[line->status].name,
			"text", tw_json_text(line->text),
			"fix", line->fix[0] ? tw_json_text(line->fix) : json_null()));
	return json_pack("{ss, si, ss, so}", "schema", "tickwise-doctor", "version", 1,
			 "status", sum_of(lines)->name, "checks", checks);
}

int tw_command_doctor(char **argv)
{
	static struct tw_doctor_line lines[TW_DOCTOR_LINES];
	static struct tw_doctor_facts facts;
	struct arguments arguments = { 0 };
	int code = tw_command_options(&tw_doctor_options, &arguments, argv, NULL);

	if (code != TW_GO_ON)
		return code;
	tw_doctor_read(&facts, tw_fio_program(arguments.fio));
	tw_doctor_judge(&facts, lines);
	code = tw_command_show(TW_DOCTOR, &arguments.wanted, make_page(lines), NULL,
			       make_json(lines));
	return code == TW_EXIT_GOOD ? sum_of(lines)->exit_code : code;
}
