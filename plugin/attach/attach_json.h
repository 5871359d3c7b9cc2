/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The result of a run as a report for `tickwise report`: see tickwise-report(5).
 */
#ifndef TW_PLUGIN_KERNEL_ATTACH_JSON_H
#define TW_PLUGIN_KERNEL_ATTACH_JSON_H

#include <jansson.h>

#include "attach/attach_files.h"
#include "attach/attach_tally.h"
#include "attach/attach_target.h"

struct tw_attach_result {
	struct tw_attach_tally *tally;	/* complete */
	const struct tw_attach_files *files;
	const struct tw_attach_target *target;
	const char *no_causes;		/* the reason; NULL: known, or not wanted */
	struct tw_attach_lost lost;
	uint64_t in_flight;		/* I/Os at the end */
	int64_t missed_runs;		/* tw_attach_missed() at the end */
	uint64_t run_ns;
};

/* Return the report. The tally can only be freed afterwards. */
json_t *tw_attach_to_json(struct tw_attach_result *result);

#endif
