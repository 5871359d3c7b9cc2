/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of io_uring's operations, and which of them move data.
 */
#ifndef TW_PLUGIN_KERNEL_ATTACH_NAMES_H
#define TW_PLUGIN_KERNEL_ATTACH_NAMES_H

#include <stdint.h>

/* As in a report of fio's engine. */
enum tw_attach_direction {
	TW_ATTACH_READ,
	TW_ATTACH_WRITE,
	TW_ATTACH_SYNC,
	TW_ATTACH_DIRECTIONS,
	TW_ATTACH_OTHER = TW_ATTACH_DIRECTIONS,
};

extern const char *const tw_attach_directions[TW_ATTACH_DIRECTIONS];

/* "readv", "accept", ...; "opcode 99" for one that is not known here. The second
 * lives until the next call of the thread. */
const char *tw_attach_operation(uint8_t opcode);

enum tw_attach_direction tw_attach_direction(uint8_t opcode);

/* Is this result no error? A timeout that has run out says so by one. */
int tw_attach_is_good(uint8_t opcode, int32_t result);

#endif
