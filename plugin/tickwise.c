/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tickwise: an external fio engine on io_uring that stamps every I/O with the
 * CPU's counter and writes its own latency report beside fio's output.
 *
 *	ioengine=external:/path/to/tickwise.so
 *
 * Stamps: queued (the last thing in ->queue()), enter (the last read before the
 * system call that submits), entered (the first after it), seen (one read for
 * each completion ring tail that is observed; after a call that submits, the
 * entered one), returned (in ->event(), where that is not at once). Where fio
 * submits each I/O as it is queued, its queued stamp is that last read: then an
 * I/O alone costs two or three reads, one among others three or four, and with
 * tw_stages=0 one less at most.
 * fio's own statistics stay what they are with its io_uring engine: the issue
 * time is fio's clock after the submitting call, slat is counted there.
 */
#include "engine.h"
#include "guards.h"

tw_fill *const tw_engine_fill;
tw_sync *const tw_engine_sync = do_io_u_sync;

static int get_file_size(struct thread_data *td, struct fio_file *f)
{
	return tw_try(td) ? 1 : generic_get_file_size(td, f);
}

struct ioengine_ops tw_engine = {
	.name			= "tickwise",
	.version		= FIO_IOOPS_VERSION,
	.flags			= FIO_ASYNCIO_SYNC_TRIM | FIO_NO_OFFLOAD |
					FIO_ASYNCIO_SETS_ISSUE_TIME |
					TW_SYNCFS_FLAG | TW_ATOMIC_FLAG |
					TW_COMPLETE_TIME_FLAG,
	.init			= tw_init,
	.post_init		= tw_post_init,
	.io_u_init		= tw_io_u_init,
	.queue			= tw_queue,
	.commit			= tw_commit,
	.getevents		= tw_getevents,
	.event			= tw_event,
	.cleanup		= tw_cleanup,
	.open_file		= tw_open_file,
	.close_file		= tw_close_file,
	.get_file_size		= get_file_size,
	.options		= tw_engine_options,
	.option_struct_size	= sizeof(struct tw_options),
};
