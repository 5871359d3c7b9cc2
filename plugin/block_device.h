/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Facts of a block device from /sys. Every fact may be missing, because a container
 * may hide /sys and some devices lack some files. This file does not depend on fio.
 */
#ifndef TW_PLUGIN_BLOCK_DEVICE_H
#define TW_PLUGIN_BLOCK_DEVICE_H

#include <jansson.h>
#include <sys/types.h>

/* Return the block device of an NVMe character device such as /dev/ng0n1; 0: unknown.
 * @root: prefix of all paths, "" except in tests. */
dev_t tw_block_device_of_char_in(const char *root, dev_t device);

/* Return an element of devices[] in tickwise-report(5): "device", and the keys that are
 * known. A partition has its own name and size; its other facts are those of its disk.
 * NULL without memory. */
json_t *tw_block_device_json_in(const char *root, dev_t device);

#endif
