/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What Tickwise can measure on this kernel, and what it lacks for the rest: see helper.h.
 * Text only.
 */
#include "helper.h"

#include <string.h>

#define CAUSES	"causes "
#define SYNCS	"syncs "

/* @needs: words, in the order in which one that is missing is named. A word is a function, or
 * has a prefix; of two with a | between them one is enough. */
static const struct {
	const char *of, *name, *needs;
} kinds[] = {
	{ "", "reads and writes", "io_complete_rw" },
	{ "", "polled reads and writes", "io_complete_rw_iopoll" },
	{ "", "files", "iomap_dio_bio_end_io" },
	/* Linux 5.16 */
	{ "", "block devices", "blkdev_bio_end_io_async" },
	{ "", "large I/Os of block devices", "blkdev_bio_end_io" },
	{ "", "I/Os of several requests", "bio_chain_endio" },
	{ "", "NVMe commands", "nvme_uring_cmd_end_io" },
	{ "", "trims", "bio_cmd_bio_end_io" },
	{ "", "LVM", "clone_endio type:dm_io" },
	{ "", "paths of dm-multipath", "end_clone_bio type:dm_rq_clone_bio_info" },
	{ "", "dm-crypt", "crypt_endio type:dm_crypt_io" },
	{ "", "md raid0", "raid0_make_request type:md_io_clone" },
	{ "", "md raid1", "raid1_end_write_request type:md_io_clone type:r1bio" },
	{ "", "md raid10", "raid10_end_write_request type:md_io_clone type:r10bio" },
	{ CAUSES, "who had the CPU", "trace:sched_switch trace:sched_waking "
	  "trace:sched_wakeup trace:sched_migrate_task" },
	{ CAUSES, "interrupts", "trace:irq_handler_entry trace:irq_handler_exit "
	  "trace:softirq_entry trace:softirq_exit" },
	{ CAUSES, "others at the device", "trace:block_bio_queue trace:block_getrq "
	  "trace:block_rq_requeue" },
	{ CAUSES, "exact waits for a worker", "enter:io_wq_submit_work" },
	{ SYNCS, "data", "file_write_and_wait_range" },
	{ SYNCS, "journal and flush", "trace:block_bio_queue trace:block_bio_complete "
	  "trace:block_rq_complete" },
	{ SYNCS, "others in a commit of ext4", "trace:jbd2_run_stats" },
	{ SYNCS, "syncs of direct writes", "iomap_dio_complete_work" },
	{ SYNCS, "exact begin on ext4", "enter:vfs_fsync_range|trace:ext4_sync_file_enter" },
	{ SYNCS, "exact begin on XFS", "enter:vfs_fsync_range|trace:xfs_file_fsync" },
	{ SYNCS, "exact begin on other file systems", "enter:vfs_fsync_range" },
};
#define KINDS	(sizeof(kinds) / sizeof(*kinds))

/* By enum tw_helper_need. */
static const char *const prefixes[] = { "", "type:", "trace:", "enter:" };

bool tw_helper_has_symbol(const char *symbols, const char *name)
{
	const size_t length = strlen(name);
	const char *at = symbols;

	/* Such as "0000000000000000 t clone_endio	[dm_mod]". */
	while ((at = strstr(at, name))) {
		if (at > symbols && at[-1] == ' ' && (at[length] == '\n' || at[length] == '\t'))
			return true;
		at += length;
	}
	return false;
}

/* Return what @word needs, and its name without the prefix. */
static enum tw_helper_need need_of(const char **word)
{
	for (unsigned need = TW_NEED_TYPE; need <= TW_NEED_ENTRY; need++)
		if (!strncmp(*word, prefixes[need], strlen(prefixes[need]))) {
			*word += strlen(prefixes[need]);
			return need;
		}
	return TW_NEED_FUNCTION;
}

/* Return as tw_helper_has. @lacks: set to the first name that is missing. */
static int has_all(const char *needs, char *lacks, size_t size, tw_helper_has *has,
		   void *context)
{
	char words[160], *next = words, *word;

	snprintf(words, sizeof(words), "%s", needs);
	while ((word = strsep(&next, " "))) {
		char *one;
		int found = 0;

		*lacks = '\0';
		while (found != 1 && (one = strsep(&word, "|"))) {
			const char *name = one;
			const enum tw_helper_need need = need_of(&name);
			const int is = has(context, need, name);

			found = is ? is : found;
			if (!*lacks)
				snprintf(lacks, size, "%s%s", need == TW_NEED_ENTRY ?
					 "no program is allowed at " : "", name);
		}
		if (found != 1)
			return found;
	}
	return 1;
}

static void print_section(const char *of, tw_helper_has *has, void *context, FILE *out)
{
	char lacks[KINDS][64];
	int found[KINDS];

	for (size_t i = 0; i < KINDS; i++)
		found[i] = strcmp(kinds[i].of, of) ? -1 :
			   has_all(kinds[i].needs, lacks[i], sizeof(lacks[i]), has, context);
	for (int is = 1; is >= 0; is--) {
		const char *before = is ? "found: " : "not found: ";
		bool any = false;

		for (size_t i = 0; i < KINDS; i++) {
			if (found[i] != is)
				continue;
			fprintf(out, "%s%s%s", any ? ", " : of, any ? "" : before, kinds[i].name);
			if (!is)
				fprintf(out, " (%s)", lacks[i]);
			any = true;
		}
		if (any)
			fputc('\n', out);
	}
}

void tw_helper_print_found(tw_helper_has *has, void *context, FILE *out)
{
	static const char *const sections[] = { "", CAUSES, SYNCS };

	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++)
		print_section(sections[i], has, context, out);
}
