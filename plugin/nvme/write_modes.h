/* SPDX-License-Identifier: GPL-2.0 */
/*
 * write_mode: which NVMe commands the writes of a job become. The text is one name, or
 * names with percentages, as in "write/60:zeroes/30:uncor/10". Names without a
 * percentage share what is left.
 */
#ifndef TW_PLUGIN_NVME_WRITE_MODES_H
#define TW_PLUGIN_NVME_WRITE_MODES_H

#include <stdbool.h>
#include <stdint.h>

/* Numbers of commands. A command moves data if one of the two lowest bits is set. */
enum {
	TW_NVME_FLUSH		= 0x00,
	TW_NVME_WRITE		= 0x01,
	TW_NVME_READ		= 0x02,
	TW_NVME_UNCORRECTABLE	= 0x04,
	TW_NVME_COMPARE		= 0x05,
	TW_NVME_ZEROES		= 0x08,
	TW_NVME_DATASET		= 0x09,
	TW_NVME_VERIFY		= 0x0c,
	TW_NVME_MOVES_DATA	= 0x03,
};

/* The longest mix has every name once. */
#define TW_WRITE_MODES_MAX	4

struct tw_write_modes {
	unsigned count;
	struct {
		uint8_t command;
		unsigned below;	/* of 100: those from the mode before to this one */
	} mode[TW_WRITE_MODES_MAX];
};

/*
 * Read @text (NULL: "write") into @modes. Return NULL, or why it is refused: a text
 * without an end of its own.
 */
const char *tw_write_modes_read(const char *text, struct tw_write_modes *modes);

/* True if all writes are plain ones. */
static inline bool tw_write_modes_plain(const struct tw_write_modes *modes)
{
	return modes->count == 1 && modes->mode[0].command == TW_NVME_WRITE;
}

/* Return the command for a write, by @chance from 0 to 99. */
static inline uint8_t tw_write_modes_at(const struct tw_write_modes *modes, unsigned chance)
{
	unsigned i = 0;

	while (i + 1 < modes->count && chance >= modes->mode[i].below)
		i++;
	return modes->mode[i].command;
}

#endif
