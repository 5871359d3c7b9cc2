/* SPDX-License-Identifier: MIT */
/*
 * Numbers in the device tree, where firmware describes the machine. Internal.
 */
#ifndef TW_MACHINE_DEVICE_TREE_H
#define TW_MACHINE_DEVICE_TREE_H

#include <stdint.h>

/* Where Linux shows the device tree. */
#define TW_DEVICE_TREE	"/sys/firmware/devicetree/base"

/**
 * tw_device_tree_number - one property of the device tree that is a number
 * @path: its file: 4 or 8 bytes, the highest first
 *
 * Return: the number; 0 if there is none.
 */
uint64_t tw_device_tree_number(const char *path);

/**
 * tw_device_tree_hz - the frequency of the time base in a device tree
 * @base: its directory, normally TW_DEVICE_TREE
 *
 * timebase-frequency of the node /cpus (RISC-V) or of its first processor that
 * has one (Power; there its 64-bit form, if given).
 *
 * Return: Hz; 0 if there is none.
 */
uint64_t tw_device_tree_hz(const char *base);

#endif
