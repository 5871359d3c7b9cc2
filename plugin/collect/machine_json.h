/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a report says of the machine. Knows nothing of fio.
 */
#ifndef TW_PLUGIN_COLLECT_MACHINE_JSON_H
#define TW_PLUGIN_COLLECT_MACHINE_JSON_H

#include <jansson.h>

#include "machine/cpu_list.h"

/**
 * tw_machine_to_json - "machine" in tickwise-report(5)
 * @root: what paths begin with, "" but in tests
 * @cpus: whose frequency governors are read
 *
 * What is not known is left out. Return: NULL without memory.
 */
json_t *tw_machine_to_json(const char *root, const struct tw_cpu_list *cpus);

#endif
