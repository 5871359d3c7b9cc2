/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where a program in the kernel meets an I/O of io_uring on its way: accepted by
 * io_uring, a request of it given to the driver, that request finished. Included once,
 * after accepted() and pass(), which say what is done there.
 */
#ifndef TW_PLUGIN_KERNEL_POINTS_BPF_H
#define TW_PLUGIN_KERNEL_POINTS_BPF_H

#include <bpf/bpf_tracing.h>

/* Linux 6.3 on; before: submit_sqe. The loader takes the one that there is. */
SEC("tp_btf/io_uring_submit_req")
int BPF_PROG(submit_req, struct io_kiocb *io)
{
	return accepted(io);
}

SEC("tp_btf/io_uring_submit_sqe")
int BPF_PROG(submit_sqe, struct io_kiocb *io)
{
	return accepted(io);
}

SEC("tp_btf/block_rq_issue")
int BPF_PROG(issue, struct request *rq)
{
	pass_all(rq, ~0U, DISPATCHED);
	return 0;
}

SEC("tp_btf/block_rq_complete")
int BPF_PROG(done, struct request *rq, int status, unsigned int bytes)
{
	pass_all(rq, bytes, FINISHED);
	return 0;
}

#endif
