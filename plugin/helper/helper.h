/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of `tickwise kernel-helper` have in common: the checks (helper_peer.c),
 * the socket (helper_socket.c) and the process of a connection (helper_serve.c). The socket
 * asks helper.c who the guests are, and reports its failures there.
 */
#ifndef TW_PLUGIN_HELPER_HELPER_H
#define TW_PLUGIN_HELPER_HELPER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "command/command.h"
#include "command/own_files.h"
#include "helper/client/helper_protocol.h"

#define fail(code, ...)	\
	tw_command_fail(tw_kernel_helper_options.command, code, __VA_ARGS__)

#define TW_HELPER_ROOT	((uid_t)0)

/* ---- helper_peer.c: who asks, and what may be asked ----
 *
 * The helper does not believe what a program tells about itself. The kernel vouches for the
 * sender of each message: it is a process of the sender's own namespace, and only root in
 * this namespace can choose which. /proc has the rest. */

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

/* The entries of a connection, and how many of them are in use. */
struct tw_helper_room {
	uint32_t entries, given;
};

/* Return NULL, or the reason why the question is refused. @size: bytes received. */
const char *tw_helper_check_question(const struct tw_helper_question *question,
				     size_t size, const struct tw_helper_room *room);

/* At most this many lines are printed in this time: a user who is let in can connect again
 * and again. */
#define TW_HELPER_LOG_LINES	20
#define TW_HELPER_LOG_S		60

struct tw_helper_lines {
	uint64_t begin_s;	/* of the current time */
	unsigned printed, left_out;
};

/* Return true if a line may be printed at @now_s. @left_out: how many before it were not. */
bool tw_helper_may_print(struct tw_helper_lines *lines, uint64_t now_s,
			 unsigned *left_out);

/* ---- helper_found.c: what can be measured on this kernel ---- */

enum tw_helper_need {
	TW_NEED_FUNCTION,	/* in /proc/kallsyms, also of a loaded module */
	TW_NEED_TYPE,		/* its offsets are known (kernel/stages/stacked_bio_offsets.h) */
	TW_NEED_TRACEPOINT,
	TW_NEED_ENTRY,		/* a program may run where the function begins */
};

/* Return 1: the kernel has it; 0: it has not; -1: not known. */
typedef int tw_helper_has(void *context, enum tw_helper_need need, const char *name);

/* Return whether @symbols, the text of /proc/kallsyms, has the function. */
bool tw_helper_has_symbol(const char *symbols, const char *name);

/* Print to @out which I/Os can be split on this kernel, which causes are found and which
 * parts of syncs, and what each of the others lacks. What is not known is left out. */
void tw_helper_print_found(tw_helper_has *has, void *context, FILE *out);

/* ---- helper_socket.c: a path where no other user can put another socket ---- */

struct tw_helper_socket {
	const char *path;
	int fd;
	struct sockaddr_un address;
	char *made_folder;	/* removed at the end */
	struct stat bound;	/* what is at the path since it was opened */
};

/* Check that the helper can listen at the path, make its folder, and remove the socket of a
 * helper that was killed. Return 0, or an exit code after a message. */
int tw_helper_socket_check(struct tw_helper_socket *listening);

/* Open the socket, for its guests alone. Return 0, or an exit code after a message. */
int tw_helper_socket_open(struct tw_helper_socket *listening,
			  const struct tw_helper_guests *guests);

/* Remove the socket and its folder. The end of the process closes the socket. */
void tw_helper_socket_remove(struct tw_helper_socket *listening);

/* ---- helper_serve.c: one connection, in a process of its own ---- */

struct tw_helper_connection {
	int socket_fd;
	const char *why;	/* it is refused; else NULL */
	int fio_fd;		/* a pidfd of the process at the other end; or -1 */
	int proc_fd;		/* /proc, where user 65534 sees all processes; or -1 */
	pid_t parent;
	struct ucred fio;	/* that process, from the kernel (SO_PEERCRED) */
	/* The maps of all places, shared with the main process. While that of @place is
	 * not 0, there is no room for another one. */
	_Atomic(uint32_t) *maps;
	int place;
};

/* Serve a fio until it hangs up, without any privilege as soon as the program is loaded.
 * Or refuse it: send the reason as the answer to the first question, which is not read.
 * The caller has to end afterwards, which releases everything. The main process ends it
 * when the fio ends. */
void tw_helper_serve(const struct tw_helper_connection *connection);

/* Let the kernel end this process with its parent. A change of the user undoes this. */
void tw_helper_end_with(pid_t parent);

#endif
