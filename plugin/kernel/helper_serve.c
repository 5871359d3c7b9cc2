/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Serve one fio: see helper_serve.h and ../../SECURITY.md.
 *
 * The process reads a question, and the sender as the kernel names it, checks both, and
 * answers. It has the helper's privileges until the program is loaded, and takes only one
 * question until then. Afterwards it has no privileges.
 */
#include "helper_serve.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/mount.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "helper_peer.h"
#include "loader.h"
#include "text_file.h"

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD	77	/* Linux 6.5 */
#endif

#define FIRST_QUESTION_MS	10000
#define MAX_REFUSED		64	/* questions of a connection */
#define NOBODY			65534

struct serving {
	int socket_fd, helper_fd, fio_fd, proc_fd;
	struct tw_helper_peer peer;
	struct tw_helper_room room;
	struct tw_loader_owner owner;
	struct tw_loader *loader;
	unsigned refused;
};

struct question {
	struct tw_helper_question question;
	size_t size;
	struct ucred sender;
};

/* ---- who it is ---- */

static int read_status(int proc_fd, struct tw_helper_status *status,
		       const char *format, ...)
{
	static char text[65536];
	char path[64];
	va_list args;
	int file;

	va_start(args, format);
	vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	file = openat(proc_fd, path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return -errno;
	tw_text_fill(file, text, sizeof(text));
	close(file);
	return tw_helper_read_status(text, status);
}

static bool has_ended(int process_fd)
{
	struct pollfd ended = { .fd = process_fd, .events = POLLIN };

	return poll(&ended, 1, 0) != 0;
}

/* Open a descriptor of the process that connected. Kernels without SO_PEERPIDFD tell only
 * its number, which another process may have by now. So check_peer() compares the user. */
static int open_peer(int socket_fd, pid_t process)
{
	socklen_t size = sizeof(int);
	int fd;

	if (!getsockopt(socket_fd, SOL_SOCKET, SO_PEERPIDFD, &fd, &size))
		return fd;
	return (int)syscall(SYS_pidfd_open, process, 0);
}

int tw_helper_open_proc(void)
{
	const int context = (int)syscall(SYS_fsopen, "proc", FSOPEN_CLOEXEC);
	int fd = -1;

	if (context >= 0 &&
	    !syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		fd = (int)syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC,
				  MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV |
				  MOUNT_ATTR_NOEXEC);
	if (context >= 0)
		close(context);
	return fd >= 0 ? fd : open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static const char *find_peer(struct serving *s, const struct ucred *fio)
{
	struct tw_helper_status status;
	const char *why;
	char path[64];
	struct stat of;

	s->peer = (struct tw_helper_peer) { .process = fio->pid, .user = fio->uid };
	s->fio_fd = open_peer(s->socket_fd, fio->pid);
	snprintf(path, sizeof(path), "%d/ns/pid", (int)fio->pid);
	if (s->proc_fd < 0 || s->fio_fd < 0 ||
	    read_status(s->proc_fd, &status, "%d/status", (int)fio->pid) ||
	    fstatat(s->proc_fd, path, &of, 0))
		return "the process that asks can't be looked at";
	why = tw_helper_check_peer(&s->peer, &status);
	/* If the peer has not ended by now, the status that was read is the peer's. */
	if (!why && has_ended(s->fio_fd))
		why = "the process that asks is gone";
	s->peer.levels = status.levels;
	s->owner = (struct tw_loader_owner) {
		.space.device = of.st_dev,
		.space.inode = of.st_ino,
		.user = fio->uid,
	};
	return why;
}

/* True if @process has @thread, which is a number in the thread's own namespace. */
static bool has_thread(const struct serving *s, pid_t process, uint32_t thread)
{
	struct tw_helper_status status;
	struct dirent *entry;
	char path[64];
	bool has = false;
	DIR *threads;
	int fd;

	if (s->peer.levels == 1)
		return !read_status(s->proc_fd, &status, "%d/task/%u/status",
				    (int)process, thread) &&
		       status.process == process;
	snprintf(path, sizeof(path), "%d/task", (int)process);
	fd = openat(s->proc_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	threads = fd < 0 ? NULL : fdopendir(fd);
	if (!threads)
		return false;
	while (!has && (entry = readdir(threads)))
		has = entry->d_name[0] != '.' &&
		      !read_status(s->proc_fd, &status, "%d/task/%s/status",
				   (int)process, entry->d_name) &&
		      status.process == process &&
		      (uint32_t)status.own_number == thread;
	closedir(threads);
	return has;
}

static const char *check_sender(const struct serving *s, const struct question *q)
{
	const pid_t process = q->sender.pid;
	struct tw_helper_status status;
	const char *why;

	if (process <= 0 ||
	    read_status(s->proc_fd, &status, "%d/status", (int)process))
		return "the process that asks can't be looked at";
	why = tw_helper_check_sender(&s->peer, q->sender.uid, &status);
	if (!why && !has_thread(s, process, q->question.thread))
		why = "the thread is not the job's";
	/* If the fio has ended, its number may belong to another process with children. */
	if (!why && has_ended(s->fio_fd))
		why = "the fio that asked has ended";
	return why;
}

/* ---- privileges ---- */

static int drop_capabilities(void)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2] = { { 0 } };

	if (syscall(SYS_capset, &header, data))
		return -errno;
	data[0].permitted = ~0U;
	if (syscall(SYS_capget, &header, data))
		return -errno;
	return data[0].permitted || data[1].permitted ? -EPERM : 0;
}

/* Change to an unprivileged user, for whom /proc is the root of all files. */
static int drop_user(void)
{
	if (chroot("/proc") || chdir("/") || setgroups(0, NULL) ||
	    setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY))
		return -errno;
	return 0;
}

static int drop_privileges(void)
{
	const struct rlimit none = { 0, 0 };
	int error;

	/* Only root can change the user. */
	error = geteuid() == 0 ? drop_user() : 0;
	if (!error)
		error = drop_capabilities();
	if (!error && (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
		       prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) ||
		       setrlimit(RLIMIT_NPROC, &none) ||
		       setrlimit(RLIMIT_FSIZE, &none)))
		error = -errno;
	return error;
}

/* ---- questions and answers ---- */

static int send_answer(int socket_fd, const struct tw_helper_answer *answer, int fd)
{
	struct iovec data = { (void *)answer, sizeof(*answer) };
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { .bytes = { 0 } };
	struct msghdr message = { .msg_iov = &data, .msg_iovlen = 1 };

	if (fd >= 0) {
		message.msg_control = control.bytes;
		message.msg_controllen = sizeof(control.bytes);
		*CMSG_FIRSTHDR(&message) = (struct cmsghdr) {
			.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS,
			.cmsg_len = CMSG_LEN(sizeof(int)),
		};
		memcpy(CMSG_DATA(CMSG_FIRSTHDR(&message)), &fd, sizeof(fd));
	}
	/* A fio reads its answers. A peer that does not is not waited for. */
	return sendmsg(socket_fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ?
		-errno : 0;
}

void tw_helper_refuse(int socket_fd, const char *why)
{
	struct tw_helper_answer answer = { .version = TW_HELPER_VERSION };

	snprintf(answer.why, sizeof(answer.why), "%s", why);
	send_answer(socket_fd, &answer, -1);
}

/* Receive a question. Return 0, or -errno if no more will come. The buffer has room for
 * the sender only, so the kernel drops any descriptors in the message. */
static int receive(int socket_fd, struct question *q)
{
	struct iovec data = { &q->question, sizeof(q->question) };
	union {
		char bytes[CMSG_SPACE(sizeof(struct ucred))];
		struct cmsghdr align;
	} control;
	struct msghdr message = {
		.msg_iov = &data, .msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes),
	};
	const struct cmsghdr *header;
	ssize_t size;

	memset(q, 0, sizeof(*q));
	size = recvmsg(socket_fd, &message, MSG_DONTWAIT | MSG_TRUNC |
		       MSG_CMSG_CLOEXEC);
	if (size <= 0)
		return size < 0 ? -errno : -EPIPE;
	header = CMSG_FIRSTHDR(&message);
	if (!header || header->cmsg_level != SOL_SOCKET ||
	    header->cmsg_type != SCM_CREDENTIALS ||
	    header->cmsg_len != CMSG_LEN(sizeof(q->sender)))
		return -EPROTO;
	memcpy(&q->sender, CMSG_DATA(header), sizeof(q->sender));
	q->size = (size_t)size;
	return 0;
}

/* Tell the fio that the program is being loaded, so that it waits longer. */
static int say_loading(int socket_fd, uint32_t number)
{
	const struct tw_helper_answer answer = {
		.version = TW_HELPER_VERSION, .number = number,
		.is_loading = 1,
	};

	return send_answer(socket_fd, &answer, -1);
}

/* Give up all privileges. Return NULL, or the reason why the helper can't serve without
 * them. */
static const char *give_up_privileges(const struct serving *s)
{
	struct tw_helper_status status;

	if (drop_privileges())
		return "the helper can't give up its privileges";
	if (read_status(s->proc_fd, &status, "%d/status", (int)s->peer.process))
		return "without privileges the helper can't look at processes: /proc "
		       "hides them (hidepid=)";
	return NULL;
}

static const char *load(struct serving *s, const struct question *q)
{
	const char *why;
	int error;

	if (q->sender.pid != s->peer.process || q->sender.uid != s->peer.user)
		return "the job is no child of the fio that asked";
	if (say_loading(s->socket_fd, q->question.number))
		return "the fio that asked has ended";
	error = tw_loader_load(&s->loader, q->question.entries, &s->owner);
	if (error)
		return tw_program_reason(error, false);
	why = give_up_privileges(s);
	if (why) {
		tw_loader_free(s->loader);
		s->loader = NULL;
		return why;
	}
	s->room.slots = q->question.entries;
	return NULL;
}

static const char *expect(struct serving *s, const struct question *q,
			  uint32_t *base)
{
	const char *why = check_sender(s, q);

	if (why)
		return why;
	*base = s->room.given;
	if (tw_loader_expect(s->loader, q->question.thread, *base,
			     q->question.entries))
		return "the ring could not be announced to the kernel";
	s->room.given += q->question.entries;
	return NULL;
}

static const char *made(struct serving *s, const struct question *q)
{
	const char *why = check_sender(s, q);
	uint64_t ring;		/* an address of the kernel, not sent to the fio */

	if (!why && !tw_loader_made(s->loader, q->question.thread, &ring))
		why = "the kernel's program did not see the ring";
	return why;
}

/* Answer a question. Return 0, or -errno if the connection has ended. */
static int answer(struct serving *s, const struct question *q)
{
	struct tw_helper_answer answer = {
		.version = TW_HELPER_VERSION,
		.number = q->question.number,
	};
	const char *why;
	int fd = -1;

	why = tw_helper_check_question(&q->question, q->size, &s->room);
	if (!why && q->question.what == TW_HELPER_LOAD) {
		why = load(s, q);
		if (!why)
			fd = tw_loader_slots(s->loader);
	} else if (!why && q->question.what == TW_HELPER_EXPECT) {
		why = expect(s, q, &answer.base);
	} else if (!why) {
		why = made(s, q);
	}
	if (why)
		snprintf(answer.why, sizeof(answer.why), "%s", why);
	s->refused += why != NULL;
	if (s->refused > MAX_REFUSED)
		return -EPROTO;
	return send_answer(s->socket_fd, &answer, fd);
}

static void serve(struct serving *s)
{
	struct question question;

	for (;;) {
		struct pollfd events[] = {
			{ .fd = s->socket_fd, .events = POLLIN },
			{ .fd = s->helper_fd, .events = POLLIN },
			{ .fd = s->fio_fd, .events = POLLIN },
		};

		if (poll(events, 3, s->loader ? -1 : FIRST_QUESTION_MS) <= 0 ||
		    events[1].revents || events[2].revents ||
		    receive(s->socket_fd, &question) || answer(s, &question))
			return;
		/* Without a program there is nothing to serve. */
		if (!s->loader)
			return;
	}
}

void tw_helper_serve(int socket_fd, int helper_fd, int proc_fd, const struct ucred *fio)
{
	struct serving s = {
		.socket_fd = socket_fd, .helper_fd = helper_fd, .proc_fd = proc_fd,
	};
	const char *why = find_peer(&s, fio);

	if (why)
		tw_helper_refuse(socket_fd, why);
	else
		serve(&s);
}
