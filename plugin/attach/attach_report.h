/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The report of `tickwise attach`, as files and as a page. `tickwise report` makes the
 * page.
 */
#ifndef TW_PLUGIN_KERNEL_ATTACH_REPORT_H
#define TW_PLUGIN_KERNEL_ATTACH_REPORT_H

#include <jansson.h>
#include <stdio.h>

/* Write the report. @json_path, @html_path: NULL if not wanted. Return an enum tw_exit.
 * With any other than TW_EXIT_GOOD, a line on stderr has the reason. */
int tw_attach_print_report(json_t *json, const char *json_path,
			   const char *html_path, FILE *out);

#endif
