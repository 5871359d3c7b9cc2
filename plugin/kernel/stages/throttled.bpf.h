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

#include "cgroup.bpf.h"
#include "throttled.h"

/* By the index of the stamps. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);		/* set before loading, with_causes */
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct tw_throttled);
} throttled_by_index SEC(".maps");

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
static __noinline int note_hold(struct bio *bio, __u64 io, __u32 kind)
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
	if (kind == TW_THROTTLED_BY_LIMIT && !find_limit((__u64)bio, &throttled->limit))
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
		note_hold(bio, io, TW_THROTTLED_BY_LIMIT);
	else if (does == (__u64)&dm_wq_work)
		note_hold(bio, io, TW_THROTTLED_BY_MAPPER);
}

#endif
