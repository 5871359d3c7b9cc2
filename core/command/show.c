/* SPDX-License-Identifier: MIT */
/*
 * Prints the result of a command: see show.h.
 */
#include "command/show.h"

#include "command/command.h"
#include "base/allocate.h"
#include "command/output/page.h"
#include "base/write_file.h"

static void print(const struct tw_wanted *wanted, const struct tw_page *page,
		 const struct tw_table *table, json_t *json)
{
	if (wanted->form == TW_FORM_JSON && wanted->is_lines)
		for (size_t i = 0; i < json_array_size(json); i++)
			tw_output_json(json_incref(json_array_get(json, i)), stdout, 0);
	else if (wanted->form == TW_FORM_JSON)
		tw_output_json(json_incref(json), stdout, JSON_INDENT(2));
	else if (wanted->form == TW_FORM_CSV)
		tw_output_csv(table, stdout);
	else
		tw_output_text(page, stdout);
}

/* Mark an interruption on the page and in the object, which may go to a file.
 * CSV has no place for a mark. */
static void mark(struct tw_page *page, json_t *json)
{
	tw_page_warning(page, "the measurement was interrupted: this is what was "
			"measured until then.");
	json_object_set_new(json, "interrupted", json_true());
}

static int write_html(FILE *file, const void *page)
{
	tw_output_html(page, file);
	return 0;
}

int tw_command_show(const char *name, const struct tw_wanted *wanted,
		    struct tw_page *page, const struct tw_table *table, json_t *json)
{
	int code, error = 0;

	if (tw_command_is_interrupted())
		mark(page, json);
	print(wanted, page, table, json);
	/* First: if the page can't be written, the result is not lost. */
	code = tw_command_finish(name, TW_EXIT_GOOD);
	if (wanted->html)
		error = tw_must(tw_output_file(wanted->html, write_html, page));
	if (error)
		code = tw_command_fail(name, TW_EXIT_IO, "can't write %s: %s", wanted->html,
				       tw_file_error(-error));
	tw_page_free(page);
	json_decref(json);
	if (code == TW_EXIT_GOOD && tw_command_is_interrupted())
		return tw_command_interrupted(name, 1);
	return code;
}
