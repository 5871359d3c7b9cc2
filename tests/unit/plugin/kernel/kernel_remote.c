/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: the engine takes the answer to its own question, also behind an older
 * one. It distinguishes a helper that refuses, that has another version, that hangs
 * and that has ended, in one line each. It waits once for a helper that hangs. For
 * one that is loading it waits longer, but not for ever. Defect: an answer to
 * another job's question, or a job that hangs with its helper. Also one that waits
 * again and again, or as long for a helper that hangs as for one that is loading. Also
 * a job that does not wait for its turn when many connect.
 *
 * The helper is a process of the test, which answers as the case needs.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/helper_protocol.h"
#include "tap.h"

static unsigned answer_ms = 60000, load_ms = 60000;
#define ANSWER_MS	answer_ms
#define LOAD_MS		load_ms
#include "kernel/remote.c"

static char path[] = "/tmp/kernel_remote.XXXXXX";
static char address_path[64];

static void send_to(int fd, struct tw_helper_answer answer, const char *why, int with)
{
	struct iovec data = { &answer, sizeof(answer) };
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { .bytes = { 0 } };
	struct msghdr message = { .msg_iov = &data, .msg_iovlen = 1 };

	snprintf(answer.why, sizeof(answer.why), "%s", why);
	if (with >= 0) {
		message.msg_control = control.bytes;
		message.msg_controllen = sizeof(control.bytes);
		*CMSG_FIRSTHDR(&message) = (struct cmsghdr) {
			.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS,
			.cmsg_len = CMSG_LEN(sizeof(int)),
		};
		memcpy(CMSG_DATA(CMSG_FIRSTHDR(&message)), &with, sizeof(with));
	}
	sendmsg(fd, &message, MSG_NOSIGNAL);
}

static void reply(int fd, uint32_t version, uint32_t number, const char *why, int with)
{
	const struct tw_helper_answer answer = {
		.version = version, .number = number, .base = 100 + number,
	};

	send_to(fd, answer, why, with);
}

static void say_loading(int fd, uint32_t number)
{
	const struct tw_helper_answer answer = {
		.version = TW_HELPER_VERSION, .number = number, .is_loading = 1,
	};

	send_to(fd, answer, "", -1);
}

/* Handles a question as the helper; false: it ends. */
typedef bool answers(int fd, const struct tw_helper_question *question);

static pid_t start(answers *answer)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct tw_helper_question question;
	int listening = socket(AF_UNIX, SOCK_SEQPACKET, 0), fd;
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
		fd = accept(listening, NULL, NULL);
		while (recv(fd, &question, sizeof(question), 0) ==
		       (ssize_t)sizeof(question) && answer(fd, &question))
			;
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

static bool good(int fd, const struct tw_helper_question *q)
{
	reply(fd, TW_HELPER_VERSION, q->number, "",
	      q->what == TW_HELPER_LOAD ? 0 : -1);
	return true;
}

/* Answers to other jobs come first, one with a descriptor. */
static bool late(int fd, const struct tw_helper_question *q)
{
	reply(fd, TW_HELPER_VERSION, q->number + 7, "not for you", -1);
	reply(fd, TW_HELPER_VERSION, q->number - 1 ? q->number - 1 : 99,
	      "nor this one", 0);
	return good(fd, q);
}

static bool refuses(int fd, const struct tw_helper_question *q)
{
	reply(fd, TW_HELPER_VERSION, q->number, "no room", -1);
	return true;
}

static bool refuses_all(int fd, const struct tw_helper_question *q)
{
	(void)q;
	reply(fd, TW_HELPER_VERSION, 0, "too many", -1);
	return false;
}

static bool is_older(int fd, const struct tw_helper_question *q)
{
	reply(fd, TW_HELPER_VERSION + 1, q->number, "", 0);
	return true;
}

static bool sends_none(int fd, const struct tw_helper_question *q)
{
	reply(fd, TW_HELPER_VERSION, q->number, "", -1);
	return true;
}

static bool hangs(int fd, const struct tw_helper_question *q)
{
	return q->what == TW_HELPER_LOAD ? good(fd, q) : true;
}

static bool ends(int fd, const struct tw_helper_question *q)
{
	return q->what == TW_HELPER_LOAD && good(fd, q);
}

static bool silent(int fd, const struct tw_helper_question *q)
{
	(void)fd;
	(void)q;
	return true;
}

static bool says_so_and_loads(int fd, const struct tw_helper_question *q)
{
	say_loading(fd, q->number);
	return good(fd, q);
}

static bool loads_for_ever(int fd, const struct tw_helper_question *q)
{
	say_loading(fd, q->number);
	say_loading(fd, q->number);
	return true;
}

static bool loads_only(int fd, const struct tw_helper_question *q)
{
	if (q->what == TW_HELPER_LOAD)
		return says_so_and_loads(fd, q);
	return loads_for_ever(fd, q);
}

/* ---- cases ---- */

static char why[TW_KERNEL_WHY];

static void loads(const char *what, answers *answer, const char *text)
{
	pid_t child = start(answer);
	int fd;

	why[0] = '\0';
	fd = tw_remote_load(64, why);
	tap_ok((fd >= 0) == !*text && strcmp(why, text) == 0, "%s: %s", what,
	       *why ? why : "loaded");
	if (fd >= 0)
		close(fd);
	end(child);
}

static void expects(const char *what, answers *answer, const char *text)
{
	pid_t child = start(answer);
	uint32_t base = 0;
	int fd = tw_remote_load(64, why), error;

	why[0] = '\0';
	error = tw_remote_expect(1, 64, &base, why);
	tap_ok(!error == !*text && strcmp(why, text) == 0 &&
	       (error || base == 102), "%s: %s", what, *why ? why : "expected");
	if (fd >= 0)
		close(fd);
	end(child);
}

static void waits_once(void)
{
	pid_t child = start(hangs);
	int fd = tw_remote_load(64, why);

	answer_ms = 50;
	tap_ok(tw_remote_made(1, why) == -ETIMEDOUT &&
	       strcmp(why, "the kernel helper does not answer") == 0,
	       "one that hangs: %s", why);
	tap_ok(tw_remote_made(1, why) == -EPIPE &&
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
	loads("one that does nothing", silent, "the kernel helper does not answer");
	answer_ms = FOR_EVER_MS;
	load_ms = 50;
	loads("one that loads for ever", loads_for_ever,
	      "the kernel helper does not answer");
	answer_ms = load_ms = FOR_EVER_MS;
	child = start(loads_only);
	fd = tw_remote_load(64, why);
	answer_ms = 50;
	tap_ok(fd >= 0 && tw_remote_made(1, why) == -ETIMEDOUT,
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
		struct tw_helper_question question;

		usleep(100000);
		close(accept(listening, NULL, NULL));
		fd = accept(listening, NULL, NULL);
		if (recv(fd, &question, sizeof(question), 0) > 0)
			good(fd, &question);
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
	if (!mkdtemp(path))
		return 1;
	snprintf(address_path, sizeof(address_path), "%s/socket", path);
	setenv("TICKWISE_KERNEL_SOCKET", address_path, 1);
	tap_ok(tw_remote_load(64, why) == -ENOENT, "no helper");
	setenv("TICKWISE_KERNEL_SOCKET", "/dev/null/socket", 1);
	tap_ok(tw_remote_load(64, why) == -ENOENT, "nor one in what is no folder");
	setenv("TICKWISE_KERNEL_SOCKET", address_path, 1);
	loads("one that answers", good, "");
	loads("with answers to others", late, "");
	loads("one that refuses", refuses, "the kernel helper: no room");
	loads("one that refuses all", refuses_all, "the kernel helper: too many");
	loads("one of another version", is_older, "the kernel helper is of another version of tickwise");
	loads("one that says that it loads", says_so_and_loads, "");
	loads("one that sends no memory", sends_none,
	      "the kernel helper sent no memory");
	expects("a ring", good, "");
	expects("a ring, with answers to others", late, "");
	expects("a helper that ends", ends, "the kernel helper has ended");
	waits_once();
	waits_for_its_turn();
	has_two_limits();
	unlink(address_path);
	rmdir(path);
	return tap_done();
}
