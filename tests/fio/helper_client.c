/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Asks `tickwise kernel-helper` what no engine of ours would ask, and prints its answers,
 * one on a line: "CASE: ok" or "CASE: REASON". Or attacks it as a user whom it lets in: each
 * attack keeps what it has until its standard input ends.
 *
 *	helper_client SOCKET CASE [N]
 *
 * The cases of kernel_helper.t:
 *	garbage		messages that are no questions, each on a connection of its own
 *	asks		questions about rings that are not its own, and uses of the descriptor
 *	orphan		a child asks when its parent has ended
 *	crowd		connections until one is refused
 *	mute		questions whose answers are not read
 *	reuse		another user gets the number of a thread that was announced. As root,
 *			first in a namespace of processes
 * Those of kernel_helper_attacks.t:
 *	ask		load, and print the time and the answer
 *	hold		load, and stay connected
 *	keep		N times: load, keep the memory and hang up
 *	send		send a descriptor; print whether that is possible
 *	can-refuse	exit code 0: this kernel can refuse descriptors
 *	linger		send TCP sockets that nobody can close without waiting for LINGER_S:
 *			with questions, with messages that are never read, to a connection that
 *			is refused
 *	backlog		the same on connections that are not accepted yet
 *	trace		try to trace process N and its children, and to take their descriptors
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/io_uring.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "helper/client/helper_protocol.h"

#define SLOTS		64
#define PLACES_OF_USER	4
#define LINGER_S	600
#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS	83	/* Linux 6.16 */
#endif

static const char *path;	/* of the helper's socket */
static unsigned long number;	/* N */
static int memory;		/* the descriptor of the last answer, or -1 */

static int connect_to_helper(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const struct timeval limit = { .tv_sec = 300 };		/* to wait for an answer */
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	strncpy(address.sun_path, path, sizeof(address.sun_path) - 1);
	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address))) {
		perror("connect");
		exit(1);
	}
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	return fd;
}

/* Return the words of the answer; "ended" if there is none. */
static const char *answer_of(int fd)
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

	/* A helper that refuses closes the connection before it has read the question. That
	 * is an error first; then its words follow. */
	do {
		message.msg_controllen = sizeof(control.bytes);
		size = recvmsg(fd, &message, 0);
	} while ((size < 0 && (errno == EINTR || errno == ECONNRESET) &&
		  tries++ < 2) || (size > 0 && answer.is_loading));
	memory = -1;
	if (size != (ssize_t)sizeof(answer))
		return "ended";
	if (CMSG_FIRSTHDR(&message))
		memcpy(&memory, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(memory));
	return answer.why[0] ? answer.why : "ok";
}

static void report(const char *what, const char *answer)
{
	printf("%s: %s\n", what, answer);
	fflush(stdout);
}

static struct tw_helper_question question(uint32_t what, uint32_t thread, uint32_t entries)
{
	return (struct tw_helper_question) {
		.version = TW_HELPER_VERSION, .what = what, .number = 1,
		.thread = thread, .entries = entries,
	};
}

static const char *ask(int fd, uint32_t what, uint32_t thread, uint32_t entries)
{
	const struct tw_helper_question asked = question(what, thread, entries);

	/* If the connection has ended, its answer may still be there. */
	send(fd, &asked, sizeof(asked), MSG_NOSIGNAL);
	return answer_of(fd);
}

/* Load, and print the answer. */
static int load(int fd, uint32_t entries)
{
	report("load", ask(fd, TW_HELPER_LOAD, 0, entries));
	return memory;
}

/* ---- garbage ---- */

static void garbage(void)
{
	const struct tw_helper_question none = question(TW_HELPER_LOAD, 0, 0);
	struct {
		const char *what;
		size_t size;		/* what is beyond the question has all bits set */
		struct tw_helper_question asked;
	} cases[] = {
		{ "nothing", 0, none },
		{ "4096 bytes", 4096, none },
		{ "cut off", sizeof(none) - 1, none },
		{ "longer", 4096, none },
		{ "no entries", sizeof(none), none },
		{ "a ring before loading", sizeof(none),
		  question(TW_HELPER_EXPECT, (uint32_t)getpid(), SLOTS) },
	};
	char bytes[4096];

	memset(bytes, 0xff, sizeof(bytes));
	memset(&cases[1].asked, 0xff, sizeof(cases[1].asked));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const int fd = connect_to_helper();

		memcpy(bytes, &cases[i].asked, sizeof(none));
		send(fd, bytes, cases[i].size, MSG_NOSIGNAL);
		report(cases[i].what, answer_of(fd));
		close(fd);
	}
}

/* ---- asks ---- */

static void try_memory(void)
{
	const size_t size = SLOTS * sizeof(struct tw_padded_stamps);
	union bpf_attr attr = { .map_fd = (uint32_t)memory };
	struct tw_padded_stamps stamps = { .stamps.key = 1 };
	uint32_t index = 0;
	void *mapped;

	report("map to write", mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED,
				    memory, 0) == MAP_FAILED ? "refused" : "done");
	mapped = mmap(NULL, size, PROT_READ, MAP_SHARED, memory, 0);
	report("map to read", mapped == MAP_FAILED ? "refused" : "done");
	report("make it writable", mprotect(mapped, size, PROT_READ | PROT_WRITE) ?
	       "refused" : "done");
	attr.key = (uintptr_t)&index;
	attr.value = (uintptr_t)&stamps;
	report("update", syscall(SYS_bpf, BPF_MAP_UPDATE_ELEM, &attr,
				 sizeof(attr)) ? "refused" : "done");
}

/* In a child: ask about the ring of @thread, or about its own. */
static void ask_as_child(int fd, const char *what, bool grandchild)
{
	pid_t child = fork();

	if (child == 0 && grandchild) {
		ask_as_child(fd, what, false);
	} else if (child == 0) {
		report(what, ask(fd, TW_HELPER_EXPECT,
				 (uint32_t)syscall(SYS_gettid), 1));
	}
	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
}

static void asks(void)
{
	const uint32_t own = (uint32_t)syscall(SYS_gettid);
	const struct {
		const char *what;
		uint32_t thread, entries;
	} bad[] = {
		{ "more than there are", own, 2 * SLOTS },
		{ "thread 0", 0, 1 },
		{ "thread 1", 1, 1 },
		{ "its parent's thread", (uint32_t)getppid(), 1 },
		{ "thread -1", UINT32_MAX, 1 },
	};
	int fd = connect_to_helper();
	unsigned i;

	load(fd, SLOTS);
	try_memory();
	report("load again", ask(fd, TW_HELPER_LOAD, 0, SLOTS));
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		report(bad[i].what, ask(fd, TW_HELPER_EXPECT, bad[i].thread,
					bad[i].entries));
	report("its own", ask(fd, TW_HELPER_EXPECT, own, SLOTS / 2));
	report("made none", ask(fd, TW_HELPER_MADE, own, 0));
	ask_as_child(fd, "its child's", false);
	ask_as_child(fd, "its grandchild's", true);
	report("the rest", ask(fd, TW_HELPER_EXPECT, own, SLOTS / 4));
	report("more than is left", ask(fd, TW_HELPER_EXPECT, own, SLOTS / 4));
	for (i = 0; i < 100 && strcmp(ask(fd, UINT32_MAX, 0, 0), "ended"); i++)
		;
	report("for ever", i < 100 ? "ended" : "goes on");
}

/* ---- orphan, crowd ---- */

/* Start a process that connects, and ends when its child has asked; the child asks again. */
static void leave_orphan(void)
{
	int fd = connect_to_helper(), ends[2];
	const pid_t parent = getpid();
	char byte = 0;

	load(fd, SLOTS);
	if (pipe(ends) || fork()) {
		if (read(ends[0], &byte, 1) != 1)
			report("the child", "lost");
		return;
	}
	report("a child", ask(fd, TW_HELPER_EXPECT, (uint32_t)getpid(), 1));
	if (write(ends[1], &byte, 1) != 1)
		return;
	while (getppid() == parent)
		usleep(1000);
	/* The helper has noticed the end when it closes the connection. */
	while (strcmp(ask(fd, TW_HELPER_EXPECT, (uint32_t)getpid(), 1), "ended"))
		usleep(1000);
	report("an orphan", "ended");
}

/* Wait for all of them: each has the pipe. */
static void orphan(void)
{
	int ends[2];
	char byte;

	if (pipe(ends))
		exit(1);
	if (fork() == 0) {
		close(ends[0]);
		leave_orphan();
		exit(0);
	}
	close(ends[1]);
	while (read(ends[0], &byte, 1) < 0)
		;
}

static void crowd(void)
{
	unsigned i;

	/* A connection that asks nothing takes a place, too. */
	for (i = 0; i < PLACES_OF_USER; i++)
		connect_to_helper();
	load(connect_to_helper(), SLOTS);
}

/* ---- mute ---- */

static void mute(void)
{
	const struct tw_helper_question expect =
		question(TW_HELPER_EXPECT, (uint32_t)syscall(SYS_gettid), 1);
	const int fd = connect_to_helper();
	unsigned i;

	load(fd, TW_HELPER_MAX_ENTRIES);
	/* Each is granted, until the answers fill the socket. */
	for (i = 0; i < TW_HELPER_MAX_ENTRIES &&
		    send(fd, &expect, sizeof(expect), MSG_NOSIGNAL) > 0; i++)
		;
	report("unread answers", i < TW_HELPER_MAX_ENTRIES ? "ended" : "goes on");
}

/* ---- reuse ---- */

#define FAR		(TW_KEY_CHOSEN | 0xfff00000005)	/* user_data beyond the entries */
/* user_data of the other user, for the place of each of the fio's two rings */
#define MARK(i)		(TW_KEY_CHOSEN | 7ULL << 32 | ((i) & 1) << TW_KEY_RING_SHIFT)
#define OTHER_USER	65533
#define SOME_RINGS	16

/* Do one operation that does nothing. False: there is no ring. */
static bool use_ring(uint64_t user_data)
{
	struct io_uring_params params = { 0 };
	int fd = (int)syscall(SYS_io_uring_setup, 1, &params);
	struct io_uring_sqe *entry;
	char *ring;
	bool done;

	if (fd < 0)
		return false;
	ring = mmap(NULL, params.sq_off.array + sizeof(uint32_t),
		    PROT_READ | PROT_WRITE, MAP_SHARED, fd, IORING_OFF_SQ_RING);
	entry = mmap(NULL, sizeof(*entry), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		     IORING_OFF_SQES);
	*entry = (struct io_uring_sqe) {
		.opcode = IORING_OP_NOP, .user_data = user_data,
	};
	*(uint32_t *)(ring + params.sq_off.array) = 0;
	*(uint32_t *)(ring + params.sq_off.tail) += 1;
	done = syscall(SYS_io_uring_enter, fd, 1, 1, IORING_ENTER_GETEVENTS, NULL,
		       0) == 1;
	munmap(ring, params.sq_off.array + sizeof(uint32_t));
	munmap(entry, sizeof(*entry));
	close(fd);
	return done;
}

static void become(uid_t user)
{
	if (setresgid(64999, 64999, 64999) || setresuid(user, user, user))
		_exit(1);
}

/* The I/O with user_data FAR is in the only stamps of its ring, and no other is written. No
 * stamps has an address of the kernel. */
static const char *judge_slots(const volatile struct tw_padded_stamps *entries)
{
	const volatile uint64_t *words = (const volatile uint64_t *)entries;
	size_t i;

	if (entries[0].stamps.key != FAR || !entries[0].stamps.accepted_ns)
		return "no stamps";
	for (i = 0; i < SLOTS * sizeof(*entries) / sizeof(*words); i++)
		if (words[i] >> 48 == 0xffff)
			return "an address";
	for (i = sizeof(*entries) / sizeof(*words); i < SLOTS * sizeof(*entries) /
	     sizeof(*words); i++)
		if (words[i])
			return "another stamps is written";
	return "ok";
}

/* The allowed user: announce a thread that ends without another ring. */
static void let_in(int to, int from)
{
	const volatile struct tw_padded_stamps *entries;
	int fd, is_seen = 0;
	char byte = 0;
	pid_t child;
	unsigned i;

	become(65534);
	fd = connect_to_helper();
	entries = mmap(NULL, SLOTS * sizeof(*entries), PROT_READ, MAP_SHARED, load(fd, SLOTS), 0);
	child = fork();
	if (child == 0) {
		/* The helper sees the first ring. */
		report("announced", ask(fd, TW_HELPER_EXPECT, (uint32_t)getpid(), 1));
		report("used", use_ring(FAR) ? "ok" : "no ring");
		report("made", ask(fd, TW_HELPER_MADE, (uint32_t)getpid(), 0));
		report("stamped", judge_slots(entries));
		report("again", ask(fd, TW_HELPER_EXPECT, (uint32_t)getpid(), 1));
		_exit(0);
	}
	waitpid(child, NULL, 0);
	if (write(to, &child, sizeof(child)) != sizeof(child) ||
	    read(from, &byte, 1) != 1)
		_exit(1);
	for (i = 0; i < SLOTS; i++)
		is_seen |= entries[i].stamps.key >> 32 == 7;
	report("the other user's", is_seen ? "seen" : "not seen");
	_exit(0);
}

/* Give the next process the number @pid. */
static void choose_next(pid_t pid)
{
	char text[16];
	int file = open("/proc/sys/kernel/ns_last_pid", O_WRONLY | O_CLOEXEC);

	snprintf(text, sizeof(text), "%d", (int)pid - 1);
	if (file < 0 || write(file, text, strlen(text)) < 0)
		report("choose the number", strerror(errno));
	close(file);
}

static void reuse(void)
{
	int to[2], from[2];
	unsigned i, used = 0;
	pid_t dead, child;

	if (pipe(to) || pipe(from))
		exit(1);
	if (fork() == 0)
		let_in(to[1], from[0]);
	if (read(to[0], &dead, sizeof(dead)) != sizeof(dead))
		exit(1);
	choose_next(dead);
	child = fork();
	if (child == 0) {
		become(OTHER_USER);
		for (i = 0; i < SOME_RINGS; i++)
			used += use_ring(MARK(i));
		report("same number", getpid() == dead ? "ok" : "no");
		report("rings of the other", used == SOME_RINGS ? "ok" : "no");
		_exit(0);
	}
	waitpid(child, NULL, 0);
	if (write(from[1], "", 1) != 1)
		exit(1);
	wait(NULL);
}

/* ---- ask, hold, keep ---- */

static void wait_for_end(void)
{
	char byte;

	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
}

static void ask_once(void)
{
	struct timespec begin, end;
	const char *answer;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	answer = ask(connect_to_helper(), TW_HELPER_LOAD, 0, TW_HELPER_MAX_ENTRIES);
	clock_gettime(CLOCK_MONOTONIC, &end);
	fprintf(stderr, "%.0f ms\n", (double)(end.tv_sec - begin.tv_sec) * 1e3 +
		(double)(end.tv_nsec - begin.tv_nsec) / 1e6);
	puts(answer);
}

static void hold(void)
{
	ask_once();
	wait_for_end();
}

/* The first ones wait as long as they have to. Of the others, each hundredth waits for a
 * while, when the processes of those before it have ended. */
static void keep(void)
{
	const struct tw_helper_question asked =
		question(TW_HELPER_LOAD, 0, TW_HELPER_MAX_ENTRIES);
	const struct timeval wait = { .tv_sec = 2 };
	unsigned kept = 0, i;

	for (i = 0; i < number; i++) {
		const bool waits = i < PLACES_OF_USER || i % 100 == 99;
		int fd;

		if (waits)
			sleep(1);
		fd = connect_to_helper();
		if (i >= PLACES_OF_USER)
			setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
		send(fd, &asked, sizeof(asked), MSG_NOSIGNAL);
		if (waits) {
			answer_of(fd);
			kept += memory >= 0;
		}
		close(fd);
	}
	printf("%u\n", kept);
	wait_for_end();
}

/* ---- linger ---- */

/* Send a question with a descriptor. Return 0, or errno. */
static int send_with(int fd, struct tw_helper_question asked, int with)
{
	struct iovec data = { &asked, sizeof(asked) };
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
		_exit(send_with(fd, asked, with));
	}
	close(with);
	close(go[0]);
	close(go[1]);
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
}

static void send_to_some(const char *what)
{
	for (int i = 0; i < 8; i++)
		send_lingering(connect_to_helper(), TW_HELPER_LOAD);
	puts(what);
	wait_for_end();
}

static void linger(void)
{
	int fd, i;

	fd = connect_to_helper();
	send_lingering(fd, TW_HELPER_LOAD);
	report("the first question", answer_of(fd));
	fd = connect_to_helper();
	load(fd, TW_HELPER_MAX_ENTRIES);
	send_lingering(fd, TW_HELPER_EXPECT);
	report("a later one", answer_of(fd));
	fd = connect_to_helper();
	load(fd, TW_HELPER_MAX_ENTRIES);
	/* An empty message ends the connection. */
	send(fd, "", 0, MSG_NOSIGNAL);
	for (i = 0; i < 8; i++)
		send_lingering(fd, TW_HELPER_EXPECT);
	report("what is never read", answer_of(fd));
	/* Nobody is let in any more until these end, after 10 s. */
	for (i = 0; i < PLACES_OF_USER; i++)
		connect_to_helper();
	send_to_some("refused: sent");
}

static void backlog(void)
{
	send_to_some("sent");
}

static void send_one(void)
{
	const int error = send_lingering(connect_to_helper(), TW_HELPER_LOAD);

	puts(error ? strerror(error) : "sent");
}

static void can_refuse(void)
{
	const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	socklen_t size = sizeof(int);
	int is_on;

	exit(getsockopt(fd, SOL_SOCKET, SO_PASSRIGHTS, &is_on, &size) != 0);
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

static void trace(void)
{
	struct pollfd end = { .fd = STDIN_FILENO, .events = POLLIN };
	char path_of_children[64], text[4096], *at, *next;
	ssize_t size;
	long child;
	int file;

	snprintf(path_of_children, sizeof(path_of_children), "/proc/%lu/task/%lu/children",
		 number, number);
	puts("begun");
	fflush(stdout);
	while (poll(&end, 1, 0) == 0) {
		try_to_trace((pid_t)number);
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
	static const struct {
		const char *name;
		void (*run)(void);
		int arguments;
	} cases[] = {
		{ "garbage", garbage, 3 }, { "asks", asks, 3 }, { "orphan", orphan, 3 },
		{ "crowd", crowd, 3 }, { "mute", mute, 3 }, { "reuse", reuse, 3 },
		{ "ask", ask_once, 3 }, { "hold", hold, 3 }, { "keep", keep, 4 },
		{ "send", send_one, 3 }, { "can-refuse", can_refuse, 3 },
		{ "linger", linger, 3 }, { "backlog", backlog, 3 }, { "trace", trace, 4 },
	};
	const struct rlimit files = { 4096, 4096 };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (argc == cases[i].arguments && !strcmp(argv[2], cases[i].name)) {
			path = argv[1];
			number = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
			setrlimit(RLIMIT_NOFILE, &files);
			cases[i].run();
			return 0;
		}
	return 2;
}
