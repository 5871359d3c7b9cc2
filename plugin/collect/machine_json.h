/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a report contains about the machine. This file does not depend on fio.
 */
#ifndef TW_PLUGIN_COLLECT_MACHINE_JSON_H
#define TW_PLUGIN_COLLECT_MACHINE_JSON_H

#include <jansson.h>

#include "machine/cpus.h"

/* Return the name of this machine; NULL without memory. */
json_t *tw_host_to_json(void);

/* Return an element of machines[] in tickwise-report(5), without facts that are unknown;
 * NULL without memory. @root: prefix of all paths, "" except in tests. @cpus: the CPUs whose
 * frequency governors are read. */
json_t *tw_machine_to_json(const char *root, const struct tw_cpu_list *cpus);

#endif
