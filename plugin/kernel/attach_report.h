/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The report of `tickwise attach`, as files and as a page, which `tickwise report` makes.
 */
#ifndef TW_PLUGIN_KERNEL_ATTACH_REPORT_H
#define TW_PLUGIN_KERNEL_ATTACH_REPORT_H

#include <jansson.h>
#include <stdio.h>

/* @json_path, @html_path: NULL: not wanted. An enum tw_exit; with other than
 * TW_EXIT_GOOD a line on stderr says why. */
int tw_attach_print_report(json_t *json, const char *json_path,
			   const char *html_path, FILE *out);

#endif
