/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An fio engine whose completion times are known beforehand, to test whether fio
 * takes them. I/O number i of the job, from 0, completed exactly (i % 4 + 1) * 1000
 * ns after its issue. The engine returns each batch a millisecond after its last
 * I/O was queued, which is the time that fio measures by itself.
 *
 * FLAGS: the engine's flags. TELLS: ISSUE, the usual case; NOTHING, no time at all;
 * or FUTURE, a time that has not come yet.
 */
#include "fio.h"

#define DEPTH		64
#define BATCH_NS	1000000
#define HOUR_NS		3600000000000ULL
#define ISSUE		1
#define NOTHING		2
#define FUTURE		3

static struct io_u *queued[DEPTH], *done[DEPTH];
static unsigned int in_queue, number;

static enum fio_q_status known_queue(struct thread_data *td, struct io_u *io_u)
{
	if (in_queue == DEPTH)
		return FIO_Q_BUSY;
	queued[in_queue++] = io_u;
	return FIO_Q_QUEUED;
}

static int known_getevents(struct thread_data *td, unsigned int min,
			   unsigned int max, const struct timespec *t)
{
	const uint64_t from = fio_gettime_ns();
	unsigned int i, count = in_queue < max ? in_queue : max;

	while (fio_gettime_ns() - from < BATCH_NS)
		;
	for (i = 0; i < count; i++)
		done[i] = queued[i];
	in_queue -= count;
	memmove(queued, queued + count, in_queue * sizeof(*queued));
	return count;
}

static struct io_u *known_event(struct thread_data *td, int event)
{
	struct io_u *io_u = done[event];

	if (TELLS == ISSUE)
		io_u->complete_nsec = io_u->issue_nsec +
			(number++ % 4 + 1) * 1000;
	else if (TELLS == FUTURE)
		io_u->complete_nsec = fio_gettime_ns() + HOUR_NS;
	return io_u;
}

static int known_open(struct thread_data *td, struct fio_file *f)
{
	return 0;
}

struct ioengine_ops ioengine = {
	.name		= "known_time",
	.version	= FIO_IOOPS_VERSION,
	.flags		= FIO_DISKLESSIO | FLAGS,
	.queue		= known_queue,
	.getevents	= known_getevents,
	.event		= known_event,
	.open_file	= known_open,
};
