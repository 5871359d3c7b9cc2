/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Serve one fio: see helper.h and ../../SECURITY.md.
 *
 * The process reads a question, and the sender as the kernel names it, checks both, and
 * answers. It has the helper's privileges until the program is loaded, and takes only one
 * question until then. Afterwards it has no privileges.
 */
#include "helper.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel/stages/kernel_stages.h"
#include "text_file.h"

#define FIRST_QUESTION_MS	10000
/* The kernel frees memory a little after its last user has ended. */
#define OLD_MEMORY_MS		20000
#define LOOK_MS			20
#define MAX_REFUSED		64	/* questions of a connection */
#define NOBODY			65534

struct serving {
	const struct tw_helper_connection *to;
	struct tw_helper_peer peer;
	struct tw_helper_room room;
	struct tw_loader_owner owner;
	struct tw_stages *loader;
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

static const char *find_peer(struct serving *s)
{
	const struct ucred *fio = &s->to->fio;
	struct tw_helper_status status;
	const char *why;
	char path[64];
	struct stat of;

	s->peer = (struct tw_helper_peer) { .process = fio->pid, .user = fio->uid };
	snprintf(path, sizeof(path), "%d/ns/pid", (int)fio->pid);
	if (s->to->proc_fd < 0 ||
	    read_status(s->to->proc_fd, &status, "%d/status", (int)fio->pid) ||
	    fstatat(s->to->proc_fd, path, &of, 0))
		return "the process that asks can't be looked at";
	why = tw_helper_check_peer(&s->peer, &status);
	/* If the peer has not ended by now, the status that was read is the peer's. */
	if (!why && has_ended(s->to->fio_fd))
		why = "the process that asks is gone";
	s->peer.levels = status.levels;
	s->owner = (struct tw_loader_owner) { .namespace_inode = of.st_ino, .user = fio->uid };
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
		return !read_status(s->to->proc_fd, &status, "%d/task/%u/status",
				    (int)process, thread) &&
		       status.process == process;
	snprintf(path, sizeof(path), "%d/task", (int)process);
	fd = openat(s->to->proc_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	threads = fd < 0 ? NULL : fdopendir(fd);
	if (!threads) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	while (!has && (entry = readdir(threads)))
		has = entry->d_name[0] != '.' &&
		      !read_status(s->to->proc_fd, &status, "%d/task/%s/status",
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
	    read_status(s->to->proc_fd, &status, "%d/status", (int)process))
		return "the process that asks can't be looked at";
	why = tw_helper_check_sender(&s->peer, q->sender.uid, &status);
	if (!why && !has_thread(s, process, q->question.thread))
		why = "the thread is not the job's";
	/* If the fio has ended, its number may belong to another process with children. */
	if (!why && has_ended(s->to->fio_fd))
		why = "the fio that asked has ended";
	return why;
}

/* ---- privileges ---- */

static bool drop_capabilities(void)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2] = { { 0 } };

	if (syscall(SYS_capset, &header, data))
		return false;
	data[0].permitted = ~0U;
	return !syscall(SYS_capget, &header, data) &&
	       !data[0].permitted && !data[1].permitted;
}

void tw_helper_end_with(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	/* It may have ended before, and then no signal comes. */
	if (getppid() != parent)
		_exit(1);
}

/* The capabilities go last. A process that has more of them than another one can't be
 * traced by it, and the change of the user lets the new user trace this process where
 * fs.suid_dumpable is 1. */
static bool drop_privileges(pid_t parent)
{
	const struct rlimit none = { 0, 0 };
	bool dropped = !prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0);

	/* Root becomes a user for whom /proc is the root of all files. */
	if (dropped && geteuid() == TW_HELPER_ROOT)
		dropped = !chroot("/proc") && !chdir("/") && !setgroups(0, NULL) &&
			  !setresgid(NOBODY, NOBODY, NOBODY) &&
			  !setresuid(NOBODY, NOBODY, NOBODY);
	dropped = dropped && !prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) &&
		  !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
		  !setrlimit(RLIMIT_NPROC, &none) && !setrlimit(RLIMIT_FSIZE, &none) &&
		  drop_capabilities();
	tw_helper_end_with(parent);
	return dropped;
}

/* ---- questions and answers ---- */

/* Send an answer, with a descriptor if @fd is not -1. False: the connection has ended. */
static bool send_answer(int socket_fd, const struct tw_helper_answer *answer, int fd)
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
	return sendmsg(socket_fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0;
}

/* Receive a question. False: no more will come, or it has descriptors, as there is room for
 * the sender only. Then the message stays in the socket: who receives it closes them, and
 * may have to wait for that. The end of the process closes them without. */
static bool receive(int socket_fd, struct question *q)
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
	char byte;

	memset(q, 0, sizeof(*q));
	size = recvmsg(socket_fd, &message, MSG_DONTWAIT | MSG_PEEK | MSG_TRUNC |
		       MSG_CMSG_CLOEXEC);
	if (size <= 0)
		return false;
	header = CMSG_FIRSTHDR(&message);
	if ((message.msg_flags & MSG_CTRUNC) || !header ||
	    header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_CREDENTIALS ||
	    header->cmsg_len != CMSG_LEN(sizeof(q->sender)))
		return false;
	memcpy(&q->sender, CMSG_DATA(header), sizeof(q->sender));
	q->size = (size_t)size;
	return recv(socket_fd, &byte, sizeof(byte), MSG_DONTWAIT) >= 0;
}

/* Wait until the memory that the place had before is gone. False: it stays. */
static bool has_room(const struct serving *s)
{
	struct pollfd fio = { .fd = s->to->socket_fd };	/* it may hang up */
	unsigned waited_ms;

	for (waited_ms = 0; atomic_load(&s->to->maps[s->to->place]);
	     waited_ms += LOOK_MS)
		if (waited_ms >= OLD_MEMORY_MS || poll(&fio, 1, LOOK_MS) != 0)
			return false;
	return true;
}

/* Give up all privileges. Return NULL, or the reason why this fio can't be served. */
static const char *prepare_to_serve(const struct serving *s)
{
	struct bpf_map_info map = { .id = 0 };
	uint32_t size = sizeof(map);
	struct tw_helper_status status;

	/* Tell the main process about the map, which takes a place as long as it exists. */
	if (bpf_obj_get_info_by_fd(tw_loader_stamps(s->loader), &map, &size))
		map.id = 0;
	atomic_store(&s->to->maps[s->to->place], map.id);
	munmap(s->to->maps, TW_HELPER_PLACES * sizeof(*s->to->maps));
	if (!map.id)
		return "the memory of the entries can't be counted";
	if (!drop_privileges(s->to->parent))
		return "the helper can't give up its privileges";
	if (read_status(s->to->proc_fd, &status, "%d/status", (int)s->peer.process))
		return "without privileges the helper can't look at processes: /proc "
		       "hides them (hidepid=)";
	return NULL;
}

static const char *load(struct serving *s, const struct question *q)
{
	/* The fio waits longer then. */
	const struct tw_helper_answer loading = {
		.version = TW_HELPER_VERSION, .number = q->question.number,
		.is_loading = 1,
	};
	const char *why;
	int error;

	if (q->sender.pid != s->peer.process || q->sender.uid != s->peer.user)
		return "the job is no child of the fio that asked";
	if (!send_answer(s->to->socket_fd, &loading, -1))
		return "the fio that asked has ended";
	if (!has_room(s))
		return "processes of this user still have the memory of earlier jobs";
	error = tw_loader_load(&s->loader, q->question.entries, &s->owner);
	if (error)
		return tw_program_reason(error, false);
	why = prepare_to_serve(s);
	if (why) {
		tw_loader_free(s->loader);
		s->loader = NULL;
		return why;
	}
	s->room.entries = q->question.entries;
	return NULL;
}

/* Announce a ring, or tell whether it was made. */
static const char *expect(struct serving *s, const struct question *q,
			  struct tw_helper_answer *answer)
{
	const char *why = check_sender(s, q);

	if (why)
		return why;
	if (q->question.what == TW_HELPER_MADE)
		return tw_loader_made(s->loader, q->question.thread) ? NULL :
			"the kernel's program did not see the ring";
	answer->base = s->room.given;
	if (tw_loader_expect(s->loader, q->question.thread, answer->base,
			     q->question.entries, &answer->ring))
		return "the ring could not be announced to the kernel";
	s->room.given += q->question.entries;
	return NULL;
}

/* Answer a question. False: the connection ends. */
static bool answer(struct serving *s, const struct question *q)
{
	struct tw_helper_answer answer = {
		.version = TW_HELPER_VERSION, .number = q->question.number,
	};
	const char *why;
	int fd = -1;

	why = tw_helper_check_question(&q->question, q->size, &s->room);
	if (!why && q->question.what == TW_HELPER_LOAD) {
		why = load(s, q);
		if (!why)
			fd = tw_loader_stamps(s->loader);
	} else if (!why) {
		why = expect(s, q, &answer);
	}
	if (why)
		snprintf(answer.why, sizeof(answer.why), "%s", why);
	s->refused += why != NULL;
	return s->refused <= MAX_REFUSED && send_answer(s->to->socket_fd, &answer, fd);
}

void tw_helper_serve(const struct tw_helper_connection *connection)
{
	struct pollfd event = { .fd = connection->socket_fd, .events = POLLIN };
	struct serving s = { .to = connection };
	const char *why = connection->why ? connection->why : find_peer(&s);
	struct tw_helper_answer refusal = { .version = TW_HELPER_VERSION };
	struct question question;

	if (why) {
		snprintf(refusal.why, sizeof(refusal.why), "%s", why);
		send_answer(event.fd, &refusal, -1);
		return;
	}
	do {
		if (poll(&event, 1, s.loader ? -1 : FIRST_QUESTION_MS) <= 0 ||
		    !receive(event.fd, &question) || !answer(&s, &question))
			return;
		/* Without a program there is nothing to serve. */
	} while (s.loader);
}
