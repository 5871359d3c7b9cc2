/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ask `tickwise kernel-helper`: see helper_protocol.h.
 *
 * All jobs of a fio share one connection. They also share a lock that keeps
 * each question together with its answer. A job that dies with the lock does no
 * harm: the lock is robust, and an answer that comes too late has another
 * number.
 */
#include "helper_protocol.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "command/own_files.h"
#include "timespec.h"

#ifndef ANSWER_MS
#define ANSWER_MS	3000
#endif
/* Loading takes some tenths of a second, on an emulated machine some seconds.
 * The time counts from the helper's message that it loads. */
#ifndef LOAD_MS
#define LOAD_MS		30000
#endif

/* What all jobs share. */
struct shared {
	pthread_mutex_t lock;
	uint32_t number;	/* of the last question */
	bool is_silent;		/* the helper did not answer in time, or has ended */
};

static int socket_fd = -1;
static struct shared *shared;

static int64_t now_ms(void)
{
	return (int64_t)(tw_clock_id_ns(CLOCK_MONOTONIC) / 1000000);
}

static int share(void)
{
	pthread_mutexattr_t attributes;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return -errno;
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&shared->lock, &attributes);
	pthread_mutexattr_destroy(&attributes);
	return 0;
}

/* ---- messages ---- */

static void drop(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Receive the next message. @fd: the descriptor that came with it, or -1. */
static int receive(struct tw_helper_answer *answer, int *fd)
{
	struct iovec data = { answer, sizeof(*answer) };
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control;
	struct msghdr message = {
		.msg_iov = &data, .msg_iovlen = 1,
		.msg_control = control.bytes,
		/* Without the room behind it, in which a second descriptor would fit. */
		.msg_controllen = CMSG_LEN(sizeof(int)),
	};
	const struct cmsghdr *header;
	ssize_t size = recvmsg(socket_fd, &message,
			       MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	*fd = -1;
	if (size < 0)
		return -errno;
	header = CMSG_FIRSTHDR(&message);
	if (header && header->cmsg_level == SOL_SOCKET &&
	    header->cmsg_type == SCM_RIGHTS &&
	    header->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(fd, CMSG_DATA(header), sizeof(*fd));
	if (size == (ssize_t)sizeof(*answer) &&
	    answer->version == TW_HELPER_VERSION &&
	    memchr(answer->why, '\0', sizeof(answer->why)))
		return 0;
	drop(fd);
	return size ? -EPROTO : -EPIPE;
}

/* Wait for the answer. A helper that refuses does so before it reads the
 * question, which resets the connection. What it has sent can be read after
 * that. When the time is over, one more message is read, if it is there. */
static int wait_for_answer(uint32_t number, bool may_load,
			   struct tw_helper_answer *answer, int *fd)
{
	struct pollfd event = { .fd = socket_fd, .events = POLLIN };
	int64_t end_ms = now_ms() + ANSWER_MS, left_ms;
	bool was_reset = false;
	int error;

	for (;;) {
		left_ms = end_ms - now_ms();
		if (poll(&event, 1, left_ms > 0 ? (int)left_ms : 0) == 0)
			return -ETIMEDOUT;
		error = receive(answer, fd);
		if (error == -ECONNRESET && !was_reset)
			was_reset = true;
		else if (error && error != -EAGAIN && error != -EINTR)
			return error;
		/* Number 0: the connection is refused as a whole. */
		else if (!error && !answer->is_loading &&
			 (answer->number == number || !answer->number))
			return 0;
		else
			drop(fd);
		/* Only once: otherwise this could go on for ever. */
		if (!error && answer->is_loading && may_load) {
			may_load = false;
			end_ms = now_ms() + LOAD_MS;
		} else if (left_ms <= 0) {
			return -ETIMEDOUT;
		}
	}
}

static int ask_locked(struct tw_helper_question *question,
		      struct tw_helper_answer *answer, int *fd)
{
	if (shared->is_silent)
		return -EPIPE;
	question->version = TW_HELPER_VERSION;
	question->number = ++shared->number;
	/* A helper that has hung up may have sent the reason before. */
	if (send(socket_fd, question, sizeof(*question),
		 MSG_DONTWAIT | MSG_NOSIGNAL) < 0 && errno != EPIPE &&
	    errno != ECONNRESET)
		return -errno;
	return wait_for_answer(question->number, question->what == TW_HELPER_LOAD,
			       answer, fd);
}

/* Ask a question. Return 0; -errno with @why. */
static int ask(struct tw_helper_question question, struct tw_helper_answer *answer,
	       int *fd, char why[TW_KERNEL_WHY])
{
	const struct timespec end = tw_timespec_of(tw_clock_id_ns(CLOCK_MONOTONIC) +
						   ANSWER_MS * 1000000ULL);
	int error = pthread_mutex_clocklock(&shared->lock, CLOCK_MONOTONIC, &end);

	if (error == EOWNERDEAD)
		error = pthread_mutex_consistent(&shared->lock);
	if (!error) {
		error = -ask_locked(&question, answer, fd);
		/* The other jobs need not wait as long. */
		if (error)
			shared->is_silent = true;
		pthread_mutex_unlock(&shared->lock);
	}
	if (error) {
		snprintf(why, TW_KERNEL_WHY, "the kernel helper %s",
			 error == ETIMEDOUT ? "does not answer" :
			 error == EPROTO ? "is of another version of tickwise" :
					   "has ended");
		return -error;
	}
	if (!answer->why[0])
		return 0;
	snprintf(why, TW_KERNEL_WHY, "the kernel helper: %s", answer->why);
	return -EPERM;
}

/* ---- questions ---- */

static int connect_to(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const struct timeval limit = {
		.tv_sec = ANSWER_MS / 1000, .tv_usec = ANSWER_MS % 1000 * 1000,
	};
	int error;

	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	strcpy(address.sun_path, path);
	socket_fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (socket_fd < 0)
		return -errno;
	/* If many connect, they wait in turn, but not for ever for a helper that hangs. */
	setsockopt(socket_fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	if (!connect(socket_fd, (struct sockaddr *)&address, sizeof(address)))
		return 0;
	error = -errno;
	drop(&socket_fd);
	/* No helper has listened there, or it no longer does. */
	return error == -ECONNREFUSED || error == -ENOTDIR ? -ENOENT : error;
}

/* Say why there is no connection to @path. */
static void explain(int error, const char *path, char why[TW_KERNEL_WHY])
{
	struct stat of;

	if (error != -EACCES)
		snprintf(why, TW_KERNEL_WHY,
			 "the kernel helper at %.100s can't be asked", path);
	else if (stat(path, &of))
		snprintf(why, TW_KERNEL_WHY, "the kernel helper at %.100s can't be "
			 "reached: this user can't search its folder", path);
	else
		snprintf(why, TW_KERNEL_WHY, "the kernel helper at %.100s is not for "
			 "this user (tickwise kernel-helper --user=)", path);
}

int tw_remote_load(uint32_t entries, char why[TW_KERNEL_WHY])
{
	const struct tw_helper_question question = {
		.what = TW_HELPER_LOAD, .entries = entries,
	};
	struct tw_helper_answer answer;
	const char *path = getenv("TICKWISE_KERNEL_SOCKET");
	int fd = -1, error;

	path = path && *path ? path : TW_KERNEL_HELPER_SOCKET;
	error = connect_to(path);
	if (error == -ENOENT)
		return error;
	if (!error)
		error = share();
	if (error)
		explain(error, path, why);
	else
		error = ask(question, &answer, &fd, why);
	if (!error && fd < 0) {
		snprintf(why, TW_KERNEL_WHY, "the kernel helper sent no memory");
		error = -EPROTO;
	}
	if (!error)
		return fd;
	drop(&fd);
	drop(&socket_fd);
	return error;
}

int tw_remote_ask(enum tw_helper_what what, uint32_t thread, uint32_t entries,
		  struct tw_helper_answer *answer, char why[TW_KERNEL_WHY])
{
	const struct tw_helper_question question = {
		.what = what, .thread = thread, .entries = entries,
	};
	int fd = -1, error = ask(question, answer, &fd, why);

	drop(&fd);
	return error;
}
