/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The points where a program in the kernel meets an I/O of io_uring: io_uring
 * accepts it, one of its requests goes to the driver, that request is finished.
 * Included once, after accepted() and pass(), which handle these points, and
 * is_following(): without a ring to follow, nothing is looked at.
 */
#ifndef TW_PLUGIN_KERNEL_POINTS_BPF_H
#define TW_PLUGIN_KERNEL_POINTS_BPF_H

#include <bpf/bpf_tracing.h>

/* Linux 6.3 and later have submit_req, earlier ones submit_sqe. The loader uses
 * the one that exists. */
SEC("tp_btf/io_uring_submit_req")
int BPF_PROG(submit_req, struct io_kiocb *io)
{
	return is_following() ? accepted(io) : 0;
}

SEC("tp_btf/io_uring_submit_sqe")
int BPF_PROG(submit_sqe, struct io_kiocb *io)
{
	return is_following() ? accepted(io) : 0;
}

SEC("tp_btf/block_rq_issue")
int BPF_PROG(issue, struct request *rq)
{
	if (is_following())
		pass_all(rq, ~0U, DISPATCHED);
	return 0;
}

SEC("tp_btf/block_rq_complete")
int BPF_PROG(done, struct request *rq, int status, unsigned int bytes)
{
	if (is_following())
		pass_all(rq, bytes, FINISHED);
	return 0;
}

#endif
