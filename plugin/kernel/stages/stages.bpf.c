/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stamp each I/O of the job's rings at these points in the kernel:
 *
 *	accepted	io_uring takes the SQE
 *	dispatched	block layer: the first request goes to the driver
 *	finished	block layer: the last completion
 *	posted		io_uring puts the CQE into the ring
 *
 * A ring belongs to a job if it is made by a thread that the job has named in
 * `expected`. No map leads from a request to its I/O. A bio of direct I/O leads
 * to the kiocb, and the kiocb is the io_kiocb, which has its ring and
 * user_data (bio.bpf.h).
 */
#include "bio.bpf.h"

#include "in_flight_of_others.bpf.h"

/* include/linux/io_uring_types.h: the same as IOSQE_ASYNC */
#define REQ_F_FORCE_ASYNC	0x10

char LICENSE[] SEC("license") = "GPL";

/* The only user whose rings are served, unless it is TW_ANY_OWNER. Set before
 * loading. */
const volatile __u32 owner = TW_ANY_OWNER;

/* Set before loading: the programs queued and got run, for exact parts of blockq, and it is
 * told what else the device had in flight. The verifier drops the code for it otherwise. */
const volatile _Bool with_causes = 0;

/* By thread: the ring that the thread is about to make. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TW_MAX_RINGS);
	__type(key, __u32);
	__type(value, struct tw_announced);
} expected SEC(".maps");

/* In the order of their announcements, each in a new place. A table, and not a map, as
 * user_data tells the place. The loader reads and writes all of these, too. */
struct tw_ring rings[TW_MAX_RINGS];
__u32 rings_announced;
__u32 rings_followed;	/* made, and not forgotten */

/* Who made a ring, with_causes. */
static struct viewer viewers[TW_MAX_RINGS];

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);		/* set before loading */
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct tw_padded_stamps);
} stamps_by_index SEC(".maps");

/* By the index of the stamps. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);		/* set before loading, with_causes */
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct tw_others);
} others_by_index SEC(".maps");

static int is_following(void)
{
	return rings_followed != 0;
}

static int is_owner(void)
{
	return owner == TW_ANY_OWNER ||
	       bpf_get_current_task_btf()->cred->euid.val == owner;
}

/* True if the ring was announced by this thread. A thread that began later than
 * the announcement only has the same number: the announced one ended without a
 * ring. */
static int is_announced(const struct tw_announced *mine)
{
	return bpf_get_current_task_btf()->start_time < mine->ns;
}

/* Forget a ring that had this address before, and was never forgotten. */
static long forget(__u32 i, const __u64 *ctx)
{
	__u64 *at = &rings[i & (TW_MAX_RINGS - 1)].ctx;

	if (*at == *ctx && __sync_val_compare_and_swap(at, *ctx, 0) == *ctx)
		__sync_fetch_and_sub(&rings_followed, 1);
	return 0;
}

SEC("tp_btf/io_uring_create")
int BPF_PROG(create, int fd, void *ring)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 address = (__u64)ring;
	const struct tw_announced *mine;
	__u32 tid;

	if (rings_followed)
		bpf_loop(rings_announced, forget, &address, 0);
	tid = number_of(task);
	mine = bpf_map_lookup_elem(&expected, &tid);
	if (!mine || !is_owner() || !is_announced(mine))
		return 0;
	if (with_causes)
		take_rights(&viewers[mine->ring & (TW_MAX_RINGS - 1)], task);
	/* Until the loader asks, the last ring of the thread counts. */
	if (!__sync_lock_test_and_set(&rings[mine->ring & (TW_MAX_RINGS - 1)].ctx,
				      address))
		__sync_fetch_and_add(&rings_followed, 1);
	return 0;
}

/* Return the index of an I/O of this ring in `stamps_by_index` and `others_by_index`. */
static __u32 index_of(const struct tw_ring *ring, __u64 user_data)
{
	return ring->base + (tw_key_index(user_data) & ring->mask);
}

/* Return the stamps of the job's I/O that @user_data names; 0 if it does not name the ring
 * @ctx. */
static struct tw_kernel_stamps *stamps_at(__u64 ctx, __u64 user_data)
{
	const struct tw_ring *ring = &rings[tw_key_ring(user_data)];
	struct tw_padded_stamps *padded;
	__u32 index;

	if (ring->ctx != ctx)
		return 0;
	index = index_of(ring, user_data);
	padded = bpf_map_lookup_elem(&stamps_by_index, &index);
	return padded ? &padded->stamps : 0;
}

#include "throttled.bpf.h"

/* Forget earlier stamps. */
static __always_inline void begin(struct tw_kernel_stamps *stamps, __u64 user_data)
{
	__builtin_memset(stamps, 0, __builtin_offsetof(struct tw_kernel_stamps, queued_ns));
	if (with_causes)
		stamps->queued_ns = stamps->handed_ns = stamps->begun_ns = 0;
	stamps->key = user_data;
}

/* True if an I/O was not chosen, and is slower than the limit that it carries. */
static __always_inline int is_slow(__u64 user_data, __u64 began_ns)
{
	return !(user_data & TW_KEY_CHOSEN) && began_ns && bpf_ktime_get_ns() >=
	       began_ns + tw_key_limit_ns(tw_key_upper(user_data));
}

/* Return the stamps, unless they are of an earlier I/O. Nothing more is read of an I/O that was
 * not chosen and has no limit, or is no job's. */
static __always_inline struct tw_kernel_stamps *stamps_of(struct io_kiocb *io, __u64 began_ns,
						 int is_command)
{
	__u64 user_data = READ(struct io_kiocb, io, cqe.user_data);
	struct tw_kernel_stamps *stamps;

	if (!(user_data >> TW_KEY_UPPER_SHIFT))
		return 0;
	stamps = stamps_at((__u64)READ(struct io_kiocb, io, ctx), user_data);
	if (!stamps || stamps->key == user_data)
		return stamps;
	if (!is_slow(user_data, began_ns) || (!is_command && !is_of_uring((__u64)io)))
		return 0;
	begin(stamps, user_data);
	return stamps;
}

static __always_inline int is_own(const struct origin *origin, __u64 whose)
{
	return origin->io && (__u64)READ(struct io_kiocb, origin->io, ctx) == whose;
}

/* Return what others had in flight for an I/O, by its key. */
static struct tw_others *others_of(__u64 key)
{
	__u32 index = index_of(&rings[tw_key_ring(key)], key);

	return bpf_map_lookup_elem(&others_by_index, &index);
}

/* What others have in flight is counted for the first request. */
static __always_inline int dispatching(struct tw_kernel_stamps *stamps, __u64 rq)
{
	if (!with_causes || stamps->dispatched_ns)
		return 0;
	count_others(rq, rings[tw_key_ring(stamps->key)].ctx, stamps->key,
		      others_of(stamps->key), &viewers[tw_key_ring(stamps->key)]);
	return 1;
}

/* Without the stamp of block_getrq, the earliest start of a request is a bound. */
static __always_inline void dispatched(struct tw_kernel_stamps *stamps, __u64 rq, __u64 now_ns)
{
	__u64 start_ns = READ(struct request, rq, start_time_ns);

	if (start_ns && !(with_causes && stamps->queued_ns))
		tw_stamp_earliest(&stamps->got_ns, start_ns);
}

/* The kernel may submit the same SQE again: all begins anew. */
static int accepted(struct io_kiocb *io)
{
	__u64 user_data = io->cqe.user_data;
	struct tw_kernel_stamps *stamps = user_data & TW_KEY_CHOSEN ?
			       stamps_at((__u64)io->ctx, user_data) : 0;

	if (!stamps)
		return 0;
	begin(stamps, user_data);
	stamps->accepted_ns = bpf_ktime_get_ns();
	return 0;
}

/* Count requests that a busy driver has handed back. Those that it never had are requeued, too,
 * and those that failed, to be tried again.
 * The program is loaded with_causes only. */
SEC("tp_btf/block_rq_requeue")
int BPF_PROG(requeue, struct request *rq)
{
	struct bio *bio = rq->bio;
	struct tw_others *others;
	struct tw_kernel_stamps *stamps;
	__u32 via = VIA_COMMAND;
	__u64 io;

	if (!is_following() || rq->state != MQ_RQ_IN_FLIGHT)
		return 0;
	io = command_of(rq);
	if (!io && bio)
		io = kiocb_of((__u64)bio, (__u64)bio->bi_end_io, (__u64)bio->bi_private, &via);
	stamps = stamps_by(io, 0, via);
	others = stamps ? others_of(stamps->key) : 0;
	if (others && others->key == stamps->key && others->requeues != (__u16)~0)
		others->requeues++;
	return 0;
}

/* Say why a worker is to submit an I/O. An attempt of which a part was dispatched may have
 * failed anywhere. A command has no bio that would tell. */
static enum tw_worker_why why(struct io_kiocb *io, const struct tw_kernel_stamps *stamps)
{
	if (io->flags & REQ_F_FORCE_ASYNC || io->opcode == IORING_OP_FSYNC)
		return TW_WORKER_ASKED;
	if (!with_causes || stamps->dispatched_ns || io->opcode == IORING_OP_URING_CMD)
		return TW_WORKER_UNKNOWN;
	return stamps->queued_ns ? TW_WORKER_BLOCK_LAYER : TW_WORKER_BEFORE;
}

SEC("tp_btf/io_uring_queue_async_work")
int BPF_PROG(queue_async, struct io_kiocb *io)
{
	struct tw_kernel_stamps *stamps = is_following() ? stamps_of(io, 0, 0) : 0;

	if (!stamps)
		return 0;
	stamps->why = why(io, stamps);
	submit_again(stamps);
	if (!with_causes)
		return 0;
	stamps->flags &= ~TW_STAMPS_BEGUN;
	stamps->queued_ns = stamps->begun_ns = 0;
	stamps->handed_ns = bpf_ktime_get_ns();
	return 0;
}

/* Note that a worker has the I/O. */
static __always_inline void worker_has(struct tw_kernel_stamps *stamps, __u64 now_ns, __u16 flag)
{
	if (!stamps->handed_ns || stamps->begun_ns)
		return;
	stamps->begun_ns = now_ns;
	stamps->flags |= flag;
}

SEC("fentry/io_wq_submit_work")
int BPF_PROG(worker_begins, struct io_wq_work *work)
{
	struct tw_kernel_stamps *stamps = is_following() ? stamps_of(io_of_work((__u64)work), 0, 0) : 0;

	if (stamps)
		worker_has(stamps, bpf_ktime_get_ns(), TW_STAMPS_BEGUN);
	return 0;
}

/* Loaded if the kernel refuses the program above: a worker that leaves the CPU has begun. */
SEC("tp_btf/sched_switch")
int BPF_PROG(worker_leaves, _Bool preempt, struct task_struct *prev)
{
	struct io_kiocb *io;
	struct tw_kernel_stamps *stamps;

	if (!(prev->flags & PF_IO_WORKER) || !is_following())
		return 0;
	io = io_of_worker(prev);
	stamps = io ? stamps_of(io, 0, 0) : 0;
	if (stamps)
		worker_has(stamps, bpf_ktime_get_ns(), 0);
	return 0;
}

/* Return the kiocb of a bio; 0: nobody is followed, or it has none. */
static __always_inline __u64 followed_kiocb(struct bio *bio, __u32 *via)
{
	return is_following() ? kiocb_of((__u64)bio, (__u64)bio->bi_end_io,
					 (__u64)bio->bi_private, via) : 0;
}

/* Of the devices under a bio, the lowest is the last before it gets a request. */
SEC("tp_btf/block_bio_queue")
int BPF_PROG(queued, struct bio *bio)
{
	__u32 via;
	__u64 io = followed_kiocb(bio, &via);
	struct tw_kernel_stamps *stamps;

	if (!io)
		return 0;
	note_throttled(bio, io);
	stamps = stamps_by(io, 0, via);
	if (!stamps || stamps->got_ns)
		return 0;
	stamps->queued_ns = bpf_ktime_get_ns();
	worker_has(stamps, stamps->queued_ns, 0);
	return 0;
}

SEC("tp_btf/block_getrq")
int BPF_PROG(got, struct bio *bio)
{
	__u32 via;
	__u64 io = followed_kiocb(bio, &via);
	struct tw_kernel_stamps *stamps = io ? stamps_by(io, 0, via) : 0;

	if (stamps && !stamps->got_ns)
		stamps->got_ns = bpf_ktime_get_ns();
	return 0;
}

SEC("tp_btf/io_uring_complete")
int BPF_PROG(complete, void *ring, struct io_kiocb *io)
{
	struct tw_kernel_stamps *stamps = io && is_following() ? stamps_of(io, 0, 0) : 0;

	if (stamps)
		stamps->posted_ns = bpf_ktime_get_ns();
	return 0;
}
