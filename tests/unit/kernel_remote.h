/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For kernel_remote.c alone: how long the engine waits for the helper's answer, and
 * for the end of its loading. A busy machine may take long, but not in the cases
 * where no answer comes.
 */
#ifndef TW_KERNEL_REMOTE_TEST_H
#define TW_KERNEL_REMOTE_TEST_H

extern unsigned answer_ms;
#define ANSWER_MS	answer_ms
extern unsigned load_ms;
#define LOAD_MS		load_ms

#endif
