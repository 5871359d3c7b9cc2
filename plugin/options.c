/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The engine's options, as fio's parser wants them.
 */
#include "engine.h"

struct fio_option tw_engine_options[] = {
	{
		.name	= "tw_report",
		.lname	= "Latency report",
		.type	= FIO_OPT_STR_STORE,
		.off1	= offsetof(struct tw_options, report),
		.help	= "File of this job's latency report (default: "
			  "JOB.N.PID.tickwise.json; none: no report)",
		.category = FIO_OPT_C_ENGINE,
		.group	= FIO_OPT_G_INVALID,
	},
	{
		.name	= "tw_digits",
		.lname	= "Precision of the report",
		.type	= FIO_OPT_INT,
		.off1	= offsetof(struct tw_options, digits),
		.minval	= 1,
		.maxval	= 5,
		.def	= "3",
		.help	= "Significant digits of the latency histograms",
		.category = FIO_OPT_C_ENGINE,
		.group	= FIO_OPT_G_INVALID,
	},
	{
		.name	= NULL,
	},
};
