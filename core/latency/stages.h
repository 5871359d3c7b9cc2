/* SPDX-License-Identifier: MIT */
/*
 * The only list of the stages of an I/O. The engine stamps them, a report has a
 * histogram of each under its name, and `tickwise report` prints them in this
 * order. "How to add a stage" in plugin/README.md lists what else must change
 * when a stage is added.
 */
#ifndef TW_LATENCY_STAGES_H
#define TW_LATENCY_STAGES_H

/*
 * STAGE(constant, name, from when to when). Stages do not overlap, and add up
 * to lat. Those from submit to reap are inside the kernel. An I/O has these
 * five, or kernel in place of all of them. If a stamp is missing, it has kernel
 * in place of the stages around that stamp. Every I/O has the other stages.
 *
 * The order is that of time, except for kernel, which follows the stages that it stands for, and
 * for backlog, which is the first in time: the sums by lat have it apart (report/tally.h). Only
 * stages inside the kernel are between submit and reap.
 *
 * `tickwise attach` records blockq to complete, and kernel in place of them. It
 * does not see the program's calls, so its I/Os do not have the other stages.
 */
#define TW_EACH_STAGE(STAGE) \
	STAGE(QUEUE, queue, "from the end of fio's prep() to the call that submits the I/O") \
	STAGE(SUBMIT, submit, "from the submitting call until the kernel accepts the I/O") \
	STAGE(BLOCKQ, blockq, "from acceptance until the first request is dispatched to the driver") \
	STAGE(DEVICE, device, "from the dispatch until the block layer learns of the last completion") \
	STAGE(COMPLETE, complete, "from the block layer's last completion to the completion in the ring") \
	STAGE(REAP, reap, "from the completion in the ring until the engine sees it") \
	STAGE(KERNEL, kernel, "not split: submit to reap, or the stages around a missing stamp") \
	STAGE(DELIVER, deliver, "from when the engine sees the completion until getevents() returns") \
	STAGE(BACKLOG, backlog, "of an open loop (tw_rate_iops): from when the I/O is due to the end of prep()")

enum tw_stage {
#define TW_STAGE_AS_ENUM(constant, name, is)	TW_##constant,
	TW_EACH_STAGE(TW_STAGE_AS_ENUM)
#undef TW_STAGE_AS_ENUM
	TW_STAGES,
};

_Static_assert(TW_KERNEL == TW_REAP + 1, "kernel follows the stages it stands for");
_Static_assert(TW_BACKLOG + 1 == TW_STAGES, "the stages before it are in one cache line");

#define TW_INSIDE_STAGES	(TW_REAP - TW_SUBMIT + 1)

/* Return stage @n in order of time. */
static inline int tw_stage_in_time(int n)
{
	return (n + TW_BACKLOG) % TW_STAGES;
}

static inline int tw_stage_is_inside(int stage)
{
	return stage >= TW_SUBMIT && stage <= TW_REAP;
}

#endif
