/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Count the requests that a device has in flight. Nothing is kept for that: the block layer
 * has a tag for each request of a driver, and the tags in use lead to the requests. So the
 * requests of others cost nothing, and a lost event can't make the numbers wrong.
 *
 * A program includes it after bio.bpf.h, and defines is_own().
 */
#ifndef TW_PLUGIN_KERNEL_STAGES_IN_FLIGHT_OF_OTHERS_BPF_H
#define TW_PLUGIN_KERNEL_STAGES_IN_FLIGHT_OF_OTHERS_BPF_H

#include "in_flight_of_others.h"
#include "origin.bpf.h"

/* Contributors that are told apart. Those that are found later have no name. */
#define MAX_CONTRIBUTORS	16

/* More tags in use than these are not counted. */
#define MAX_TAGS	1024
#define MAX_QUEUES	4096	/* of hardware */
#define MAX_WORDS	4096	/* of tags, of all of them together */

/* include/linux/blk_types.h */
#define REQ_OP_FLUSH		2
#define REQ_OP_DISCARD		3
#define REQ_OP_SECURE_ERASE	5
#define REQ_OP_ZONE_APPEND	7
#define REQ_OP_WRITE_ZEROES	9

struct sbitmap_word {
	unsigned long word;
	unsigned long cleared;	/* bits of the word that are free */
} TW_BY_NAME;

struct sbitmap {
	unsigned int shift;	/* of the number of bits in a word */
	unsigned int map_nr;
	struct sbitmap_word *map;
} TW_BY_NAME;

struct sbitmap_queue {
	struct sbitmap sb;
} TW_BY_NAME;

struct blk_mq_tags {
	unsigned int nr_reserved_tags;
	struct sbitmap_queue bitmap_tags;
	struct request **rqs;
} TW_BY_NAME;

/* Several queues may share it: the disks of a controller. */
struct blk_mq_tag_set {
	unsigned int nr_hw_queues;
	struct blk_mq_tags **tags;
	struct blk_mq_tags *shared_tags;	/* of all hardware queues; 0: none */
} TW_BY_NAME;

/* Somebody else, whose requests of one kind were counted. */
struct contributor {
	__u64 id;		/* of a process, or of a cgroup with BY_CGROUP; 0: not known */
	__u64 bytes;
	__u32 requests;		/* 0: this place is free, and the ones after it */
	__u32 kind;
	__u64 task;		/* 0: none */
};

#define BY_CGROUP	(1ULL << 63)

/* The state of a count of what a device has in flight, by its tags. */
struct counting {
	struct tw_others is;
	struct origin origin;	/* of the request that is being counted */
	__u64 queue;		/* of the device */
	__u64 whose;		/* for is_own() */
	__u64 tags;		/* an array, one for each hardware queue */
	__u64 map, requests;	/* of these tags: words of bits, and an array by tag */
	__u64 bits;		/* of this word, that are left */
	__u32 first, shift;	/* tag of the first bit of a word; as in struct sbitmap */
	__u32 tag;		/* of this word's first bit */
	__u32 left;		/* tags that may still be counted */
	__u32 words_left;
	__u32 unused;
	struct contributor contributors[MAX_CONTRIBUTORS];
};

/* A program does not interrupt itself on a CPU. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct counting);
} countings SEC(".maps");

/* True if a request is no other's: of the ring @whose, or of a followed process. */
static __always_inline int is_own(const struct origin *origin, __u64 whose);

static __always_inline __u32 kind_of_others(__u32 operation)
{
	switch (operation) {
	case 0:
		return TW_OTHERS_READS;
	case REQ_OP_WRITE:
	case REQ_OP_ZONE_APPEND:
		return TW_OTHERS_WRITES;
	case REQ_OP_FLUSH:
		return TW_OTHERS_FLUSHES;
	case REQ_OP_DISCARD:
	case REQ_OP_SECURE_ERASE:
	case REQ_OP_WRITE_ZEROES:
		return TW_OTHERS_DISCARDS;
	}
	return TW_OTHERS_COMMANDS;
}

/* Find what a request in flight is part of. Its first bio stands for all of them. Return false
 * if it has none any more: it is about to be freed, and some drivers leave its state alone. */
static __always_inline int find_origin_of(struct counting *now, __u64 rq, __u32 operation)
{
	struct origin *origin = &now->origin;
	__u64 end_io, bio;

	__builtin_memset(origin, 0, sizeof(*origin));
	if (operation == REQ_OP_DRV_IN || operation == REQ_OP_DRV_OUT) {
		end_io = (__u64)READ(struct request, rq, end_io);
		if (end_io && end_io == (__u64)&nvme_uring_cmd_end_io) {
			origin->io = (__u64)READ(struct request, rq, end_io_data);
			origin->task = task_of_uring(origin->io);
		}
		return 1;
	}
	bio = operation == REQ_OP_FLUSH ? bio_of_flush(rq) :
	      (__u64)READ(struct request, rq, bio);
	if (bio)
		find_origin(bio, origin);
	return bio || operation == REQ_OP_FLUSH || kind_of_others(operation) == TW_OTHERS_COMMANDS;
}

/* Add a request to its contributor. */
static __always_inline void add_contributor(struct counting *now, __u32 kind, __u32 bytes)
{
	const struct origin *origin = &now->origin;
	__u64 id = origin->task ? (__u32)READ(struct task_struct, origin->task, tgid) :
				  cgroup_of(origin->bio);
	struct contributor *of = now->contributors;
	int i;

	if (!origin->task && id)
		id |= BY_CGROUP;
	for (i = 0; i < MAX_CONTRIBUTORS; i++, of++)
		if (!of->requests || (of->id == id && of->kind == kind))
			break;
	if (i == MAX_CONTRIBUTORS)
		return;
	of->id = id;
	of->kind = kind;
	of->task = origin->task;
	of->requests++;
	of->bytes += bytes;
}

/* Name the contributor with most bytes, or requests, of the largest kind. */
static __always_inline void find_who(struct counting *now, const struct viewer *viewer)
{
	__u32 kind = tw_others_kind(&now->is);
	struct tw_who *who = &now->is.who;
	const struct contributor *of = now->contributors;
	__u64 id = 0, task = 0;
	int i;

	for (i = 0; i < MAX_CONTRIBUTORS; i++, of++) {
		if (of->kind != kind || of->bytes < who->bytes ||
		    (of->bytes == who->bytes && of->requests <= who->requests))
			continue;
		who->bytes = of->bytes;
		who->requests = of->requests;
		id = of->id;
		task = of->task;
	}
	if (task) {
		name_task(who, task, viewer);
	} else if (id) {
		who->kind = TW_WHO_CGROUP;
		who->cgroup = id & ~BY_CGROUP;
	}
}

/* Count the request of a tag in use, if the driver has it and it is this device's. Until the
 * driver gets the request, the array has the request that had the tag before. With a scheduler
 * that one may be in flight with another tag. */
static __always_inline void count_request(struct counting *now, __u32 tag)
{
	const __u64 rq = pointer_at(now->requests + sizeof(void *) * tag);
	__u32 operation, kind, bytes;

	if (!rq || READ(struct request, rq, state) != MQ_RQ_IN_FLIGHT ||
	    (__u32)READ(struct request, rq, tag) != tag ||
	    (__u64)READ(struct request, rq, q) != now->queue)
		return;
	operation = READ(struct request, rq, cmd_flags) & REQ_OP_MASK;
	if (!find_origin_of(now, rq, operation))
		return;
	if (is_own(&now->origin, now->whose)) {
		now->is.own++;
		return;
	}
	kind = kind_of_others(operation);
	if (kind >= TW_OTHERS_KINDS)
		return;
	bytes = READ(struct request, rq, __data_len);
	now->is.requests[kind]++;
	now->is.bytes[kind] += bytes;
	add_contributor(now, kind, bytes);
}

/* True if there were more tags in use than may be counted. */
static __always_inline int is_over(const struct counting *now)
{
	return now->is.is_cut && !now->left;
}

static long count_tag(__u32 i, struct counting **at)
{
	struct counting *now = *at;
	__u64 bit = now->bits & -now->bits;

	now->bits -= bit;
	if (!now->left) {
		now->is.is_cut = 1;
		return 1;
	}
	now->left--;
	count_request(now, now->tag + (__u32)__builtin_popcountll(bit - 1));
	return !now->bits;
}

static long count_word(__u32 i, struct counting **at)
{
	struct counting *now = *at;
	__u64 word = now->map + i * bpf_core_type_size(struct sbitmap_word);

	now->bits = READ(struct sbitmap_word, word, word) &
		     ~READ(struct sbitmap_word, word, cleared);
	now->tag = now->first + (i << (now->shift & 31));
	if (now->bits)
		bpf_loop(64, count_tag, at, 0);
	return is_over(now);
}

static long count_tags(__u32 i, struct counting **at)
{
	struct counting *now = *at;
	__u64 tags = pointer_at(now->tags + i * sizeof(void *));
	__u32 words;

	if (!tags)
		return 0;
	words = READ(struct blk_mq_tags, tags, bitmap_tags.sb.map_nr);
	now->shift = READ(struct blk_mq_tags, tags, bitmap_tags.sb.shift);
	now->map = (__u64)READ(struct blk_mq_tags, tags, bitmap_tags.sb.map);
	now->first = READ(struct blk_mq_tags, tags, nr_reserved_tags);
	now->requests = (__u64)READ(struct blk_mq_tags, tags, rqs);
	if (words > now->words_left) {
		words = now->words_left;
		now->is.is_cut = 1;
	}
	now->words_left -= words;
	bpf_loop(words, count_word, at, 0);
	return is_over(now) || !now->words_left;
}

/* Set @others of the I/O with @key: what the device of @rq has in flight now. @whose:
 * for is_own(). */
static __noinline int count_others(__u64 rq, __u64 whose, __u64 key, struct tw_others *others,
				    const struct viewer *viewer)
{
	__u32 zero = 0, queues;
	struct counting *now = bpf_map_lookup_elem(&countings, &zero);
	__u64 begun_ns = bpf_ktime_get_ns();
	__u64 set;

	if (!now || !others || !viewer)
		return 0;
	__builtin_memset(now, 0, sizeof(*now));
	now->queue = (__u64)READ(struct request, rq, q);
	now->whose = whose;
	now->left = MAX_TAGS;
	now->words_left = MAX_WORDS;
	set = (__u64)READ(struct request_queue, now->queue, tag_set);
	if (!set)
		return 0;
	/* With shared tags all members of the array are the same. */
	queues = READ(struct blk_mq_tag_set, set, shared_tags) ? 1 :
		 READ(struct blk_mq_tag_set, set, nr_hw_queues);
	now->tags = (__u64)READ(struct blk_mq_tag_set, set, tags);
	bpf_loop(queues < MAX_QUEUES ? queues : MAX_QUEUES, count_tags, &now, 0);
	find_who(now, viewer);
	now->is.key = key;
	now->is.counting_ns = (__u32)(bpf_ktime_get_ns() - begun_ns);
	*others = now->is;
	return 0;
}

#endif
