/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The cgroup of a bio, and the limit of io.max that held it. Include this file after bio.bpf.h.
 */
#ifndef TW_PLUGIN_KERNEL_STAGES_CGROUP_BPF_H
#define TW_PLUGIN_KERNEL_STAGES_CGROUP_BPF_H

#include "kernel/limit.h"

#define MAX_GROUPS	32	/* from a cgroup up to the root */

/* What a worker of the kernel runs that submits bios which were held: by io.max, and by a suspended
 * device mapper. 0: this kernel does not have the function, or its module is not loaded. */
extern const void blk_throtl_dispatch_work_fn __ksym __weak;
extern const void dm_wq_work __ksym __weak;

/* Return the id of the cgroup of a blkcg_gq; 0: none. */
static __always_inline __u64 cgroup_of_group(__u64 group)
{
	__u64 of = group ? (__u64)READ(struct blkcg_gq, group, blkcg) : 0;

	of = of ? (__u64)READ(struct blkcg, of, css.cgroup) : 0;
	of = of ? (__u64)READ(struct cgroup, of, kn) : 0;
	return of ? READ(struct kernfs_node, of, id) : 0;
}

/* Return the cgroup to which a bio is accounted; 0: none. */
static __always_inline __u64 cgroup_of(__u64 bio)
{
	return bio && bpf_core_field_exists(((struct bio *)0)->bi_blkg) ?
	       cgroup_of_group((__u64)READ(struct bio, bio, bi_blkg)) : 0;
}

/* ---- io.max --------------------------------------------------------------- */

struct throtl_service_queue {
	struct throtl_service_queue *parent_sq;
} TW_BY_NAME;

/* block/blk-throttle.h: what blk-throttle has of a blkcg_gq. Up to Linux 6.9 there are two
 * limits for reads and then two for writes, of which the second counts. */
struct throtl_grp {
	void *td;
	struct throtl_service_queue service_queue;
	__u64 bps[2];
	__u32 iops[2];
	__s64 bytes_disp[2];
	__s32 io_disp[2];
} TW_BY_NAME;

struct throtl_data {
	struct throtl_service_queue service_queue;
	struct work_struct dispatch_work;
} TW_BY_NAME;

/* The search for the limit that made a bio wait. Each limit needs a time for what it has let
 * pass in its slice, and for the bio. The limit with the longest time made the bio wait. */
struct limiting {
	__u64 group;		/* blkcg_gq: a cgroup, and then those above it */
	__u64 policy;		/* where it has the address of its throtl_grp */
	__u64 top;		/* the queue above the highest group */
	__u64 bytes;		/* of the bio */
	__u64 most_us;
	__u64 limiter, limit;	/* its blkcg_gq, and the value */
	__u32 which, is_write;
};

/* Return the last element of the half for this direction. */
#define OF_DIRECTION(now, tg, array) ({						\
	const __u32 half_ = bpf_core_field_size(struct throtl_grp, array) / 2;	\
	__typeof__(((struct throtl_grp *)0)->array[0]) is_ = 0;			\
										\
	bpf_probe_read_kernel(&is_, sizeof(is_), (void *)((tg) +		\
		bpf_core_field_offset(struct throtl_grp, array) +		\
		((now)->is_write + 1) * half_ - sizeof(is_)));			\
	is_;									\
})

static __always_inline void try_limit(struct limiting *now, __s64 passed, __u64 more,
				      __u64 limit, __u32 which)
{
	__u64 us;

	if (!limit)
		return;
	us = ((passed > 0 ? (__u64)passed : 0) + more) * 1000000 / limit;
	if (us < now->most_us)
		return;
	now->most_us = us;
	now->limiter = now->group;
	now->limit = limit;
	now->which = which + now->is_write;
}

static long try_group(__u32 i, struct limiting *now)
{
	__u64 tg = pointer_at(now->group + now->policy), bps, above;
	__u32 iops;

	if (!tg)
		return 1;
	bps = OF_DIRECTION(now, tg, bps);
	iops = OF_DIRECTION(now, tg, iops);
	/* The largest number is no limit. */
	if (bps != ~0ULL)
		try_limit(now, OF_DIRECTION(now, tg, bytes_disp), now->bytes, bps,
			  TW_LIMIT_RBPS);
	if (iops != ~0U)
		try_limit(now, OF_DIRECTION(now, tg, io_disp), 1, iops, TW_LIMIT_RIOPS);
	above = (__u64)READ(struct throtl_grp, tg, service_queue.parent_sq);
	now->group = (__u64)READ(struct blkcg_gq, now->group, parent);
	return !now->group || above == now->top;
}

/* Return where a blkcg_gq has the address of its throtl_grp, which belongs to @td; 0: nowhere. */
static __always_inline __u64 policy_of(__u64 group, __u64 td)
{
	__u64 at = bpf_core_field_offset(struct blkcg_gq, pd), tg;
	int i;

	for (i = 0; i < MAX_POLICIES; i++, at += sizeof(void *)) {
		tg = pointer_at(group + at);
		if (tg && (__u64)READ(struct throtl_grp, tg, td) == td)
			return at;
	}
	return 0;
}

/* Set what is known of the limit that made the bio wait, which the worker of blk-throttle that
 * runs submits. Return false if the limit did not throttle this bio, but one above it. */
static __noinline int find_limit(__u64 bio, struct tw_io_limit *limit)
{
	__u64 work = (__u64)READ(struct worker, queue_worker(bpf_get_current_task_btf()),
				 current_work);
	__u64 td = work - bpf_core_field_offset(struct throtl_data, dispatch_work);
	struct limiting now = {
		.group = (__u64)READ(struct bio, bio, bi_blkg),
		.top = td + bpf_core_field_offset(struct throtl_data, service_queue),
		.bytes = READ(struct bio, bio, bi_iter.bi_size),
		.is_write = READ(struct bio, bio, bi_opf) & REQ_OP_WRITE,
	};

	if (!now.group || !limit)
		return 0;
	now.policy = policy_of(now.group, td);
	if (!now.policy)
		return 0;
	bpf_loop(MAX_GROUPS, try_group, &now, 0);
	limit->which = now.which;
	limit->value = now.limit;
	limit->cgroup = now.which ? cgroup_of_group(now.limiter) : 0;
	return 1;
}

#endif
