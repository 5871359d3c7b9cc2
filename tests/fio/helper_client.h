/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For programs that ask `tickwise kernel-helper` as an engine would: a connection, a question
 * and its answer.
 */
#ifndef TW_HELPER_CLIENT_H
#define TW_HELPER_CLIENT_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "kernel/helper_protocol.h"

static const char *path;	/* of the helper's socket */

static inline int connect_to_helper(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	strncpy(address.sun_path, path, sizeof(address.sun_path) - 1);
	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address))) {
		perror("connect");
		exit(1);
	}
	return fd;
}

/*
 * Return the words of the answer, "ended" if there is none. @memory: a descriptor,
 * or -1.
 */
static inline const char *answer_of(int fd, int *memory)
{
	static struct tw_helper_answer answer;
	struct iovec data = { &answer, sizeof(answer) };
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control;
	struct msghdr message = {
		.msg_iov = &data, .msg_iovlen = 1,
		.msg_control = control.bytes,
	};
	unsigned tries = 0;
	ssize_t size;

	/*
	 * A helper that refuses closes the connection before it has read the
	 * question. That is an error first; then its words follow.
	 */
	do {
		message.msg_controllen = sizeof(control.bytes);
		size = recvmsg(fd, &message, 0);
	} while ((size < 0 && (errno == EINTR || errno == ECONNRESET) &&
		  tries++ < 2) || (size > 0 && answer.is_loading));
	*memory = -1;
	if (size != (ssize_t)sizeof(answer))
		return "ended";
	if (CMSG_FIRSTHDR(&message))
		memcpy(memory, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(*memory));
	return answer.why[0] ? answer.why : "ok";
}

static inline void report(const char *what, const char *answer)
{
	printf("%s: %s\n", what, answer);
	fflush(stdout);
}

static inline struct tw_helper_question question(uint32_t what, uint32_t thread,
						 uint32_t entries)
{
	return (struct tw_helper_question) {
		.version = TW_HELPER_VERSION, .what = what, .number = 1,
		.thread = thread, .entries = entries,
	};
}

static inline const char *ask(int fd, uint32_t what, uint32_t thread, uint32_t entries)
{
	const struct tw_helper_question asked = question(what, thread, entries);
	int memory;

	if (send(fd, &asked, sizeof(asked), MSG_NOSIGNAL) < 0)
		return "ended";
	return answer_of(fd, &memory);
}

#endif
