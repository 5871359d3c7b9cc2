/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the kernel says of a block device in /sys. Every fact may be missing: a
 * container hides /sys, and not every device has each file. Knows nothing of fio.
 */
#ifndef TW_PLUGIN_BLOCK_DEVICE_H
#define TW_PLUGIN_BLOCK_DEVICE_H

#include <jansson.h>
#include <stddef.h>
#include <sys/types.h>

/* "MAJOR:MINOR" */
#define TW_DEVICE_NUMBER_SIZE	24
void tw_device_number(dev_t device, char text[TW_DEVICE_NUMBER_SIZE]);

/* The namespace's disk of an NVMe character device such as /dev/ng0n1; 0: unknown.
 * @root: what paths begin with, "" but in tests. */
dev_t tw_block_device_of_char_in(const char *root, dev_t device);

/* The keys of devices[] in tickwise-report(5), "device" and those that are known. A
 * partition has its own name and size, and what else is known is its disk's. NULL
 * without memory. */
json_t *tw_block_device_json_in(const char *root, dev_t device);

static inline json_t *tw_block_device_json(dev_t device)
{
	return tw_block_device_json_in("", device);
}

#endif
