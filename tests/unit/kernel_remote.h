/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For kernel_remote.c alone: how long the engine waits for the helper's answer. A busy
 * machine may take long, but for the case where none comes.
 */
#ifndef TW_KERNEL_REMOTE_TEST_H
#define TW_KERNEL_REMOTE_TEST_H

extern unsigned answer_ms;
#define ANSWER_MS	answer_ms

#endif
