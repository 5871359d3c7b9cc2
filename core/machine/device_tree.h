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
 * tw_device_tree_number - read a property of the device tree that is a number
 * @path: its file: 4 or 8 bytes, the highest byte first
 *
 * Return: the number; 0 if there is none.
 */
uint64_t tw_device_tree_number(const char *path);

/**
 * tw_device_tree_hz - read the frequency of the time base from a device tree
 * @base: its directory, normally TW_DEVICE_TREE
 *
 * Reads timebase-frequency of the node /cpus (RISC-V), or of its first
 * processor that has one (Power: its 64-bit form if there is one).
 *
 * Return: Hz; 0 if there is none.
 */
uint64_t tw_device_tree_hz(const char *base);

#endif
