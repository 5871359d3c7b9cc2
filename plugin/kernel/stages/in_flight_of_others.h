/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What else a device had in flight when it got an I/O. The program in the kernel counts this
 * when the first request of a chosen I/O goes to the driver, and only if a job has
 * tw_causes=1. There is one struct tw_others for each io_u, by its index, in memory that the
 * engine maps, too.
 */
#ifndef TW_PLUGIN_KERNEL_STAGES_IN_FLIGHT_OF_OTHERS_H
#define TW_PLUGIN_KERNEL_STAGES_IN_FLIGHT_OF_OTHERS_H

#ifndef __bpf__
#include <jansson.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>
#endif

#include "kernel/who.h"

/* Kinds of requests. In the order of enum tw_time from TW_WITH_READS on. */
enum tw_others_kind {
	TW_OTHERS_READS,
	TW_OTHERS_WRITES,
	TW_OTHERS_FLUSHES,	/* have no bytes */
	TW_OTHERS_DISCARDS,	/* and zeroes to be written */
	TW_OTHERS_COMMANDS,	/* commands of a driver, zones */
	TW_OTHERS_KINDS,
	TW_OTHERS_NONE = TW_OTHERS_KINDS,
};

struct tw_others {
	/* user_data of the I/O, or when the bio of a wait was dispatched; another key: not known */
	__u64 key;
	/* In flight at the device for others than the I/O's ring, or the followed processes: */
	__u64 bytes[TW_OTHERS_KINDS];
	__u32 requests[TW_OTHERS_KINDS];
	__u32 own;		/* requests in flight of that ring or these processes */
	__u32 counting_ns;		/* how long it took to count them */
	__u16 requeues;		/* the driver was busy, and took a request later */
	__u16 is_cut;		/* not all were counted */
	/* Of the owners that were told apart, the one with most of tw_others_kind(). */
	struct tw_who who;
};

/*
 * Return the kind of most of the requests of others, or TW_OTHERS_NONE: the kind with the most
 * bytes. If there is a flush, the kind is flushes: how much a device writes for a flush is not
 * known, and other requests wait for it.
 */
static inline enum tw_others_kind tw_others_kind(const struct tw_others *others)
{
	enum tw_others_kind most = TW_OTHERS_NONE;
	unsigned kind;

	if (others->requests[TW_OTHERS_FLUSHES])
		return TW_OTHERS_FLUSHES;
	for (kind = 0; kind < TW_OTHERS_KINDS; kind++)
		if (others->requests[kind] && (most == TW_OTHERS_NONE ||
		    others->bytes[kind] > others->bytes[most]))
			most = (enum tw_others_kind)kind;
	return most;
}

#ifndef __bpf__
/* Return who it is; NULL: not known. */
json_t *tw_who_to_json(const struct tw_who *who);

/* Return what else the device had in flight; NULL: not known. */
json_t *tw_others_to_json(const struct tw_others *others);

/* The time in the device of the I/Os that had requests of one owner in front of them. */
struct tw_others_sum {
	uint64_t ns;		/* the first member, by which they are sorted */
	uint64_t ios;
	unsigned direction;
	enum tw_others_kind kind;
	struct tw_who who;
};

#define TW_OTHERS_SUMS_MOST	64	/* a further one replaces that with the least ns */
#define TW_OTHERS_SUMS_SHOWN	16	/* that are written, the longest */

struct tw_others_sums {
	unsigned count;
	struct tw_others_sum all[TW_OTHERS_SUMS_MOST];
};

/* Add the time @ns of @ios I/Os to the owner that @others names, if it names one. */
void tw_others_sum_add(struct tw_others_sums *others_sums, unsigned direction,
		   const struct tw_others *others, uint64_t ns, uint64_t ios);

/* Add the time of @ios I/Os to the owner @who, if it has a name. */
void tw_others_sum_add_who(struct tw_others_sums *others_sums, unsigned direction,
		       enum tw_others_kind kind, const struct tw_who *who, uint64_t ns,
		       uint64_t ios);

/* Return the sums of syncs that waited for commits. Their times are those in `journal`, and
 * their kind means nothing. */
json_t *tw_commits_to_json(struct tw_others_sums *commits);

/* Return the sums of a report's only job, the longest first; NULL without memory. */
json_t *tw_others_sums_to_json(struct tw_others_sums *others_sums);

/* True if the owner that is named has half of the kind or more: of its bytes, or of its requests
 * if it has no bytes. */
static inline bool tw_others_has_one(const struct tw_others *others)
{
	const enum tw_others_kind kind = tw_others_kind(others);

	return kind != TW_OTHERS_NONE && (others->bytes[kind] ?
		2 * others->who.bytes >= others->bytes[kind] :
		2 * (uint64_t)others->who.requests >= others->requests[kind]);
}

/* True if not all was counted, and nothing was found: the I/O may have been alone, or not. */
static inline bool tw_others_are_unknown(const struct tw_others *others)
{
	return others->is_cut && tw_others_kind(others) == TW_OTHERS_NONE;
}
#endif

#endif
