/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Attacks `tickwise kernel-helper` as a user whom it lets in, or measures how long it lets
 * another user wait. For kernel_helper_attacks.t. Each attack keeps what it has until its
 * standard input ends.
 *
 *	helper_attack SOCKET ask	load, and print the time and the answer
 *	helper_attack SOCKET hold	load, and stay connected
 *	helper_attack SOCKET keep N	N times: load, keep the memory and hang up
 *	helper_attack SOCKET send	send a descriptor; print whether that is possible
 *	helper_attack SOCKET can-refuse	exit code 0: this kernel can refuse descriptors
 *	helper_attack SOCKET linger	send TCP sockets that nobody can close without
 *					waiting for LINGER_S: with questions, with
 *					messages that are never read, to a connection
 *					that is refused
 *	helper_attack SOCKET backlog	the same on connections that are not accepted yet
 *	helper_attack SOCKET trace PID	try to trace PID and its children, and to take
 *					their descriptors
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "helper_client.h"

#define SLOTS		TW_HELPER_MAX_SLOTS
#define PLACES_OF_USER	4
#define LINGER_S	600
#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS	83	/* Linux 6.16 */
#endif

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void wait_for_end(void)
{
	char byte;

	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
}

/* Send @bytes with a descriptor. Return 0, or errno. */
static int send_with(int fd, const void *bytes, size_t size, int with)
{
	struct iovec data = { (void *)bytes, size };
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { .bytes = { 0 } };
	struct msghdr message = {
		.msg_iov = &data, .msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes),
	};

	*CMSG_FIRSTHDR(&message) = (struct cmsghdr) {
		.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS,
		.cmsg_len = CMSG_LEN(sizeof(int)),
	};
	memcpy(CMSG_DATA(CMSG_FIRSTHDR(&message)), &with, sizeof(with));
	return sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? errno : 0;
}

/* ---- ask, hold, keep ---- */

/* Ask to load. Return the answer, or "silent" after @wait_ms. */
static const char *load(int fd, int wait_ms, int *memory)
{
	const struct tw_helper_question asked = question(TW_HELPER_LOAD, 0, SLOTS);
	struct pollfd event = { .fd = fd, .events = POLLIN };
	struct tw_helper_answer first;
	const int64_t end = now_ms() + wait_ms;

	*memory = -1;
	send(fd, &asked, sizeof(asked), MSG_NOSIGNAL);
	while (poll(&event, 1, (int)(end > now_ms() ? end - now_ms() : 0)) > 0) {
		/* "It is loading" comes first. */
		if (recv(fd, &first, sizeof(first), MSG_PEEK) !=
		    (ssize_t)sizeof(first) || !first.is_loading)
			return answer_of(fd, memory);
		recv(fd, &first, sizeof(first), 0);
	}
	return "silent";
}

static void hold(bool stays)
{
	const int64_t begin = now_ms();
	int memory;
	const char *answer = load(connect_to_helper(), 300000, &memory);

	fprintf(stderr, "%lld ms\n", (long long)(now_ms() - begin));
	puts(answer);
	if (stays)
		wait_for_end();
}

/* The first ones wait as long as they have to. Of the others, each hundredth waits for a
 * while, when the processes of those before it have ended. */
static void keep(unsigned count)
{
	unsigned kept = 0, i;
	int memory, fd, wait_ms;

	for (i = 0; i < count; i++) {
		wait_ms = i < PLACES_OF_USER ? 300000 : i % 100 == 99 ? 2000 : 0;
		if (wait_ms)
			poll(NULL, 0, 1000);
		fd = connect_to_helper();
		load(fd, wait_ms, &memory);
		kept += memory >= 0;
		close(fd);
	}
	printf("%u\n", kept);
	wait_for_end();
}

/* ---- linger ---- */

/* Make a TCP connection whose peer does not read, and fill it. Return the end that lingers
 * when it is closed. */
static int lingering(void)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	const struct linger linger = { .l_onoff = 1, .l_linger = LINGER_S };
	const int listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	socklen_t size = sizeof(address);
	static char bytes[65536];

	if (bind(listening, (struct sockaddr *)&address, size) || listen(listening, 1) ||
	    getsockname(listening, (struct sockaddr *)&address, &size) ||
	    connect(fd, (struct sockaddr *)&address, size) ||
	    accept(listening, NULL, NULL) < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger))) {
		perror("TCP");
		exit(1);
	}
	while (send(fd, bytes, sizeof(bytes), MSG_DONTWAIT) > 0)
		;
	return fd;
}

/* Send the last descriptor of such a connection, from a process that has it until its end.
 * The helper may have closed it by then, and this process must not wait. Return 0, or
 * errno. */
static int send_lingering(int fd, uint32_t what)
{
	const struct tw_helper_question asked = question(what, (uint32_t)getpid(), 1);
	const int with = lingering();
	int go[2], status;
	pid_t child;
	char byte;

	if (pipe(go))
		exit(1);
	child = fork();
	if (child == 0) {
		close(go[1]);
		if (read(go[0], &byte, 1) != 0)
			_exit(1);
		_exit(send_with(fd, &asked, sizeof(asked), with));
	}
	close(with);
	close(go[0]);
	close(go[1]);
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
}

static void expect_end(const char *what, int fd)
{
	int memory;

	report(what, answer_of(fd, &memory));
}

static void linger(void)
{
	int fd, i, memory;

	fd = connect_to_helper();
	send_lingering(fd, TW_HELPER_LOAD);
	expect_end("the first question", fd);
	fd = connect_to_helper();
	report("load", load(fd, 300000, &memory));
	send_lingering(fd, TW_HELPER_EXPECT);
	expect_end("a later one", fd);
	fd = connect_to_helper();
	report("load", load(fd, 300000, &memory));
	/* An empty message ends the connection. */
	send(fd, "", 0, MSG_NOSIGNAL);
	for (i = 0; i < 8; i++)
		send_lingering(fd, TW_HELPER_EXPECT);
	expect_end("what is never read", fd);
	/* Nobody is let in any more until these end, after 10 s. */
	for (i = 0; i < PLACES_OF_USER; i++)
		connect_to_helper();
	for (i = 0; i < 8; i++)
		send_lingering(connect_to_helper(), TW_HELPER_LOAD);
	puts("refused: sent");
	wait_for_end();
}

static void backlog(void)
{
	int i;

	for (i = 0; i < 8; i++)
		send_lingering(connect_to_helper(), TW_HELPER_LOAD);
	puts("sent");
	wait_for_end();
}

static void send_one(void)
{
	const int error = send_lingering(connect_to_helper(), TW_HELPER_LOAD);

	puts(error ? strerror(error) : "sent");
}

static int can_refuse(void)
{
	const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	socklen_t size = sizeof(int);
	int is_on;

	return !getsockopt(fd, SOL_SOCKET, SO_PASSRIGHTS, &is_on, &size);
}

/* ---- trace ---- */

static unsigned tried, traced;

/* Try many times, as the moment at which it is possible may be short. */
static void try_to_trace(pid_t process)
{
	const int fd = (int)syscall(SYS_pidfd_open, process, 0);
	unsigned i;
	int taken;

	for (i = 0; i < 50 && ptrace(PTRACE_SEIZE, process, 0, 0); i++)
		tried++;
	if (i < 50) {
		traced++;
		ptrace(PTRACE_INTERRUPT, process, 0, 0);
		waitpid(process, NULL, __WALL);
		ptrace(PTRACE_DETACH, process, 0, 0);
	}
	taken = fd < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, fd, 0, 0);
	traced += taken >= 0;
	close(taken);
	close(fd);
}

static void trace(pid_t process)
{
	struct pollfd end = { .fd = STDIN_FILENO, .events = POLLIN };
	char path_of_children[64], text[4096], *at, *next;
	ssize_t size;
	long child;
	int file;

	snprintf(path_of_children, sizeof(path_of_children), "/proc/%d/task/%d/children",
		 (int)process, (int)process);
	puts("begun");
	fflush(stdout);
	while (poll(&end, 1, 0) == 0) {
		try_to_trace(process);
		file = open(path_of_children, O_RDONLY | O_CLOEXEC);
		size = file < 0 ? 0 : read(file, text, sizeof(text) - 1);
		close(file);
		text[size > 0 ? size : 0] = '\0';
		for (at = text; (child = strtol(at, &next, 10)) > 0; at = next)
			try_to_trace((pid_t)child);
	}
	fprintf(stderr, "%u times\n", tried);
	printf("traced %u\n", traced);
}

int main(int argc, char **argv)
{
	const struct rlimit files = { 4096, 4096 };
	const char *what = argc > 2 ? argv[2] : "";

	if (argc < 3)
		return 2;
	path = argv[1];
	setrlimit(RLIMIT_NOFILE, &files);
	if (!strcmp(what, "ask") || !strcmp(what, "hold"))
		hold(!strcmp(what, "hold"));
	else if (!strcmp(what, "keep") && argc == 4)
		keep((unsigned)atoi(argv[3]));
	else if (!strcmp(what, "send"))
		send_one();
	else if (!strcmp(what, "can-refuse"))
		return !can_refuse();
	else if (!strcmp(what, "linger"))
		linger();
	else if (!strcmp(what, "backlog"))
		backlog();
	else if (!strcmp(what, "trace") && argc == 4)
		trace((pid_t)atoi(argv[3]));
	else
		return 2;
	return 0;
}
