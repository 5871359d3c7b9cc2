/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of io_uring's operations, and which of them are I/Os.
 */
#ifndef TW_PLUGIN_KERNEL_ATTACH_NAMES_H
#define TW_PLUGIN_KERNEL_ATTACH_NAMES_H

#include <stdint.h>

/* The directions of a report of fio's engine. A command of a device has no known
 * direction, but is followed, too. Others are only counted. */
enum tw_attach_direction {
	TW_ATTACH_READ,
	TW_ATTACH_WRITE,
	TW_ATTACH_SYNC,
	TW_ATTACH_DIRECTIONS,
	TW_ATTACH_COMMAND = TW_ATTACH_DIRECTIONS,
	TW_ATTACH_OTHER,
};

extern const char *const tw_attach_directions[TW_ATTACH_DIRECTIONS];

/* Return the name, such as "readv"; "opcode 99" for an unknown operation. The latter text
 * is valid until the thread's next call. */
const char *tw_attach_operation(uint8_t opcode);

enum tw_attach_direction tw_attach_direction(uint8_t opcode);

#endif
