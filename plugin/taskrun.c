/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tries what watching the TASKRUN flag relies on, on a small ring of its own.
 */
#include <errno.h>
#include <liburing.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "taskrun.h"
#include "timespec.h"

/* IORING_SQ_TASKRUN */
#define SQ_TASKRUN	(1U << 2)
#define FIRST_NS	20000
#define SECOND_NS	40000
/* Without the flag for so long, there is none; a busy machine's timers. */
#define PATIENCE_NS	100000000ULL

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return tw_timespec_ns(&now);
}

static int submit_timers(struct io_uring *ring)
{
	struct __kernel_timespec when[2] = {
		{ .tv_nsec = FIRST_NS }, { .tv_nsec = SECOND_NS },
	};
	unsigned i;
	int ret;

	for (i = 0; i < 2; i++) {
		struct io_uring_sqe *sqe = io_uring_get_sqe(ring);

		io_uring_prep_timeout(sqe, &when[i], 0, 0);
		sqe->user_data = i;
	}
	ret = io_uring_submit(ring);
	return ret < 0 ? ret : ret == 2 ? 0 : -EPROTO;
}

/* Up, with no entry to be seen; and long enough for the second timer. */
static bool has_risen(struct io_uring *ring)
{
	uint64_t start_ns = now_ns(), ns = start_ns, risen_ns = 0;

	while (ns - start_ns < PATIENCE_NS) {
		bool raised = IO_URING_READ_ONCE(*ring->sq.kflags) & SQ_TASKRUN;

		if (raised && !risen_ns)
			risen_ns = ns;
		if (risen_ns && ns - risen_ns > SECOND_NS)
			return io_uring_cq_ready(ring) == 0;
		ns = now_ns();
	}
	return false;
}

static int try_ring(struct io_uring *ring)
{
	struct io_uring_cqe *cqe;
	bool in_order = true;
	unsigned i;
	int ret = submit_timers(ring);

	if (ret)
		return ret;
	if (!has_risen(ring))
		return -EPROTO;
	for (i = 0; i < 2 && !ret; i++) {
		do {
			ret = io_uring_wait_cqe(ring, &cqe);
		} while (ret == -EINTR);
		if (!ret) {
			in_order &= cqe->user_data == i;
			io_uring_cqe_seen(ring, cqe);
		}
	}
	return ret ? ret : in_order ? 0 : -EILSEQ;
}

int tw_taskrun_try(void)
{
	struct io_uring ring;
	int ret;

	ret = io_uring_queue_init(2, &ring, TW_COOP_TASKRUN | TW_TASKRUN_FLAG |
				  TW_SINGLE_ISSUER | TW_DEFER_TASKRUN);
	if (ret)
		return ret;
	ret = try_ring(&ring);
	io_uring_queue_exit(&ring);
	return ret;
}
