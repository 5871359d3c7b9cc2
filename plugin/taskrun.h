/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a watched ring needs of the kernel, and names that older headers lack.
 */
#ifndef TW_PLUGIN_TASKRUN_H
#define TW_PLUGIN_TASKRUN_H

/* IORING_SETUP_ */
#define TW_COOP_TASKRUN		(1U << 8)
#define TW_TASKRUN_FLAG		(1U << 9)
#define TW_SINGLE_ISSUER	(1U << 12)
#define TW_DEFER_TASKRUN	(1U << 13)

/**
 * tw_taskrun_try - does this kernel's flag mean what its use relies on?
 *
 * Two timers expire while nobody is in the kernel: the flag must be up then,
 * and the older one's entry must come first. Takes some 100 us.
 *
 * Return: 0; -EINVAL: no such ring (before Linux 6.1); -EILSEQ: the newest comes
 * first (before Linux 6.5); -EPROTO: it means something else; another -errno of
 * setting up a ring.
 */
int tw_taskrun_try(void);

#endif
