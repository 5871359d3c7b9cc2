/* SPDX-License-Identifier: MIT */
/*
 * Prints the result of a command, in the form that its options ask for. For
 * commands with a page, an object of JSON and perhaps a table.
 */
#ifndef TW_COMMAND_SHOW_H
#define TW_COMMAND_SHOW_H

#include <jansson.h>

#include "command/options.h"

struct tw_page;
struct tw_table;

enum tw_form { TW_FORM_PAGE, TW_FORM_JSON, TW_FORM_CSV };

/* The values of the options --json, --csv and --html. */
struct tw_wanted {
	enum tw_form form;
	int is_lines;			/* 1: JSON is an array; each element is printed on
					 * a line of its own */
	const char *html;		/* a path; NULL: no file */
};

/**
 * tw_command_show - print to stdout, and then to the file of --html
 * @page: is freed
 * @json: is released; NULL: another form is wanted
 * @table: of @page, for --csv; NULL if a command has none
 *
 * The result is on stdout, or in the file of --output, even if the page can't be
 * written. After Ctrl-C, page and JSON are marked as interrupted.
 *
 * Return: TW_EXIT_GOOD, or another enum tw_exit after a message.
 * TW_EXIT_UNDECIDED means that an interrupted measurement was printed.
 */
int tw_command_show(const char *name, const struct tw_wanted *wanted,
		    struct tw_page *page, const struct tw_table *table, json_t *json);

/* Entries of a table of options; @member is the struct tw_wanted in @type. */
#define TW_OPTION_JSON(type, member) \
	{ .name = "json", .sets = TW_FORM_JSON, \
	  .help = "Print one JSON object instead of a page", \
	  TW_OPTION_AT(type, member.form) }
#define TW_OPTION_CSV(type, member, rows) \
	{ .name = "csv", .sets = TW_FORM_CSV, \
	  .help = "Print a line for each " rows " instead of a page", \
	  TW_OPTION_AT(type, member.form) }
#define TW_OPTION_HTML(type, member) \
	{ .name = "html", .kind = TW_OPTION_FILE, .value = "FILE", .is_written = 1, \
	  .help = "Write the page as HTML to FILE, too", \
	  TW_OPTION_AT(type, member.html) }

#endif
