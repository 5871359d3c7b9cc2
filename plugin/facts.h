/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a report contains about the job's surroundings: its options, the machine, its
 * files, and the block devices that hold the files.
 */
#ifndef TW_PLUGIN_FACTS_H
#define TW_PLUGIN_FACTS_H

#include <jansson.h>

struct thread_data;
struct tw_cpu_list;
struct tw_files;
struct tw_facts;
struct tw_report;

/* Options beyond this number are only counted. */
#define TW_FACTS_OPTIONS	128
#define TW_FACTS_OPTION_BYTES	256

/* Collect the facts. Call it before the first I/O, since fio forgets its files before it
 * ends a job. @files has to outlive the facts. Return NULL without memory. */
struct tw_facts *tw_facts_take(struct thread_data *td,
			       const struct tw_cpu_list *cpus,
			       const struct tw_files *files);

/* Set the options, the machine and the files in @report, which has one job. */
void tw_facts_put(const struct tw_facts *facts, struct tw_report *report);

/* Return [{"host", "device", ...}], in the order of @files; NULL without memory. The devices
 * are read now, since fio may have changed a scheduler after the job began. */
json_t *tw_facts_devices(const struct tw_facts *facts);

void tw_facts_free(struct tw_facts *facts);

#endif
