/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Find what throttled a bio that a worker of the kernel submits (throttled.h). The function that
 * the worker runs tells this. A bio of another thread costs a look at the thread's flags, and
 * only if it is of direct I/O.
 *
 * Included by stages.bpf.c, after stamps_at().
 */
#ifndef TW_PLUGIN_KERNEL_STAGES_THROTTLED_BPF_H
#define TW_PLUGIN_KERNEL_STAGES_THROTTLED_BPF_H

#include "throttled.h"

#define MAX_GROUPS	32	/* from a cgroup up to the root */

/* 0: this kernel does not have the function, or its module is not loaded. */
extern const void blk_throtl_dispatch_work_fn __ksym __weak;
extern const void dm_wq_work __ksym __weak;

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

/* By the index of the stamps. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);		/* set before loading, with_causes */
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct tw_throttled);
} throttled_by_index SEC(".maps");

/* ---- io.max --------------------------------------------------------------- */

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

/* Set what is known of the limit that made the bio wait. @work: what the worker runs. Return
 * false if the limit did not throttle this bio, but one above it. */
static __noinline int find_limit(__u64 bio, __u64 work, struct tw_throttled *throttled)
{
	__u64 td = work - bpf_core_field_offset(struct throtl_data, dispatch_work);
	struct limiting now = {
		.group = (__u64)READ(struct bio, bio, bi_blkg),
		.top = td + bpf_core_field_offset(struct throtl_data, service_queue),
		.bytes = READ(struct bio, bio, bi_iter.bi_size),
		.is_write = READ(struct bio, bio, bi_opf) & REQ_OP_WRITE,
	};

	if (!now.group || !throttled)
		return 0;
	now.policy = policy_of(now.group, td);
	if (!now.policy)
		return 0;
	bpf_loop(MAX_GROUPS, try_group, &now, 0);
	throttled->which = now.which;
	throttled->limit = now.limit;
	throttled->cgroup = now.which ? cgroup_of_group(now.limiter) : 0;
	return 1;
}

/* ---- any throttling -------------------------------------------------------- */

/* Set @key to that of the I/O of a kiocb. Return the I/O's index in `stamps_by_index` and
 * `throttled_by_index`; -1: none. */
static __always_inline __s64 throttled_index(__u64 io, __u64 *key)
{
	const struct tw_ring *ring;

	*key = READ(struct io_kiocb, io, cqe.user_data);
	ring = &rings[tw_key_ring(*key)];
	if (!ring->ctx || ring->ctx != (__u64)READ(struct io_kiocb, io, ctx) ||
	    !is_of_uring(io))
		return -1;
	return index_of(ring, *key);
}

/* Return when an I/O was last seen before it was throttled; 0: not known. */
static __always_inline __u64 seen_ns(__u32 index, __u64 key)
{
	struct tw_padded_stamps *padded = bpf_map_lookup_elem(&stamps_by_index, &index);
	const struct tw_kernel_stamps *stamps = padded && padded->stamps.key == key ?
		&padded->stamps : 0;

	return !stamps ? 0 : stamps->got_ns ? stamps->got_ns :
	       stamps->queued_ns ? stamps->queued_ns :
	       stamps->begun_ns ? stamps->begun_ns : stamps->accepted_ns;
}

/* Note from when to when the I/O of a bio was throttled. Of several times the longest counts. */
static __noinline int note_hold(struct bio *bio, __u64 io, __u32 kind, __u64 work)
{
	__u64 key = 0, now_ns = bpf_ktime_get_ns(), from_ns;
	__s64 at = throttled_index(io, &key);
	__u32 index = (__u32)at;
	struct tw_throttled *throttled;
	struct tw_throttle_time *hold;

	throttled = at < 0 ? 0 : bpf_map_lookup_elem(&throttled_by_index, &index);
	if (!throttled)
		return 0;
	if (throttled->key != key) {
		__builtin_memset(throttled, 0, sizeof(*throttled));
		throttled->key = key;
	}
	from_ns = seen_ns(index, key);
	hold = &throttled->by[kind == TW_THROTTLED_BY_LIMIT ? TW_THROTTLED_BY_LIMIT :
			      TW_THROTTLED_BY_MAPPER];
	if (hold->to_ns && now_ns - from_ns <= hold->to_ns - hold->from_ns)
		return 0;
	if (kind == TW_THROTTLED_BY_LIMIT && !find_limit((__u64)bio, work, throttled))
		return 0;
	hold->from_ns = from_ns;
	hold->to_ns = now_ns;
	return 0;
}

/* Note what throttled a bio, if a worker of the kernel submits the bio again. @io: its kiocb. */
static __always_inline void note_throttled(struct bio *bio, __u64 io)
{
	__u64 worker = queue_worker(bpf_get_current_task_btf()), does;

	if (!worker)
		return;
	does = (__u64)READ(struct worker, worker, current_func);
	if (!does)
		return;
	if (bpf_core_type_exists(struct throtl_grp) &&
	    does == (__u64)&blk_throtl_dispatch_work_fn)
		note_hold(bio, io, TW_THROTTLED_BY_LIMIT,
			  (__u64)READ(struct worker, worker, current_work));
	else if (does == (__u64)&dm_wq_work)
		note_hold(bio, io, TW_THROTTLED_BY_MAPPER, 0);
}

#endif
