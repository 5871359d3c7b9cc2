/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: `tickwise kernel-helper --check` tells what can be measured on this kernel, and
 * what the rest lacks: the first thing that is missing. Defect: a function with a similar name
 * counts; a part is found though one of the things that it needs is missing, or missing though
 * one of two is enough; what is not known counts as missing.
 */
#include <stdlib.h>
#include <string.h>

#include "helper/helper.h"
#include "tap.h"

struct kernel {
	const char *lacks;	/* the only name that it lacks */
	enum tw_helper_need lacks_all;	/* of these; TW_NEED_FUNCTION: of none */
	int entry;		/* 1, 0 or -1, for each */
};

static int has(void *context, enum tw_helper_need need, const char *name)
{
	const struct kernel *kernel = context;

	if (need == TW_NEED_ENTRY)
		return kernel->entry;
	return strcmp(name, kernel->lacks) && (!need || need != kernel->lacks_all);
}

static void prints(struct kernel kernel, const char *expected, const char *what)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	tw_helper_print_found(has, &kernel, out);
	fclose(out);
	if (!tap_ok(!strcmp(text, expected), "%s", what))
		printf("# %s", text);
	free(text);
}

#define IOS	"found: reads and writes, polled reads and writes, files, block devices, large " \
		"I/Os of block devices, I/Os of several requests, NVMe commands, trims"
#define STACKS	", LVM, paths of dm-multipath, dm-crypt, md raid0, md raid1, md raid10\n"
#define CAUSES	"causes found: who had the CPU, interrupts, others at the device"
#define SYNCS	"syncs found: data, journal and flush, others in a commit of ext4, " \
		"syncs of direct writes, exact begin on ext4, exact begin on XFS"

int main(void)
{
	static const char symbols[] =
		"0000000000000000 T io_complete_rw\n0 t clone_endio\t[dm_mod]\n"
		"0 t crypt_endio.cold\n0 t my_bio_chain_endio\n0 t bio_chain_endio_more\n";

	tap_ok(tw_helper_has_symbol(symbols, "io_complete_rw"), "a function");
	tap_ok(tw_helper_has_symbol(symbols, "clone_endio"), "one of a module");
	tap_ok(!tw_helper_has_symbol(symbols, "crypt_endio") &&
	       !tw_helper_has_symbol(symbols, "bio_chain_endio"), "similar names are others");

	prints((struct kernel) { .lacks = "", .entry = 1 },
	       IOS STACKS CAUSES ", exact waits for a worker\n"
	       SYNCS ", exact begin on other file systems\n", "all");
	prints((struct kernel) { .lacks = "", .entry = -1 }, IOS STACKS CAUSES "\n" SYNCS "\n",
	       "not known: what a program can be attached to");
	prints((struct kernel) { .lacks = "" }, IOS STACKS CAUSES
	       "\ncauses not found: exact waits for a worker (no program is allowed at "
	       "io_wq_submit_work)\n" SYNCS "\nsyncs not found: exact begin on other file "
	       "systems (no program is allowed at vfs_fsync_range)\n",
	       "no program is allowed where a function begins");
	prints((struct kernel) { .lacks = "", .lacks_all = TW_NEED_TYPE, .entry = -1 },
	       IOS "\nnot found: LVM (dm_io), paths of dm-multipath (dm_rq_clone_bio_info), "
	       "dm-crypt (dm_crypt_io), md raid0 (md_io_clone), "
	       "md raid1 (md_io_clone), md raid10 (md_io_clone)\n" CAUSES "\n" SYNCS "\n",
	       "no types");
	prints((struct kernel) { .lacks = "jbd2_run_stats", .entry = -1 },
	       IOS STACKS CAUSES "\nsyncs found: data, journal and flush, syncs of direct "
	       "writes, exact begin on ext4, exact begin on XFS\n"
	       "syncs not found: others in a commit of ext4 (jbd2_run_stats)\n", "no jbd2");
	prints((struct kernel) { .lacks = "", .lacks_all = TW_NEED_TRACEPOINT, .entry = 1 },
	       IOS STACKS "causes found: exact waits for a worker\n"
	       "causes not found: who had the CPU (sched_switch), interrupts "
	       "(irq_handler_entry), others at the device (block_bio_queue)\n"
	       "syncs found: data, syncs of direct writes, exact begin on ext4, exact begin on "
	       "XFS, exact begin on other file systems\nsyncs not found: journal and flush "
	       "(block_bio_queue), others in a commit of ext4 (jbd2_run_stats)\n",
	       "no tracepoints");
	prints((struct kernel) { .lacks = "r1bio", .entry = -1 },
	       IOS ", LVM, paths of dm-multipath, dm-crypt, md raid0, md raid10\n"
	       "not found: md raid1 (r1bio)\n"
	       CAUSES "\n" SYNCS "\n", "one of several types");
	return tap_done();
}
