/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Asks `tickwise kernel-helper` what no engine of ours would ask, and prints its
 * answers, one on a line: "CASE: ok" or "CASE: REASON". For kernel_helper.t.
 *
 *	helper_client SOCKET garbage	messages that are no questions, each on a
 *					connection of its own
 *	helper_client SOCKET asks	questions about rings that are not its own, and
 *					uses of the descriptor
 *	helper_client SOCKET orphan	a child asks when its parent has ended
 *	helper_client SOCKET crowd	connections until one is refused
 *	helper_client SOCKET mute	questions whose answers are not read
 *	helper_client SOCKET reuse	another user gets the number of a thread that was
 *					announced. As root, first in a namespace of
 *					processes
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/io_uring.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "helper_client.h"

#define SLOTS	64

static int load(int fd)
{
	const struct tw_helper_question asked = question(TW_HELPER_LOAD, 0, SLOTS);
	int memory;

	send(fd, &asked, sizeof(asked), MSG_NOSIGNAL);
	report("load", answer_of(fd, &memory));
	return memory;
}

/* ---- garbage ---- */

static void throw(const char *what, const void *bytes, size_t size)
{
	int memory, fd = connect_to_helper();

	send(fd, bytes, size, MSG_NOSIGNAL);
	report(what, answer_of(fd, &memory));
	close(fd);
}

static void garbage(void)
{
	static char many[4096];
	struct tw_helper_question asked = question(TW_HELPER_LOAD, 0, 0);

	memset(many, 0xff, sizeof(many));
	throw("nothing", many, 0);
	throw("one byte", many, 1);
	throw("4096 bytes", many, sizeof(many));
	throw("cut off", &asked, sizeof(asked) - 1);
	memcpy(many, &asked, sizeof(asked));
	throw("longer", many, sizeof(many));
	throw("no slots", &asked, sizeof(asked));
	asked.entries = UINT32_MAX;
	throw("all slots", &asked, sizeof(asked));
	asked = question(TW_HELPER_LOAD, 0, SLOTS);
	asked.version++;
	throw("another version", &asked, sizeof(asked));
	asked = question(UINT32_MAX, 0, SLOTS);
	throw("no such question", &asked, sizeof(asked));
	asked = question(TW_HELPER_EXPECT, (uint32_t)getpid(), SLOTS);
	throw("a ring before loading", &asked, sizeof(asked));
}

/* ---- asks ---- */

static void try_memory(int memory)
{
	const size_t size = SLOTS * sizeof(struct tw_slot);
	union bpf_attr attr = { .map_fd = (uint32_t)memory };
	struct tw_slot slot = { .key = 1 };
	uint32_t index = 0;
	void *mapped;

	report("map to write", mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED,
				    memory, 0) == MAP_FAILED ? "refused" : "done");
	mapped = mmap(NULL, size, PROT_READ, MAP_SHARED, memory, 0);
	report("map to read", mapped == MAP_FAILED ? "refused" : "done");
	report("make it writable", mprotect(mapped, size, PROT_READ | PROT_WRITE) ?
	       "refused" : "done");
	attr.key = (uintptr_t)&index;
	attr.value = (uintptr_t)&slot;
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
		{ "no entries", own, 0 },
		{ "3 entries", own, 3 },
		{ "more than there are", own, 2 * SLOTS },
		{ "2^31 entries", own, 1U << 31 },
		{ "all bits", own, UINT32_MAX },
		{ "thread 0", 0, 1 },
		{ "thread 1", 1, 1 },
		{ "its parent's thread", (uint32_t)getppid(), 1 },
		{ "thread -1", UINT32_MAX, 1 },
	};
	int fd = connect_to_helper(), memory = load(fd);
	unsigned i;

	try_memory(memory);
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

/*
 * Start a process that connects, and ends when its child has asked; the child asks
 * again.
 */
static void leave_orphan(void)
{
	int fd = connect_to_helper(), ends[2];
	const pid_t parent = getpid();
	char byte = 0;

	load(fd);
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
	for (i = 0; i < 4; i++)
		connect_to_helper();
	load(connect_to_helper());
}

/* ---- mute ---- */

static void mute(void)
{
	const struct tw_helper_question load_all =
		question(TW_HELPER_LOAD, 0, TW_HELPER_MAX_SLOTS);
	const struct tw_helper_question expect =
		question(TW_HELPER_EXPECT, (uint32_t)syscall(SYS_gettid), 1);
	int fd = connect_to_helper(), memory;
	unsigned i;

	send(fd, &load_all, sizeof(load_all), MSG_NOSIGNAL);
	report("load", answer_of(fd, &memory));
	/* Each is granted, until the answers fill the socket. */
	for (i = 0; i < TW_HELPER_MAX_SLOTS &&
		    send(fd, &expect, sizeof(expect), MSG_NOSIGNAL) > 0; i++)
		;
	report("unread answers", i < TW_HELPER_MAX_SLOTS ? "ended" : "goes on");
}

/* ---- reuse ---- */

#define FAR		0xfff00000005ULL	/* user_data beyond the slots */
#define MARK		(7ULL << 32)	/* user_data of the other user */
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

/* The I/O with user_data FAR is in the only slot of its ring, and no other is written. No
 * slot has an address of the kernel. */
static const char *judge_slots(const volatile struct tw_slot *slots)
{
	const volatile uint64_t *words = (const volatile uint64_t *)slots;
	size_t i;

	if (slots[0].key != FAR || !slots[0].accepted_ns)
		return "no stamps";
	for (i = 0; i < SLOTS * sizeof(*slots) / sizeof(*words); i++)
		if (words[i] >> 48 == 0xffff)
			return "an address";
	for (i = sizeof(*slots) / sizeof(*words); i < SLOTS * sizeof(*slots) /
	     sizeof(*words); i++)
		if (words[i])
			return "another slot is written";
	return "ok";
}

/* The allowed user: announce a thread that ends without another ring. */
static void let_in(int to, int from)
{
	const volatile struct tw_slot *slots;
	int fd, memory, is_seen = 0;
	char byte = 0;
	pid_t child;
	unsigned i;

	become(65534);
	fd = connect_to_helper();
	memory = load(fd);
	slots = mmap(NULL, SLOTS * sizeof(*slots), PROT_READ, MAP_SHARED, memory, 0);
	child = fork();
	if (child == 0) {
		/* The helper sees the first ring. */
		report("announced", ask(fd, TW_HELPER_EXPECT, (uint32_t)getpid(), 1));
		report("used", use_ring(FAR) ? "ok" : "no ring");
		report("made", ask(fd, TW_HELPER_MADE, (uint32_t)getpid(), 0));
		report("stamped", judge_slots(slots));
		report("again", ask(fd, TW_HELPER_EXPECT, (uint32_t)getpid(), 1));
		_exit(0);
	}
	waitpid(child, NULL, 0);
	if (write(to, &child, sizeof(child)) != sizeof(child) ||
	    read(from, &byte, 1) != 1)
		_exit(1);
	for (i = 0; i < SLOTS; i++)
		is_seen |= slots[i].key == MARK;
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
			used += use_ring(MARK);
		report("same number", getpid() == dead ? "ok" : "no");
		report("rings of the other", used == SOME_RINGS ? "ok" : "no");
		_exit(0);
	}
	waitpid(child, NULL, 0);
	if (write(from[1], "", 1) != 1)
		exit(1);
	wait(NULL);
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	path = argv[1];
	if (!strcmp(argv[2], "garbage"))
		garbage();
	else if (!strcmp(argv[2], "asks"))
		asks();
	else if (!strcmp(argv[2], "orphan"))
		orphan();
	else if (!strcmp(argv[2], "crowd"))
		crowd();
	else if (!strcmp(argv[2], "mute"))
		mute();
	else if (!strcmp(argv[2], "reuse"))
		reuse();
	else
		return 2;
	return 0;
}
