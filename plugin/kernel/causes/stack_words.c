/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From a stack to a word: see stack_words.h.
 */
#include "stack_words.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "base/plain_text.h"
#include "text_file.h"

/* ---- the table ------------------------------------------------------------ */

/* A row counts in any stack, or only if the thread sleeps for a lock of that kind. A row
 * that is INNERMOST counts only if it has called the functions of the lists below, and no
 * other. */
enum where { ANYWHERE, RW_SEMAPHORE, PER_CPU_SEMAPHORE, INNERMOST };

/* A name that ends with * stands for all that begin like it. The names are those of Linux
 * 6.1 to 6.18. */
static const struct {
	const char *function;
	enum tw_sleep_word word;
	enum where where;
} table[] = {
	{ "blk_mq_get_tag", TW_SLEEP_TAG, ANYWHERE },
	{ "ioc_rqos_throttle", TW_SLEEP_IOCOST, ANYWHERE },
	{ "blkcg_iolatency_throttle", TW_SLEEP_IOLATENCY, ANYWHERE },
	{ "wbt_wait", TW_SLEEP_WBT, ANYWHERE },
	{ "blk_queue_enter", TW_SLEEP_FROZEN_QUEUE, ANYWHERE },
	{ "__bio_queue_enter", TW_SLEEP_FROZEN_QUEUE, ANYWHERE },
	/* Before the functions that take an inode's lock, which call these. */
	{ "__alloc_pages*", TW_SLEEP_MEMORY, ANYWHERE },
	{ "__alloc_frozen_pages*", TW_SLEEP_MEMORY, ANYWHERE },
	{ "try_to_free_pages", TW_SLEEP_MEMORY, ANYWHERE },
	{ "try_to_free_mem_cgroup_pages", TW_SLEEP_MEMORY, ANYWHERE },
	{ "balance_dirty_pages*", TW_SLEEP_DIRTY, ANYWHERE },
	{ "mempool_alloc*", TW_SLEEP_MEMORY, ANYWHERE },
	{ "jbd2_log_wait_commit", TW_SLEEP_JOURNAL, ANYWHERE },
	{ "jbd2_log_do_checkpoint", TW_SLEEP_JOURNAL, ANYWHERE },
	{ "start_this_handle", TW_SLEEP_JOURNAL, ANYWHERE },
	{ "wait_transaction_locked", TW_SLEEP_JOURNAL, ANYWHERE },
	{ "do_get_write_access", TW_SLEEP_JOURNAL, ANYWHERE },
	{ "xfs_log_reserve", TW_SLEEP_JOURNAL, ANYWHERE },
	{ "xfs_log_force*", TW_SLEEP_JOURNAL, ANYWHERE },
	{ "xlog_wait_on_iclog", TW_SLEEP_JOURNAL, ANYWHERE },
	{ "folio_wait_writeback*", TW_SLEEP_WRITEBACK, ANYWHERE },
	{ "folio_wait_stable", TW_SLEEP_WRITEBACK, ANYWHERE },
	{ "__filemap_fdatawait_range", TW_SLEEP_WRITEBACK, ANYWHERE },
	{ "wb_wait_for_completion", TW_SLEEP_WRITEBACK, ANYWHERE },
	{ "inode_wait_for_writeback", TW_SLEEP_WRITEBACK, ANYWHERE },
	{ "do_swap_page", TW_SLEEP_SWAP, ANYWHERE },
	{ "swap_read*", TW_SLEEP_SWAP, ANYWHERE },
	{ "folio_wait_bit*", TW_SLEEP_PAGE_LOCK, ANYWHERE },
	/* They read the rest of a page of which a part is written. */
	{ "ext4_block_write_begin", TW_SLEEP_PAGE_LOCK, ANYWHERE },
	{ "__block_write_begin_int", TW_SLEEP_PAGE_LOCK, ANYWHERE },
	{ "iomap_write_begin", TW_SLEEP_PAGE_LOCK, ANYWHERE },
	{ "__folio_lock*", TW_SLEEP_PAGE_LOCK, ANYWHERE },
	{ "__filemap_get_folio", TW_SLEEP_PAGE_LOCK, ANYWHERE },
	{ "ext4_dio_write_iter", TW_SLEEP_INODE_LOCK, RW_SEMAPHORE },
	{ "ext4_dio_read_iter", TW_SLEEP_INODE_LOCK, RW_SEMAPHORE },
	{ "ext4_file_read_iter", TW_SLEEP_INODE_LOCK, RW_SEMAPHORE },
	{ "ext4_file_write_iter", TW_SLEEP_INODE_LOCK, RW_SEMAPHORE },
	{ "ext4_buffered_write_iter", TW_SLEEP_INODE_LOCK, RW_SEMAPHORE },
	{ "xfs_ilock*", TW_SLEEP_INODE_LOCK, RW_SEMAPHORE },
	{ "btrfs_inode_lock", TW_SLEEP_INODE_LOCK, RW_SEMAPHORE },
	{ "blkdev_write_iter", TW_SLEEP_INODE_LOCK, RW_SEMAPHORE },
	{ "generic_file_write_iter", TW_SLEEP_INODE_LOCK, RW_SEMAPHORE },
	{ "shmem_file_write_iter", TW_SLEEP_INODE_LOCK, RW_SEMAPHORE },
	{ "open_last_lookups", TW_SLEEP_INODE_LOCK, RW_SEMAPHORE },
	{ "path_openat", TW_SLEEP_INODE_LOCK, RW_SEMAPHORE },
	{ "lookup_slow", TW_SLEEP_INODE_LOCK, RW_SEMAPHORE },
	{ "filename_create", TW_SLEEP_INODE_LOCK, RW_SEMAPHORE },
	{ "do_unlinkat", TW_SLEEP_INODE_LOCK, RW_SEMAPHORE },
	{ "lock_rename", TW_SLEEP_INODE_LOCK, RW_SEMAPHORE },
	{ "iterate_dir", TW_SLEEP_INODE_LOCK, RW_SEMAPHORE },
	{ "do_truncate", TW_SLEEP_INODE_LOCK, RW_SEMAPHORE },
	{ "ext4_fallocate", TW_SLEEP_INODE_LOCK, RW_SEMAPHORE },
	{ "lock_mm_and_find_vma", TW_SLEEP_MMAP_LOCK, RW_SEMAPHORE },
	{ "do_user_addr_fault", TW_SLEEP_MMAP_LOCK, RW_SEMAPHORE },
	{ "exc_page_fault", TW_SLEEP_MMAP_LOCK, RW_SEMAPHORE },
	{ "do_page_fault", TW_SLEEP_MMAP_LOCK, RW_SEMAPHORE },
	{ "__wait_on_buffer", TW_SLEEP_METADATA, ANYWHERE },
	{ "__sync_dirty_buffer", TW_SLEEP_METADATA, ANYWHERE },
	{ "fsync_buffers_list", TW_SLEEP_METADATA, ANYWHERE },
	{ "__bread_gfp", TW_SLEEP_METADATA, ANYWHERE },
	{ "ext4_read_bh*", TW_SLEEP_METADATA, ANYWHERE },
	{ "ext4_bread*", TW_SLEEP_METADATA, ANYWHERE },
	{ "ext4_wait_block_bitmap", TW_SLEEP_METADATA, ANYWHERE },
	{ "ext4_read_block_bitmap_nowait", TW_SLEEP_METADATA, ANYWHERE },
	{ "ext4_read_inode_bitmap", TW_SLEEP_METADATA, ANYWHERE },
	{ "__ext4_get_inode_loc*", TW_SLEEP_METADATA, ANYWHERE },
	{ "__ext4_find_entry", TW_SLEEP_METADATA, ANYWHERE },
	{ "__ext4_read_dirblock", TW_SLEEP_METADATA, ANYWHERE },
	{ "xfs_buf_iowait", TW_SLEEP_METADATA, ANYWHERE },
	{ "read_extent_buffer_pages*", TW_SLEEP_METADATA, ANYWHERE },
	{ "btrfs_btree_wait_writeback_range", TW_SLEEP_METADATA, ANYWHERE },
	/* They wait in submit_bio_wait(), whatever call sent them. */
	{ "blkdev_issue_flush", TW_SLEEP_FLUSH, ANYWHERE },
	/* btrfs flushes the cache, and writes its superblock past it. */
	{ "write_all_supers", TW_SLEEP_FLUSH, ANYWHERE },
	{ "blkdev_issue_discard", TW_SLEEP_DISCARD, ANYWHERE },
	{ "blkdev_issue_zero*", TW_SLEEP_DISCARD, ANYWHERE },
	{ "io_write", TW_SLEEP_FREEZE, PER_CPU_SEMAPHORE },
	{ "aio_write", TW_SLEEP_FREEZE, PER_CPU_SEMAPHORE },
	{ "vfs_write*", TW_SLEEP_FREEZE, PER_CPU_SEMAPHORE },
	{ "vfs_fallocate", TW_SLEEP_FREEZE, PER_CPU_SEMAPHORE },
	{ "vfs_copy_file_range", TW_SLEEP_FREEZE, PER_CPU_SEMAPHORE },
	{ "do_ftruncate", TW_SLEEP_FREEZE, PER_CPU_SEMAPHORE },
	{ "do_sys_ftruncate", TW_SLEEP_FREEZE, PER_CPU_SEMAPHORE },
	{ "direct_splice_actor", TW_SLEEP_FREEZE, PER_CPU_SEMAPHORE },
	{ "do_sendfile", TW_SLEEP_FREEZE, PER_CPU_SEMAPHORE },
	{ "do_splice*", TW_SLEEP_FREEZE, PER_CPU_SEMAPHORE },
	{ "mnt_want_write*", TW_SLEEP_FREEZE, PER_CPU_SEMAPHORE },
	{ "xfs_trans_alloc*", TW_SLEEP_FREEZE, PER_CPU_SEMAPHORE },
	{ "ext4_page_mkwrite", TW_SLEEP_FREEZE, PER_CPU_SEMAPHORE },
	{ "btrfs_page_mkwrite", TW_SLEEP_FREEZE, PER_CPU_SEMAPHORE },
	{ "__xfs_write_fault", TW_SLEEP_FREEZE, PER_CPU_SEMAPHORE },
	{ "__xfs_filemap_fault", TW_SLEEP_FREEZE, PER_CPU_SEMAPHORE },
	/* These wait for completions of I/Os, which is what a job does. */
	{ "io_cqring_wait", TW_SLEEP_NOTHING, INNERMOST },
	{ "__iomap_dio_rw", TW_SLEEP_NOTHING, INNERMOST },
	{ "iomap_dio_rw", TW_SLEEP_NOTHING, INNERMOST },
	{ "iomap_dio_complete", TW_SLEEP_NOTHING, INNERMOST },
	{ "__blkdev_direct_IO*", TW_SLEEP_NOTHING, INNERMOST },
	{ "blkdev_direct_IO*", TW_SLEEP_NOTHING, INNERMOST },
	/* io_uring's own pauses. */
	{ "io_run_task_work*", TW_SLEEP_NOTHING, INNERMOST },
};

/* These wait for the server of a file system without a block device, of this type. */
static const struct {
	const char *function, *type;
} servers[] = {
	{ "request_wait_answer", "fuse" }, { "rpc_wait_bit_killable", "nfs" },
	{ "nfs_wait_bit_killable", "nfs" }, { "nfs_direct_wait", "nfs" },
	{ "p9_client_rpc", "9p" }, { "wait_for_response", "cifs" },
};

/* What a thread calls in order to sleep, for any reason, and the tracer. */
static const char *const sleeps[] = {
	"bpf_*", "__bpf_*", "__traceiter_*", "trace_*", "perf_trace_*",
	"__sched_text_start", "__schedule*", "schedule*", "io_schedule*", "blk_io_schedule",
	"preempt_schedule*", "__cond_resched",
	"rwsem_*", "__rwsem_*", "down_*", "__down*", "percpu_rwsem_wait",
	"__percpu_down_read", "percpu_down_*", "mutex_lock*", "__mutex_lock*",
	"rt_mutex_*", "__rt_mutex_*",
	"wait_for_completion*", "__wait_for_common", "do_wait_for_common",
	"__wait_on_bit*", "out_of_line_wait_on_bit*", "bit_wait*", "wait_on_bit*",
	"prepare_to_wait*", "wait_woken", "submit_bio_wait", "bio_await*",
};

/* The functions of these lists that are for a lock. */
static const char *const rw_semaphores[] = { "rwsem_*", "__rwsem_*", "down_*", "__down_*" };
static const char *const per_cpu[] = { "percpu_rwsem_wait", "__percpu_down_read" };

#define COUNT(array)	(sizeof(array) / sizeof(*(array)))

static bool is_like(const char *name, const char *pattern)
{
	const size_t length = strlen(pattern);

	return pattern[length - 1] == '*' ? !strncmp(name, pattern, length - 1) :
					    !strcmp(name, pattern);
}

static bool is_one_of(const char *name, const char *const *patterns, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (is_like(name, patterns[i]))
			return true;
	return false;
}

/* Find the row of a function in a stack that sleeps for a lock of the kind @lock. */
static int row_of(const char *name, enum where lock, bool innermost)
{
	size_t i;

	for (i = 0; i < COUNT(table); i++)
		if (is_like(name, table[i].function) &&
		    (table[i].where == ANYWHERE || table[i].where == lock ||
		     (table[i].where == INNERMOST && innermost)))
			return (int)i;
	return -1;
}

static struct tw_sleep_cause reason(enum tw_sleep_word word, const char *name)
{
	struct tw_sleep_cause is = { .word = word };

	snprintf(is.function, sizeof(is.function), "%s", name);
	tw_plain_text(is.function);
	return is;
}

struct tw_sleep_cause tw_sleep_cause_of(const char *const *functions, unsigned count)
{
	const char *innermost = NULL, *page = NULL;
	enum where lock = ANYWHERE;
	unsigned i;
	int row;

	for (i = 0; i < count; i++) {
		const char *name = functions[i];

		if (!name)
			continue;
		if (!innermost && is_one_of(name, sleeps, COUNT(sleeps))) {
			if (is_one_of(name, rw_semaphores, COUNT(rw_semaphores)))
				lock = RW_SEMAPHORE;
			else if (is_one_of(name, per_cpu, COUNT(per_cpu)))
				lock = PER_CPU_SEMAPHORE;
			continue;
		}
		for (size_t j = 0; j < COUNT(servers); j++)
			if (!strcmp(name, servers[j].function))
				return reason(TW_SLEEP_FILE_SYSTEM, servers[j].type);
		/* Its callers tell what a wait for a page is for. */
		row = row_of(name, lock, !innermost);
		if (row >= 0 && table[row].word == TW_SLEEP_NOTHING)
			break;
		if (row >= 0 && table[row].word == TW_SLEEP_PAGE_LOCK && !page)
			page = name;
		else if (row >= 0 && (!page || table[row].word == TW_SLEEP_WRITEBACK ||
				      table[row].word == TW_SLEEP_SWAP ||
				      table[row].word == TW_SLEEP_FLUSH))
			return reason(table[row].word, name);
		if (!innermost)
			innermost = name;
	}
	if (page)
		return reason(TW_SLEEP_PAGE_LOCK, page);
	if (i < count || !innermost)
		return (struct tw_sleep_cause) { .word = TW_SLEEP_NOTHING };
	return reason(TW_SLEEP_OTHER, innermost);
}

/* ---- addresses ------------------------------------------------------------- */

struct function {
	uint64_t address;
	const char *name;
};

/* All functions of the kernel, by address. Read before the jobs begin, and then only read. */
static struct function *all;
static size_t function_count;

/* Take the function of a line "ADDRESS TYPE NAME [MODULE]", which is changed. A suffix of the
 * compiler's (.isra.0) is no part of a name. Return false for what is no function, or has no
 * address. */
static bool read_line(struct function *function, char *line)
{
	char *rest;

	function->address = strtoull(line, &rest, 16);
	if (!function->address || strnlen(rest, 4) < 4 || !strchr("tTwW", rest[1]))
		return false;
	function->name = rest + 3;
	rest[3 + strcspn(rest + 3, ".\t ")] = '\0';
	return true;
}

static int by_address(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

void tw_functions_read(char *text)
{
	struct function function = { 0 }, *more;
	char *line, *next;

	for (line = text; (next = strchr(line, '\n')); line = next + 1) {
		*next = '\0';
		if (!read_line(&function, line))
			continue;
		/* Without memory there are no words. */
		more = tw_one_more(&all, &function_count);
		if (!more)
			break;
		*more = function;
	}
	if (all)
		qsort(all, function_count, sizeof(*all), by_address);
}

void tw_functions_load(void)
{
	char *text = all ? NULL : tw_text_file("/proc/kallsyms");

	if (text)
		tw_functions_read(text);
}

/* Return the name of the function that called another one, and continues at @address. */
static const char *name_at(uint64_t address)
{
	size_t from = 0, to = function_count;

	while (from < to) {
		const size_t middle = from + (to - from) / 2;

		if (all[middle].address < address)
			from = middle + 1;
		else
			to = middle;
	}
	return from ? all[from - 1].name : NULL;
}

bool tw_stack_has(const struct tw_stack *stack, const char *function)
{
	for (unsigned i = 0; i < TW_FRAMES && i < stack->count; i++) {
		const char *name = name_at(stack->frames[i]);

		if (name && !strcmp(name, function))
			return true;
	}
	return false;
}

struct tw_sleep_cause tw_sleep_cause_of_stack(const struct tw_stack *stack)
{
	const char *functions[TW_FRAMES];
	unsigned i;

	for (i = 0; i < TW_FRAMES && i < stack->count; i++)
		functions[i] = name_at(stack->frames[i]);
	return tw_sleep_cause_of(functions, i);
}
