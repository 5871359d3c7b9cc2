/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which maps of BPF programs still exist. A fio can keep the memory of its slots after it
 * has hung up, or give it to another process, and then the map stays.
 */
#ifndef TW_PLUGIN_KERNEL_HELPER_MAPS_H
#define TW_PLUGIN_KERNEL_HELPER_MAPS_H

#include <stdint.h>

/* Return the number of the map that @fd stands for, or 0. */
uint32_t tw_helper_map_id(int fd);

/* Load the program that lists all maps. Return its descriptor, or -errno. */
int tw_helper_maps_open(void);

/* Set each number in @ids to 0 whose map is gone, of at most 32. @fd: from
 * tw_helper_maps_open(). If the maps can't be listed, all numbers stay. */
void tw_helper_maps_forget_gone(int fd, uint32_t *ids, unsigned count);

#endif
