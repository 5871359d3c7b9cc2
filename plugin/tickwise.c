/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tickwise: an external fio engine on io_uring that stamps every I/O with the
 * CPU's counter and writes its own latency report in addition to fio's output.
 *
 *	ioengine=external:/path/to/tickwise.so
 *
 * It works on files and block devices. engine.c has the path of an I/O.
 */
#include "engine/engine.h"
#include "fio/fio_layout.h"

const bool tw_engine_commands = false;

static int get_file_size(struct thread_data *td, struct fio_file *f)
{
	return tw_set_up_once(td) || tw_protection_know(td, f) ? 1 : generic_get_file_size(td, f);
}

static int open_file(struct thread_data *td, struct fio_file *f)
{
	return tw_protection_know(td, f) ? 1 : tw_open_file(td, f);
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
	.prep			= tw_prep,
	.queue			= tw_queue,
	.commit			= tw_commit,
	.getevents		= tw_getevents,
	.event			= tw_event,
	.cleanup		= tw_cleanup,
	.open_file		= open_file,
	.close_file		= tw_close_file,
	.get_file_size		= get_file_size,
	.options		= tw_engine_options,
	.option_struct_size	= sizeof(struct tw_options),
};
