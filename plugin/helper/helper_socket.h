/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The socket on which the helper listens: at a path where no other user can put another
 * one, and open to its guests alone.
 */
#ifndef TW_PLUGIN_KERNEL_HELPER_SOCKET_H
#define TW_PLUGIN_KERNEL_HELPER_SOCKET_H

#include <sys/stat.h>

#include "helper_peer.h"

struct tw_helper_socket {
	const char *path;
	int fd;
	char *made_folder;	/* removed at the end */
	struct stat bound;	/* what is at the path since it was opened */
};

/* Check that the helper can listen at the path, make its folder, and remove the socket of a
 * helper that was killed. Return 0, or an exit code after a message. */
int tw_helper_socket_check(struct tw_helper_socket *listening);

/* Open the socket. Return 0, or an exit code after a message. */
int tw_helper_socket_open(struct tw_helper_socket *listening,
			  const struct tw_helper_guests *guests);

/* Remove the socket and its folder. The end of the process closes the socket. */
void tw_helper_socket_remove(struct tw_helper_socket *listening);

#endif
