/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Serve one connection of the helper, in a process of its own.
 */
#ifndef TW_PLUGIN_KERNEL_HELPER_SERVE_H
#define TW_PLUGIN_KERNEL_HELPER_SERVE_H

#include <stdatomic.h>
#include <stdint.h>
#include <sys/socket.h>

struct tw_helper_connection {
	int socket_fd;
	int fio_fd;		/* a pidfd of the process at the other end */
	int proc_fd;		/* from tw_helper_open_proc() */
	pid_t parent;
	struct ucred fio;	/* that process, from the kernel (SO_PEERCRED) */
	/* The maps of all places, shared with the main process. While that of @place is
	 * not 0, there is no room for another one. */
	_Atomic(uint32_t) *maps;
	unsigned place;
};

/**
 * tw_helper_serve - serve a fio until it hangs up
 *
 * It gives up all privileges as soon as the program is loaded. The caller has to end
 * afterwards; the end of the process releases everything. The main process ends it when
 * the fio ends.
 */
void tw_helper_serve(const struct tw_helper_connection *connection);

/* Let the kernel end this process with its parent. A change of the user undoes this. */
void tw_helper_end_with(pid_t parent);

/* Open a /proc of the helper's own, which shows all processes to user 65534, even if the
 * machine's /proc hides them (hidepid=). If the helper may not mount it, open the machine's
 * /proc. -1: neither is possible. */
int tw_helper_open_proc(void);

/* Refuse a connection: send @why as the answer to the first question. */
void tw_helper_refuse(int socket_fd, const char *why);

#endif
