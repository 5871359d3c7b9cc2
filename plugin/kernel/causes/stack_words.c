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
static const struct row {
	enum tw_sleep_word word;
	enum where where;
	const char *functions;
} table[] = {
	{ TW_SLEEP_TAG, ANYWHERE, "blk_mq_get_tag" },
	{ TW_SLEEP_IOCOST, ANYWHERE, "ioc_rqos_throttle" },
	{ TW_SLEEP_IOLATENCY, ANYWHERE, "blkcg_iolatency_throttle" },
	{ TW_SLEEP_WBT, ANYWHERE, "wbt_wait" },
	{ TW_SLEEP_FROZEN_QUEUE, ANYWHERE, "blk_queue_enter __bio_queue_enter" },
	/* Before the functions that take an inode's lock, which call these. */
	{ TW_SLEEP_MEMORY, ANYWHERE, "__alloc_pages* __alloc_frozen_pages* try_to_free_pages "
	  "try_to_free_mem_cgroup_pages mempool_alloc*" },
	{ TW_SLEEP_DIRTY, ANYWHERE, "balance_dirty_pages*" },
	{ TW_SLEEP_JOURNAL, ANYWHERE, "jbd2_log_wait_commit jbd2_log_do_checkpoint "
	  "start_this_handle wait_transaction_locked do_get_write_access xfs_log_reserve "
	  "xfs_log_force* xlog_wait_on_iclog" },
	{ TW_SLEEP_WRITEBACK, ANYWHERE, "folio_wait_writeback* folio_wait_stable "
	  "__filemap_fdatawait_range wb_wait_for_completion inode_wait_for_writeback" },
	{ TW_SLEEP_SWAP, ANYWHERE, "do_swap_page swap_read*" },
	{ TW_SLEEP_PAGE_LOCK, ANYWHERE, "folio_wait_bit* __folio_lock* __filemap_get_folio" },
	/* They read the rest of a page of which a part is written. */
	{ TW_SLEEP_PAGE_LOCK, ANYWHERE, "ext4_block_write_begin __block_write_begin_int "
	  "iomap_write_begin" },
	{ TW_SLEEP_INODE_LOCK, RW_SEMAPHORE, "ext4_dio_write_iter ext4_dio_read_iter "
	  "ext4_file_read_iter ext4_file_write_iter ext4_buffered_write_iter xfs_ilock* "
	  "btrfs_inode_lock blkdev_write_iter generic_file_write_iter shmem_file_write_iter "
	  "open_last_lookups path_openat lookup_slow filename_create do_unlinkat lock_rename "
	  "iterate_dir do_truncate ext4_fallocate" },
	{ TW_SLEEP_MMAP_LOCK, RW_SEMAPHORE, "lock_mm_and_find_vma do_user_addr_fault "
	  "exc_page_fault do_page_fault" },
	{ TW_SLEEP_METADATA, ANYWHERE, "__wait_on_buffer __sync_dirty_buffer "
	  "fsync_buffers_list __bread_gfp ext4_read_bh* ext4_bread* ext4_wait_block_bitmap "
	  "ext4_read_block_bitmap_nowait ext4_read_inode_bitmap __ext4_get_inode_loc* "
	  "__ext4_find_entry __ext4_read_dirblock xfs_buf_iowait read_extent_buffer_pages* "
	  "btrfs_btree_wait_writeback_range" },
	/* They wait in submit_bio_wait(), whatever call sent them. */
	{ TW_SLEEP_FLUSH, ANYWHERE, "blkdev_issue_flush" },
	/* btrfs flushes the cache, and writes its superblock past it. */
	{ TW_SLEEP_FLUSH, ANYWHERE, "write_all_supers" },
	{ TW_SLEEP_DISCARD, ANYWHERE, "blkdev_issue_discard blkdev_issue_zero*" },
	{ TW_SLEEP_FREEZE, PER_CPU_SEMAPHORE, "io_write aio_write vfs_write* vfs_fallocate "
	  "vfs_copy_file_range do_ftruncate do_sys_ftruncate direct_splice_actor do_sendfile "
	  "do_splice* mnt_want_write* xfs_trans_alloc* ext4_page_mkwrite btrfs_page_mkwrite "
	  "__xfs_write_fault __xfs_filemap_fault" },
	/* These wait for completions of I/Os, which is what a job does. */
	{ TW_SLEEP_NOTHING, INNERMOST, "io_cqring_wait __iomap_dio_rw iomap_dio_rw "
	  "iomap_dio_complete __blkdev_direct_IO* blkdev_direct_IO*" },
	/* io_uring's own pauses. */
	{ TW_SLEEP_NOTHING, INNERMOST, "io_run_task_work*" },
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
static const char sleeps[] =
	"bpf_* __bpf_* __traceiter_* trace_* perf_trace_* "
	"__sched_text_start __schedule* schedule* io_schedule* blk_io_schedule "
	"preempt_schedule* __cond_resched "
	"rwsem_* __rwsem_* down_* __down* percpu_rwsem_wait "
	"__percpu_down_read percpu_down_* mutex_lock* __mutex_lock* "
	"rt_mutex_* __rt_mutex_* "
	"wait_for_completion* __wait_for_common do_wait_for_common "
	"__wait_on_bit* out_of_line_wait_on_bit* bit_wait* wait_on_bit* "
	"prepare_to_wait* wait_woken submit_bio_wait bio_await*";

/* The functions of this list that are for a lock. */
static const char rw_semaphores[] = "rwsem_* __rwsem_* down_* __down_*";
static const char per_cpu[] = "percpu_rwsem_wait __percpu_down_read";

/* @patterns: with spaces between them. */
static bool is_one_of(const char *name, const char *patterns)
{
	size_t length;

	for (; *patterns; patterns += length + (patterns[length] == ' ')) {
		length = strcspn(patterns, " ");
		if (patterns[length - 1] == '*' ? !strncmp(name, patterns, length - 1) :
		    !strncmp(name, patterns, length) && !name[length])
			return true;
	}
	return false;
}

/* Find the row of a function in a stack that sleeps for a lock of the kind @lock. */
static const struct row *row_of(const char *name, enum where lock, bool innermost)
{
	for (size_t i = 0; i < TW_LENGTH(table); i++)
		if ((table[i].where == ANYWHERE || table[i].where == lock ||
		     (table[i].where == INNERMOST && innermost)) &&
		    is_one_of(name, table[i].functions))
			return &table[i];
	return NULL;
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
	const struct row *row;
	unsigned i;

	for (i = 0; i < count; i++) {
		const char *name = functions[i];

		if (!name)
			continue;
		if (!innermost && is_one_of(name, sleeps)) {
			if (is_one_of(name, rw_semaphores))
				lock = RW_SEMAPHORE;
			else if (is_one_of(name, per_cpu))
				lock = PER_CPU_SEMAPHORE;
			continue;
		}
		for (size_t j = 0; j < TW_LENGTH(servers); j++)
			if (!strcmp(name, servers[j].function))
				return reason(TW_SLEEP_FILE_SYSTEM, servers[j].type);
		/* Its callers tell what a wait for a page is for. */
		row = row_of(name, lock, !innermost);
		if (row && row->word == TW_SLEEP_NOTHING)
			break;
		if (row && row->word == TW_SLEEP_PAGE_LOCK && !page)
			page = name;
		else if (row && (!page || row->word == TW_SLEEP_WRITEBACK ||
				 row->word == TW_SLEEP_SWAP ||
				 row->word == TW_SLEEP_FLUSH))
			return reason(row->word, name);
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
	uint64_t address;	/* the first member, by which they are sorted */
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
		qsort(all, function_count, sizeof(*all), tw_ascending);
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
