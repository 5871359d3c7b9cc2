/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who asks the helper, and what may be asked: the checks of `tickwise kernel-helper`.
 * What a program says of itself counts for nothing. The kernel vouches for the sender
 * of each message: a process of the sender's own namespace, which only root there can
 * choose. /proc has the rest.
 */
#ifndef TW_PLUGIN_KERNEL_HELPER_PEER_H
#define TW_PLUGIN_KERNEL_HELPER_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "helper_protocol.h"

/* What /proc/PID/status says. */
struct tw_helper_status {
	pid_t process;		/* Tgid */
	pid_t parent;
	uid_t users[4];		/* real, effective, saved, of files */
	unsigned levels;	/* namespaces of processes that it is in, from ours on */
	pid_t own_number;	/* of this thread, in the last of them */
};

/* 0; -EINVAL: the text is none, or is cut off. */
int tw_helper_read_status(const char *text, struct tw_helper_status *status);

/* What the connection of a fio is about. */
struct tw_helper_peer {
	pid_t process;
	uid_t user;
	unsigned levels;
};

/* NULL, or why this process is not the peer itself. */
const char *tw_helper_check_peer(const struct tw_helper_peer *peer,
				 const struct tw_helper_status *status);

/* NULL, or why this process may not announce rings: it is neither the peer nor its
 * child, or another user's. */
const char *tw_helper_check_sender(const struct tw_helper_peer *peer, uid_t user,
				   const struct tw_helper_status *status);

/* Slots that one connection has, and has given away. */
struct tw_helper_room {
	uint32_t slots, given;
};

/* NULL, or why the question has no answer. @size: bytes that came. */
const char *tw_helper_check_question(const struct tw_helper_question *question,
				     size_t size, const struct tw_helper_room *room);

#endif
