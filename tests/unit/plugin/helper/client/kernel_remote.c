/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: the engine takes the answer to its own question, also behind an older
 * one. It distinguishes a helper that refuses, that has another version, that hangs
 * and that has ended, in one line each. It waits once for a helper that hangs. For
 * one that is loading it waits longer, but not for ever. Defect: an answer to
 * another job's question, or a job that hangs with its helper. Also one that waits
 * again and again, or as long for a helper that hangs as for one that is loading. Also
 * a job that reads for ever what a helper never stops to send, that takes no answer which
 * it reads late, or that does not wait for its turn when many connect. Also a descriptor that
 * stays open after a failure, or that is closed twice: by then it can be another one of fio's.
 *
 * The helper is a process of the test, which answers as the case needs.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "helper/client/helper_protocol.h"
#include "tap.h"

static unsigned answer_ms = 60000, load_ms = 60000;
#define ANSWER_MS	answer_ms
#define LOAD_MS		load_ms

static unsigned closed_twice;
static bool has_no_memory;

static int counted_close(int fd)
{
	const int ret = close(fd);

	closed_twice += ret < 0;
	return ret;
}

static void *limited_mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset)
{
	errno = ENOMEM;
	return has_no_memory ? MAP_FAILED : mmap(at, size, prot, flags, fd, offset);
}

#define close counted_close
#define mmap limited_mmap
/* A helper that never stops to send: there is always something to read. */
static bool never_empty;
#define poll(events, count, ms)	poll(events, count, never_empty ? -1 : (ms))
#include "helper/client/helper_client.c"
#undef close
#undef mmap

static char path[] = "/tmp/kernel_remote.XXXXXX";
static char address_path[64];

/* @with: 0 to 2 times standard input. */
static void send_to(int fd, struct tw_helper_answer answer, const char *why, unsigned with)
{
	static const int inputs[2];
	struct iovec data = { &answer, sizeof(answer) };
	union {
		char bytes[CMSG_SPACE(sizeof(inputs))];
		struct cmsghdr align;
	} control = { .bytes = { 0 } };
	struct msghdr message = { .msg_iov = &data, .msg_iovlen = 1 };

	snprintf(answer.why, sizeof(answer.why), "%s", why);
	if (with) {
		message.msg_control = control.bytes;
		message.msg_controllen = CMSG_SPACE(with * sizeof(int));
		*CMSG_FIRSTHDR(&message) = (struct cmsghdr) {
			.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS,
			.cmsg_len = CMSG_LEN(with * sizeof(int)),
		};
		memcpy(CMSG_DATA(CMSG_FIRSTHDR(&message)), inputs, with * sizeof(int));
	}
	sendmsg(fd, &message, MSG_NOSIGNAL);
}

/* What a helper answers to a question. */
struct message {
	bool is_sent, is_loading, to_all;
	unsigned has_fd;
	uint32_t number, version;	/* added to those of the question */
	const char *why;
};

struct helper {
	struct message load[3], ring[3];
	unsigned ends_after;		/* this many questions; 0: it goes on */
	bool repeats;			/* the answers to the first one, for ever */
};

static void answer(int fd, const struct message *messages, uint32_t number)
{
	for (unsigned i = 0; i < 3 && messages[i].is_sent; i++) {
		struct tw_helper_answer is = {
			.version = TW_HELPER_VERSION + messages[i].version,
			.number = messages[i].to_all ? 0 : number + messages[i].number,
			.is_loading = messages[i].is_loading,
		};

		is.base = 100 + is.number;
		send_to(fd, is, messages[i].why ? messages[i].why : "",
			messages[i].has_fd);
	}
}

static void serve(int fd, const struct helper *helper)
{
	struct tw_helper_question question;
	unsigned count = 0;

	while (recv(fd, &question, sizeof(question), 0) == (ssize_t)sizeof(question)) {
		do
			answer(fd, question.what == TW_HELPER_LOAD ? helper->load :
			       helper->ring, question.number);
		while (helper->repeats && !usleep(10000));
		if (++count == helper->ends_after)
			return;
	}
}

static pid_t start(const struct helper *helper)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int listening = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	const pid_t parent = getpid();
	pid_t child;

	strcpy(address.sun_path, address_path);
	unlink(address_path);
	if (bind(listening, (struct sockaddr *)&address, sizeof(address)) ||
	    listen(listening, 4))
		exit(1);
	child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
		serve(accept(listening, NULL, NULL), helper);
		_exit(0);
	}
	close(listening);
	return child;
}

static void end(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/* ---- helpers ---- */

#define LOADED	{ .is_sent = true, .has_fd = 1 }
#define DONE	{ .is_sent = true }
#define LOADING	{ .is_sent = true, .is_loading = true }

static const struct helper good = { .load = { LOADED }, .ring = { DONE } };
/* Answers to other jobs come first, one with a descriptor. */
static const struct helper late = {
	.load = { { .is_sent = true, .number = 7, .why = "not for you" },
		  { .is_sent = true, .number = 98, .why = "nor this", .has_fd = 1 }, LOADED },
	.ring = { { .is_sent = true, .number = 7, .why = "not for you" },
		  { .is_sent = true, .number = -1U, .why = "nor this", .has_fd = 1 }, DONE },
};
static const struct helper refuses = { .load = { { .is_sent = true, .why = "no room" } } };
static const struct helper refuses_all = {
	.load = { { .is_sent = true, .to_all = true, .why = "too many" } }, .ends_after = 1,
};
static const struct helper is_newer = {
	.load = { { .is_sent = true, .has_fd = 1, .version = 1 } },
};
static const struct helper refuses_with_memory = {
	.load = { { .is_sent = true, .has_fd = 1, .why = "no room" } },
};
static const struct helper sends_two = { .load = { { .is_sent = true, .has_fd = 2 } } };
static const struct helper then_is_newer = {
	.load = { LOADED }, .ring = { { .is_sent = true, .has_fd = 1, .version = 1 } },
};
static const struct helper sends_none = { .load = { DONE } };
static const struct helper hangs = { .load = { LOADED } };
static const struct helper ends = { .load = { LOADED }, .ends_after = 2 };
static const struct helper silent;
static const struct helper says_so_and_loads = { .load = { LOADING, LOADED } };
static const struct helper loads_for_ever = { .load = { LOADING }, .repeats = true };
static const struct helper floods = {
	.load = { { .is_sent = true, .number = 98, .has_fd = true } }, .repeats = true,
};
static const struct helper loads_only = {
	.load = { LOADING, LOADED }, .ring = { LOADING, LOADING },
};

/* ---- cases ---- */

static char why[TW_KERNEL_WHY];

static unsigned open_descriptors(void)
{
	unsigned count = 0;

	for (int fd = 0; fd < 256; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

static void loads(const char *what, const struct helper *helper, const char *text)
{
	pid_t child = start(helper);
	unsigned before = open_descriptors();
	int fd;

	why[0] = '\0';
	closed_twice = 0;
	fd = tw_remote_load(64, why);
	tap_ok((fd >= 0) == !*text && strcmp(why, text) == 0, "%s: %s", what,
	       *why ? why : "loaded");
	tap_ok(open_descriptors() == before + (fd >= 0 ? 2 : 0) && !closed_twice,
	       "%u descriptors are open, %u before", open_descriptors(), before);
	if (fd >= 0)
		close(fd);
	end(child);
}

static void expects(const char *what, const struct helper *helper, const char *text)
{
	pid_t child = start(helper);
	struct tw_helper_answer answer = { .base = 0 };
	int fd = tw_remote_load(64, why), error;

	why[0] = '\0';
	closed_twice = 0;
	error = tw_remote_ask(TW_HELPER_EXPECT, 1, 64, &answer, why);
	tap_ok(!error == !*text && strcmp(why, text) == 0 && !closed_twice &&
	       (error || answer.base == 102), "%s: %s", what, *why ? why : "expected");
	if (fd >= 0)
		close(fd);
	end(child);
}

static int made(void)
{
	struct tw_helper_answer answer;

	return tw_remote_ask(TW_HELPER_MADE, 1, 0, &answer, why);
}

static void waits_once(void)
{
	pid_t child = start(&hangs);
	int fd = tw_remote_load(64, why);

	answer_ms = 50;
	tap_ok(made() == -ETIMEDOUT &&
	       strcmp(why, "the kernel helper does not answer") == 0,
	       "one that hangs: %s", why);
	tap_ok(made() == -EPIPE &&
	       strcmp(why, "the kernel helper has ended") == 0, "is not asked again: %s", why);
	close(fd);
	end(child);
}

#define FOR_EVER_MS	3600000

/* The time that must not count here would end the test by its alarm. */
static void has_two_limits(void)
{
	pid_t child;
	int fd;

	alarm(300);
	answer_ms = 50;
	load_ms = FOR_EVER_MS;
	loads("one that does nothing", &silent, "the kernel helper does not answer");
	answer_ms = FOR_EVER_MS;
	load_ms = 50;
	loads("one that loads for ever", &loads_for_ever,
	      "the kernel helper does not answer");
	never_empty = true;
	loads("one that never stops to send that it loads", &loads_for_ever,
	      "the kernel helper does not answer");
	answer_ms = 50;
	loads("one that never stops to answer others", &floods,
	      "the kernel helper does not answer");
	/* An answer that is there already is taken, however late it is read. */
	answer_ms = 0;
	loads("one whose answer is read late", &says_so_and_loads, "");
	never_empty = false;
	answer_ms = load_ms = FOR_EVER_MS;
	child = start(&loads_only);
	fd = tw_remote_load(64, why);
	answer_ms = 50;
	tap_ok(fd >= 0 && made() == -ETIMEDOUT,
	       "a ring is not waited for as loading is: %s", why);
	close(fd);
	end(child);
	alarm(0);
}

/* Others have connected: the helper accepts one of them, or none. */
static void waits_for_its_turn(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const int listening = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	const int other = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	pid_t child;
	int fd;

	strcpy(address.sun_path, address_path);
	unlink(address_path);
	if (bind(listening, (struct sockaddr *)&address, sizeof(address)) ||
	    listen(listening, 0) ||
	    connect(other, (struct sockaddr *)&address, sizeof(address)))
		exit(1);
	answer_ms = 50;
	tap_ok(tw_remote_load(64, why) < 0 && strstr(why, "can't be asked"),
	       "many connect to one that hangs: %s", why);
	answer_ms = 60000;
	child = fork();
	if (child == 0) {
		usleep(100000);
		close(accept(listening, NULL, NULL));
		serve(accept(listening, NULL, NULL), &good);
		_exit(0);
	}
	fd = tw_remote_load(64, why);
	tap_ok(fd >= 0, "many connect: it waits for its turn");
	close(fd);
	close(listening);
	close(other);
	end(child);
}

int main(void)
{
	char text[TW_KERNEL_WHY];

	if (!mkdtemp(path))
		return 1;
	snprintf(address_path, sizeof(address_path), "%s/socket", path);
	setenv("TICKWISE_KERNEL_SOCKET", address_path, 1);
	tap_ok(tw_remote_load(64, why) == -ENOENT, "no helper");
	setenv("TICKWISE_KERNEL_SOCKET", "/dev/null/socket", 1);
	tap_ok(tw_remote_load(64, why) == -ENOENT, "nor one in what is no folder");
	setenv("TICKWISE_KERNEL_SOCKET", address_path, 1);
	loads("one that answers", &good, "");
	loads("with answers to others", &late, "");
	loads("one that refuses", &refuses, "the kernel helper: no room");
	loads("one that refuses all", &refuses_all, "the kernel helper: too many");
	loads("one of another version", &is_newer, "the kernel helper is of another version of tickwise");
	loads("one that says that it loads", &says_so_and_loads, "");
	loads("one that sends no memory", &sends_none,
	      "the kernel helper sent no memory");
	loads("one that refuses, with memory", &refuses_with_memory, "the kernel helper: no room");
	loads("one that sends two descriptors", &sends_two, "");
	has_no_memory = true;
	snprintf(text, sizeof(text), "the kernel helper at %.100s can't be asked", address_path);
	loads("no memory to share", &good, text);
	has_no_memory = false;
	expects("a ring", &good, "");
	expects("a ring, from another version", &then_is_newer,
		"the kernel helper is of another version of tickwise");
	expects("a ring, with answers to others", &late, "");
	expects("a helper that ends", &ends, "the kernel helper has ended");
	waits_once();
	waits_for_its_turn();
	has_two_limits();
	unlink(address_path);
	rmdir(path);
	return tap_done();
}
