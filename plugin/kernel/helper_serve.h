/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One connection of the helper, in a process of its own.
 */
#ifndef TW_PLUGIN_KERNEL_HELPER_SERVE_H
#define TW_PLUGIN_KERNEL_HELPER_SERVE_H

#include <sys/socket.h>

/**
 * tw_helper_serve - serve the fio at the other end of @socket_fd until it ends
 * @helper_fd: becomes readable when the helper itself ends
 * @proc_fd: of tw_helper_open_proc()
 * @fio: as the kernel has it (SO_PEERCRED)
 *
 * Gives up all privileges as soon as the program is loaded. What it holds ends with
 * the process, which is to end after it.
 */
void tw_helper_serve(int socket_fd, int helper_fd, int proc_fd, const struct ucred *fio);

/* A /proc of the helper's own, which shows all processes to user 65534, also where that of
 * the machine hides them (hidepid=). The machine's where nothing may be mounted. -1: none. */
int tw_helper_open_proc(void);

/* Sends the answer @why to whatever is asked first. */
void tw_helper_refuse(int socket_fd, const char *why);

#endif
