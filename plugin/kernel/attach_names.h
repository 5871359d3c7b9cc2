/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of io_uring's operations, and which of them move data.
 */
#ifndef TW_PLUGIN_KERNEL_ATTACH_NAMES_H
#define TW_PLUGIN_KERNEL_ATTACH_NAMES_H

#include <stdint.h>

/* The directions of a report of fio's engine. */
enum tw_attach_direction {
	TW_ATTACH_READ,
	TW_ATTACH_WRITE,
	TW_ATTACH_SYNC,
	TW_ATTACH_DIRECTIONS,
	TW_ATTACH_OTHER = TW_ATTACH_DIRECTIONS,
};

extern const char *const tw_attach_directions[TW_ATTACH_DIRECTIONS];

/* Return the name, such as "readv"; "opcode 99" for an unknown operation. The latter text
 * is valid until the thread's next call. */
const char *tw_attach_operation(uint8_t opcode);

enum tw_attach_direction tw_attach_direction(uint8_t opcode);

/* True if @result is no error. The result of an expired timeout, -ETIME, is none. */
int tw_attach_is_good(uint8_t opcode, int32_t result);

#endif
