/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An engine that does nothing but ask the guards of fio_layout.h. fits-fio.sh builds it against
 * the headers of a source, and fio runs a job of two I/Os on it: the job fails if fio is
 * not made of that source. A real engine would be compiled for half a minute first.
 */
#include <stdarg.h>
#include <stdio.h>

#include "fio_layout.h"
#include "message.h"
#include "run_shared.h"

void tw_message(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
}

void tw_run_begin(void)
{
}

static int init(struct thread_data *td)
{
	return tw_check_layout(td);
}

static int io_u_init(struct thread_data *td, struct io_u *io_u)
{
	static unsigned count;

	if (tw_has_our_io_u(io_u, count++))
		return 0;
	tw_message("tickwise: its I/Os (struct io_u) have another layout: refused\n");
	return 1;
}

static enum fio_q_status queue(struct thread_data *td, struct io_u *io_u)
{
	return FIO_Q_COMPLETED;
}

static int leave_file(struct thread_data *td, struct fio_file *f)
{
	return 0;
}

struct ioengine_ops tw_engine = {
	.name		= "tickwise-fits",
	.version	= FIO_IOOPS_VERSION,
	.flags		= FIO_SYNCIO | FIO_DISKLESSIO | FIO_FAKEIO | FIO_NODISKUTIL,
	.init		= init,
	.io_u_init	= io_u_init,
	.queue		= queue,
	.open_file	= leave_file,
	.close_file	= leave_file,
};
