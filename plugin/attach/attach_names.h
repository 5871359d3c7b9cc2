/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of io_uring's operations, and which of them are I/Os.
 */
#ifndef TW_PLUGIN_KERNEL_ATTACH_NAMES_H
#define TW_PLUGIN_KERNEL_ATTACH_NAMES_H

#include <stdint.h>

#include "report/rows.h"

/* After the directions of a report. A command of a device has no known direction, but is
 * followed, too. Others are only counted. */
enum {
	TW_ATTACH_COMMAND = TW_DIRECTIONS,
	TW_ATTACH_OTHER,
};

/* Return the name, such as "readv"; "opcode 99" for an unknown operation. The latter text
 * is valid until the thread's next call. */
const char *tw_attach_operation(uint8_t opcode);

/* Return an enum tw_direction, or one of the two. */
unsigned tw_attach_direction(uint8_t opcode);

#endif
