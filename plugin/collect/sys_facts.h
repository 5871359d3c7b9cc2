/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a report contains about the machine and about block devices. Every fact may be
 * missing, because a container may hide /sys and some devices lack some files. This file
 * does not depend on fio.
 *
 * @root: prefix of all paths, "" except in tests
 */
#ifndef TW_PLUGIN_COLLECT_SYS_FACTS_H
#define TW_PLUGIN_COLLECT_SYS_FACTS_H

#include <jansson.h>
#include <sys/types.h>

#include "machine/cpus.h"

/* Return the name of this machine; NULL without memory. */
json_t *tw_host_to_json(void);

/* Return an element of machines[] in tickwise-report(5), without facts that are unknown;
 * NULL without memory. @cpus: the CPUs whose frequency governors are read. */
json_t *tw_machine_to_json(const char *root, const struct tw_cpu_list *cpus);

/* Return the block device of an NVMe character device such as /dev/ng0n1; 0: unknown. */
dev_t tw_block_device_of_char_in(const char *root, dev_t device);

/* Return the disk of a partition; @device itself if it is none, or if the disk is unknown. */
dev_t tw_disk_of(const char *root, dev_t device);

/* Return the kernel's name of a block device, or "MAJOR:MINOR"; NULL without memory. */
json_t *tw_block_name_to_json(dev_t device);

/* Return an element of devices[] in tickwise-report(5): "device", and the keys that are
 * known. A partition has its own name and size; its other facts are those of its disk.
 * NULL without memory. */
json_t *tw_block_device_json_in(const char *root, dev_t device);

#endif
