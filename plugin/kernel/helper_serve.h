/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Serve one connection of the helper, in a process of its own.
 */
#ifndef TW_PLUGIN_KERNEL_HELPER_SERVE_H
#define TW_PLUGIN_KERNEL_HELPER_SERVE_H

#include <sys/socket.h>

/**
 * tw_helper_serve - serve the fio at the other end of @socket_fd until it ends
 * @helper_fd: becomes readable when the helper itself ends
 * @proc_fd: from tw_helper_open_proc()
 * @fio: the process at the other end, from the kernel (SO_PEERCRED)
 *
 * It gives up all privileges as soon as the program is loaded. The caller has to end
 * afterwards; the end of the process releases everything.
 */
void tw_helper_serve(int socket_fd, int helper_fd, int proc_fd, const struct ucred *fio);

/* Open a /proc of the helper's own, which shows all processes to user 65534, even if the
 * machine's /proc hides them (hidepid=). If the helper may not mount it, open the machine's
 * /proc. -1: neither is possible. */
int tw_helper_open_proc(void);

/* Refuse a connection: send @why as the answer to the first question. */
void tw_helper_refuse(int socket_fd, const char *why);

#endif
