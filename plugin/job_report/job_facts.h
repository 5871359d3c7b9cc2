/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A job's surroundings: its options, the machine, its files, and the devices that hold the
 * files.
 */
#ifndef TW_PLUGIN_JOB_REPORT_JOB_FACTS_H
#define TW_PLUGIN_JOB_REPORT_JOB_FACTS_H

#include "record/job_devices.h"

struct tw_facts {
	json_t *options, *machine, *files;
	uint64_t options_left_out, files_left_out;
	struct tw_files *where;
};

/* Collect the facts. Call it before the first I/O, since fio forgets its files before it
 * ends a job. Return NULL without memory. */
struct tw_facts *tw_facts_take(struct thread_data *td, const struct tw_cpu_list *cpus);
void tw_facts_free(struct tw_facts *facts);

/* Set the options, the machine, the files and their devices in @report, which has one job. The
 * facts of a device are read now, since fio may have changed a scheduler after the job began.
 * What @devices recorded moves into the report; NULL: nothing by device. Return 0 or
 * -ENOMEM. */
int tw_facts_put(const struct tw_facts *facts, struct tw_devices *devices,
		 struct tw_report *report);

#endif
