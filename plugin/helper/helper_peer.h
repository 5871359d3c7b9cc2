/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The checks of `tickwise kernel-helper`: who asks, and what may be asked. The helper does
 * not believe what a program tells about itself. The kernel vouches for the sender of each
 * message: it is a process of the sender's own namespace, and only root in this namespace
 * can choose which. /proc has the rest.
 */
#ifndef TW_PLUGIN_KERNEL_HELPER_PEER_H
#define TW_PLUGIN_KERNEL_HELPER_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "kernel/helper_protocol.h"

/* The contents of /proc/PID/status. */
struct tw_helper_status {
	pid_t process;		/* Tgid */
	pid_t parent;
	uid_t users[4];		/* real, effective, saved, of files */
	unsigned levels;	/* pid namespaces, from the helper's to its own */
	pid_t own_number;	/* of this thread, in its own namespace */
};

/* Read the status. Return 0, or -EINVAL if @text is not a status or is cut off. */
int tw_helper_read_status(const char *text, struct tw_helper_status *status);

/* The fio at the other end of a connection. */
struct tw_helper_peer {
	pid_t process;
	uid_t user;
	unsigned levels;
};

/* Return NULL, or the reason why this process is not the peer itself. */
const char *tw_helper_check_peer(const struct tw_helper_peer *peer,
				 const struct tw_helper_status *status);

/* Return NULL, or the reason why this process may not announce rings: it is neither the
 * peer nor its child, or belongs to another user. */
const char *tw_helper_check_sender(const struct tw_helper_peer *peer, uid_t user,
				   const struct tw_helper_status *status);

/* Who may connect: root, the user who started the helper, and the members of a group or
 * one user. */
struct tw_helper_guests {
	uid_t self, user;
	gid_t group;
	bool has_group;		/* then @user has no meaning */
};

/* @groups: all of the process, those of its ids, too. */
bool tw_helper_is_guest(const struct tw_helper_guests *guests, uid_t user,
			const gid_t *groups, size_t count);

/* Limits on the number of fios, since the program of each fio runs at each I/O of this
 * machine, and each has memory of the kernel. */
#define TW_HELPER_PLACES		8
#define TW_HELPER_PLACES_OF_USER	4

/* A place for a fio. It stays its user's until nobody has its memory any more. */
struct tw_helper_place {
	pid_t process;		/* that serves; 0: none */
	uid_t user;
	uint32_t old_map;	/* the memory of a fio that has ended; 0: it is gone */
};

/* Return the place for another fio of @user, or -1. If it has an old map, the fio has to
 * wait until that is gone. */
int tw_helper_find_place(const struct tw_helper_place places[TW_HELPER_PLACES],
			 uid_t user);

/* The slots of a connection, and how many of them are in use. */
struct tw_helper_room {
	uint32_t slots, given;
};

/* Return NULL, or the reason why the question is refused. @size: bytes received. */
const char *tw_helper_check_question(const struct tw_helper_question *question,
				     size_t size, const struct tw_helper_room *room);

#endif
