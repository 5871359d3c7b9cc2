/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: the functions of a stack in the kernel become one word: what the thread waits
 * for. The innermost function that the table knows decides. Locks count only if the thread
 * sleeps for one, and waiting for completions is no reason. Addresses become names by the
 * list of the kernel's functions, and without that list there is no word. Defect: the lock of
 * an inode for a sleep of the driver below, a word for io_uring's own wait, a name of the
 * function next to the right one.
 */
#include "kernel/causes/stack_words.h"
#include <string.h>

#include "tap.h"

/* As seen on Linux 6.1 to 6.18, without what is above io_write() and io_read(). */
static const struct {
	const char *stack;
	enum tw_sleep_word word;
	const char *function;
} stacks[] = {
	{ "__schedule schedule io_schedule blk_mq_get_tag __blk_mq_alloc_requests "
	  "blk_mq_submit_bio __submit_bio submit_bio_noacct_nocheck iomap_dio_bio_iter "
	  "__iomap_dio_rw iomap_dio_rw ext4_dio_write_iter io_write",
	  TW_SLEEP_TAG, "blk_mq_get_tag" },
	{ "__schedule schedule io_schedule ioc_rqos_throttle __rq_qos_throttle "
	  "blk_mq_submit_bio submit_bio_noacct iomap_dio_submit_bio __iomap_dio_rw io_write",
	  TW_SLEEP_IOCOST, "ioc_rqos_throttle" },
	{ "__schedule schedule io_schedule rq_qos_wait blkcg_iolatency_throttle "
	  "__rq_qos_throttle blk_mq_submit_bio __iomap_dio_rw",
	  TW_SLEEP_IOLATENCY, "blkcg_iolatency_throttle" },
	{ "__schedule schedule io_schedule rq_qos_wait wbt_wait __rq_qos_throttle",
	  TW_SLEEP_WBT, "wbt_wait" },
	{ "__schedule schedule __bio_queue_enter blk_mq_submit_bio __iomap_dio_rw io_read",
	  TW_SLEEP_FROZEN_QUEUE, "__bio_queue_enter" },
	{ "__schedule schedule schedule_preempt_disabled rwsem_down_write_slowpath down_write "
	  "ext4_dio_write_iter ext4_file_write_iter io_write",
	  TW_SLEEP_INODE_LOCK, "ext4_dio_write_iter" },
	{ "__schedule schedule schedule_preempt_disabled rwsem_down_read_slowpath down_read "
	  "xfs_ilock xfs_file_dio_write_aligned xfs_file_write_iter io_write",
	  TW_SLEEP_INODE_LOCK, "xfs_ilock" },
	{ "__schedule schedule schedule_preempt_disabled rwsem_down_write_slowpath down_write "
	  "shmem_file_write_iter vfs_write", TW_SLEEP_INODE_LOCK, "shmem_file_write_iter" },
	{ "__schedule schedule wb_wait_for_completion sync_inodes_sb sync_filesystem",
	  TW_SLEEP_WRITEBACK, "wb_wait_for_completion" },
	{ "__schedule schedule xlog_wait_on_iclog xfs_fs_sync_fs", TW_SLEEP_JOURNAL,
	  "xlog_wait_on_iclog" },
	{ "__schedule schedule percpu_rwsem_wait __percpu_down_read io_write io_issue_sqe "
	  "io_wq_submit_work", TW_SLEEP_FREEZE, "io_write" },
	{ "__schedule schedule percpu_rwsem_wait __percpu_down_read mnt_want_write_file",
	  TW_SLEEP_FREEZE, "mnt_want_write_file" },
	{ "__schedule schedule percpu_rwsem_wait __percpu_down_read vfs_write ksys_write",
	  TW_SLEEP_FREEZE, "vfs_write" },
	{ "__schedule schedule percpu_rwsem_wait __percpu_down_read do_ftruncate "
	  "do_sys_ftruncate", TW_SLEEP_FREEZE, "do_ftruncate" },
	{ "__schedule schedule percpu_rwsem_wait __percpu_down_read vfs_fallocate",
	  TW_SLEEP_FREEZE, "vfs_fallocate" },
	{ "__schedule schedule percpu_rwsem_wait __percpu_down_read direct_splice_actor "
	  "splice_direct_to_actor", TW_SLEEP_FREEZE, "direct_splice_actor" },
	{ "__schedule schedule percpu_rwsem_wait __percpu_down_read vfs_copy_file_range",
	  TW_SLEEP_FREEZE, "vfs_copy_file_range" },
	{ "__schedule schedule percpu_rwsem_wait __percpu_down_read __xfs_write_fault do_fault",
	  TW_SLEEP_FREEZE, "__xfs_write_fault" },
	{ "__schedule schedule percpu_rwsem_wait __percpu_down_read xfs_trans_alloc_inode",
	  TW_SLEEP_FREEZE, "xfs_trans_alloc_inode" },
	{ "__schedule schedule percpu_rwsem_wait __percpu_down_read ext4_page_mkwrite",
	  TW_SLEEP_FREEZE, "ext4_page_mkwrite" },
	{ "__schedule schedule wait_transaction_locked add_transaction_credits "
	  "start_this_handle jbd2__journal_start __ext4_journal_start_sb ext4_iomap_begin "
	  "iomap_iter __iomap_dio_rw ext4_dio_write_iter io_write",
	  TW_SLEEP_JOURNAL, "wait_transaction_locked" },
	{ "__schedule schedule io_schedule folio_wait_bit_common filemap_get_pages "
	  "filemap_read ext4_file_read_iter io_read",
	  TW_SLEEP_PAGE_LOCK, "folio_wait_bit_common" },
	{ "__schedule schedule io_schedule __filemap_get_folio ext4_da_write_begin "
	  "generic_perform_write ext4_buffered_write_iter vfs_write",
	  TW_SLEEP_PAGE_LOCK, "__filemap_get_folio" },
	{ "__schedule schedule inode_wait_for_writeback evict do_unlinkat", TW_SLEEP_WRITEBACK,
	  "inode_wait_for_writeback" },
	{ "__schedule schedule io_schedule bit_wait_io __wait_on_bit_lock "
	  "ext4_read_block_bitmap_nowait ext4_mb_init_cache ext4_mb_load_buddy_gfp",
	  TW_SLEEP_METADATA, "ext4_read_block_bitmap_nowait" },
	{ "__schedule schedule schedule_timeout io_schedule_timeout balance_dirty_pages "
	  "balance_dirty_pages_ratelimited_flags generic_perform_write "
	  "ext4_buffered_write_iter io_write", TW_SLEEP_DIRTY, "balance_dirty_pages" },
	/* A lock of something else, and no lock, below a function that takes an inode's. */
	{ "__schedule schedule mutex_lock driver_does ext4_dio_write_iter io_write",
	  TW_SLEEP_OTHER, "driver_does" },
	{ "__schedule schedule driver_does ext4_dio_write_iter io_write",
	  TW_SLEEP_OTHER, "driver_does" },
	{ "__schedule schedule schedule_timeout __wait_for_common driver_does "
	  "__percpu_down_read io_write", TW_SLEEP_OTHER, "driver_does" },
	{ "__schedule schedule rwsem_down_read_slowpath down_read gup_fast io_read",
	  TW_SLEEP_OTHER, "gup_fast" },
	/* What a job waits for anyway. */
	{ "__schedule schedule io_cqring_wait __do_sys_io_uring_enter do_syscall_64",
	  TW_SLEEP_NOTHING, "" },
	{ "bpf_prog_1234_switched bpf_trace_run4 __traceiter_sched_switch __schedule schedule "
	  "schedule_hrtimeout_range_clock io_cqring_wait", TW_SLEEP_NOTHING, "" },
	{ "__schedule schedule blk_io_schedule __iomap_dio_rw iomap_dio_rw "
	  "ext4_dio_write_iter io_write", TW_SLEEP_NOTHING, "" },
	/* What waits for a server tells the type of the file system. */
	{ "__schedule schedule request_wait_answer __fuse_simple_request fuse_send_open",
	  TW_SLEEP_FILE_SYSTEM, "fuse" },
	{ "__schedule schedule rpc_wait_bit_killable __wait_on_bit out_of_line_wait_on_bit "
	  "__rpc_execute", TW_SLEEP_FILE_SYSTEM, "nfs" },
	{ "__schedule schedule schedule_timeout __wait_for_common nfs_direct_wait "
	  "nfs_file_direct_read", TW_SLEEP_FILE_SYSTEM, "nfs" },
	/* A bio that is sent and awaited: its sender tells what it is. */
	{ "__schedule schedule schedule_timeout io_schedule_timeout __wait_for_common "
	  "submit_bio_wait blkdev_issue_flush ext4_sync_file ext4_buffered_write_iter vfs_write",
	  TW_SLEEP_FLUSH, "blkdev_issue_flush" },
	/* btrfs: the flush, the superblock, and the blocks that it names */
	{ "__schedule schedule schedule_timeout io_schedule_timeout wait_for_completion_io "
	  "write_all_supers btrfs_sync_log btrfs_sync_file do_fsync",
	  TW_SLEEP_FLUSH, "write_all_supers" },
	{ "__schedule schedule io_schedule folio_wait_bit write_all_supers btrfs_sync_log "
	  "btrfs_sync_file do_fsync", TW_SLEEP_FLUSH, "write_all_supers" },
	{ "__schedule schedule io_schedule bit_wait_io __wait_on_bit out_of_line_wait_on_bit "
	  "btrfs_btree_wait_writeback_range __btrfs_wait_marked_extents btrfs_sync_log "
	  "btrfs_sync_file do_fsync", TW_SLEEP_METADATA, "btrfs_btree_wait_writeback_range" },
	{ "__schedule schedule __wait_for_common submit_bio_wait blkdev_issue_flush ext4_sync_file "
	  "__do_sys_msync", TW_SLEEP_FLUSH, "blkdev_issue_flush" },
	{ "__schedule schedule __wait_for_common submit_bio_wait blkdev_issue_write_zeroes "
	  "blkdev_issue_zeroout blkdev_fallocate", TW_SLEEP_DISCARD, "blkdev_issue_zeroout" },
	{ "__schedule schedule __wait_for_common submit_bio_wait blkdev_issue_discard "
	  "blkdev_fallocate", TW_SLEEP_DISCARD, "blkdev_issue_discard" },
	{ "__schedule schedule __wait_for_common submit_bio_wait __blkdev_direct_IO_simple "
	  "blkdev_read_iter", TW_SLEEP_NOTHING, "" },
	{ "__schedule schedule __wait_for_common submit_bio_wait iomap_write_begin "
	  "iomap_file_buffered_write xfs_file_buffered_write", TW_SLEEP_PAGE_LOCK,
	  "iomap_write_begin" },
	/* That function only if nothing was called by it. */
	{ "__schedule schedule driver_does __iomap_dio_rw ext4_dio_write_iter io_write",
	  TW_SLEEP_OTHER, "driver_does" },
	{ "__schedule schedule", TW_SLEEP_NOTHING, "" },
	{ "", TW_SLEEP_NOTHING, "" },
	/* A name that only begins like one of the table. */
	{ "__schedule schedule blk_mq_get_tags", TW_SLEEP_OTHER, "blk_mq_get_tags" },
};

#define STACKS	(sizeof(stacks) / sizeof(*stacks))

static void folded(void)
{
	size_t i;

	for (i = 0; i < STACKS; i++) {
		char text[1024], *rest = text, *name;
		const char *functions[64];
		struct tw_sleep_cause is;
		unsigned count = 0;

		snprintf(text, sizeof(text), "%s", stacks[i].stack);
		while ((name = strsep(&rest, " ")) && *name)
			functions[count++] = name;
		is = tw_sleep_cause_of(functions, count);
		tap_ok(is.word == stacks[i].word && !strcmp(is.function, stacks[i].function),
		       "%s(): %s", stacks[i].function, tw_sleep_texts[is.word].word);
	}
}

static struct tw_sleep_cause of(uint64_t a, uint64_t b, uint64_t c)
{
	const struct tw_stack stack = { .frames = { a, b, c }, .count = 3 };

	return tw_sleep_cause_of_stack(&stack);
}

static void addresses(void)
{
	static char text[] =
		"ffffffff81000100 T schedule\n"
		"ffffffff81000300 t blk_mq_get_tag.isra.0\n"
		"0000000000000000 T hidden\n"
		"ffffffff81000210 D data\n"
		"ffffffffc0000000 t driver_does\t[driver]\n"
		"ffffffff81000200 T io_read\n"
		"broken\n"
		"ffffffff81000400 W end\n";
	struct tw_sleep_cause is;

	is = of(0xffffffff81000120, 0xffffffff81000380, 0xffffffff81000240);
	tap_ok(is.word == TW_SLEEP_NOTHING, "without addresses no word");
	tw_functions_read(text);
	is = of(0xffffffff81000120, 0xffffffff81000380, 0xffffffff81000240);
	tap_ok(is.word == TW_SLEEP_TAG && !strcmp(is.function, "blk_mq_get_tag"),
	       "the compiler's suffix is no part of a name");
	is = of(0xffffffff81000120, 0xffffffff81000300, 0xffffffff81000240);
	tap_ok(is.word == TW_SLEEP_OTHER && !strcmp(is.function, "io_read"),
	       "a call that was the last of a function returns to its end");
	is = of(0xffffffff81000120, 0xffffffffc0000010, 0xffffffff81000240);
	tap_ok(is.word == TW_SLEEP_OTHER && !strcmp(is.function, "driver_does"),
	       "a module's function");
	is = of(0x10, 0, 0x20);
	tap_ok(is.word == TW_SLEEP_NOTHING && !is.function[0], "no function's address");
}

int main(void)
{
	folded();
	addresses();
	return tap_done();
}
