/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a report contains about the machine. This file does not depend on fio.
 */
#ifndef TW_PLUGIN_COLLECT_MACHINE_JSON_H
#define TW_PLUGIN_COLLECT_MACHINE_JSON_H

#include <jansson.h>

#include "machine/cpus.h"

/**
 * tw_machine_to_json - make "machine" of tickwise-report(5)
 * @root: prefix of all paths, "" except in tests
 * @cpus: the CPUs whose frequency governors are read
 *
 * Unknown facts are left out. Return: the object, NULL without memory.
 */
json_t *tw_machine_to_json(const char *root, const struct tw_cpu_list *cpus);

#endif
