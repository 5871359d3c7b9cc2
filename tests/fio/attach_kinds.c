/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For kernel_attach.t: attach_kinds FILE [MODE] reads the file, and uses io_uring for
 * other things, each this number of times:
 *
 *	21	reads
 *	4	multishot accepts of 3 connections, each of which is then cancelled
 *	10	sends, and as many receives
 *	5	timeouts that run out
 *	4	chains of a timeout and a read
 *	3	timeouts and a read after all that was submitted before it
 *	6	reads without a completion
 *	10	reads of no file
 *	7	reads of a pipe that wait for data
 *
 * A MODE has reads alone:
 *
 *	registered	9 when stdin has ended, of a ring that keeps no descriptor
 *	many		20000, each of a ring of its own, with 2000 open at most
 *	crowd		16600, each of a ring of its own, when all of these are open
 *	waiting		1000, while 70000 of a pipe wait for data
 *	fork		5 each of two children, after a byte each on stdin
 *
 * Exit 2 with the reason where io_uring can't be used so.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <liburing.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static struct io_uring ring;
static int file;

static void need(int good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "attach_kinds: no %s\n", what);
	exit(2);
}

static struct io_uring_sqe *next(void)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&ring);

	need(sqe != NULL, "entry");
	return sqe;
}

/*
 * Submit the prepared entries and take @count completions. Return the result of the
 * last.
 */
static int take(unsigned count)
{
	struct io_uring_cqe *cqe;
	int result = 0;

	io_uring_submit(&ring);
	while (count--) {
		need(io_uring_wait_cqe(&ring, &cqe) == 0, "completion");
		result = cqe->res;
		io_uring_cqe_seen(&ring, cqe);
	}
	return result;
}

static char data[8];

static struct io_uring_sqe *prepare_read(void)
{
	struct io_uring_sqe *sqe = next();

	io_uring_prep_read(sqe, file, data, sizeof(data), 0);
	return sqe;
}

static void reads(unsigned count)
{
	while (count--) {
		prepare_read();
		need(take(1) == sizeof(data), "read");
	}
}

static int listening(struct sockaddr_in *at)
{
	socklen_t size = sizeof(*at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	*at = (struct sockaddr_in) {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	need(bind(fd, (void *)at, size) == 0 && listen(fd, 16) == 0 &&
	     getsockname(fd, (void *)at, &size) == 0, "socket");
	return fd;
}

/* Make one connection: the accepted end and the connecting end. */
static void connections(int ends[2])
{
	struct sockaddr_in at;
	int server = listening(&at), i;
	struct io_uring_sqe *sqe = next();

	io_uring_prep_multishot_accept(sqe, server, NULL, NULL, 0);
	sqe->user_data = 1;
	io_uring_submit(&ring);
	for (i = 0; i < 3; i++) {
		ends[1] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		need(connect(ends[1], (void *)&at, sizeof(at)) == 0, "connection");
		ends[0] = take(1);
		need(ends[0] >= 0, "multishot accept");
	}
	sqe = next();
	io_uring_prep_cancel64(sqe, 1, 0);
	sqe->user_data = 2;
	take(2);
	close(server);
}

static void messages(const int ends[2])
{
	int i;

	for (i = 0; i < 10; i++) {
		io_uring_prep_send(next(), ends[1], "hello", 5, 0);
		take(1);
		io_uring_prep_recv(next(), ends[0], data, sizeof(data), 0);
		need(take(1) == 5, "message");
	}
}

static void timeouts(void)
{
	struct __kernel_timespec soon = { .tv_nsec = 1000000 };
	struct io_uring_sqe *sqe;
	int i;

	for (i = 0; i < 5; i++) {
		io_uring_prep_timeout(next(), &soon, 0, 0);
		take(1);
	}
	for (i = 0; i < 4; i++) {
		sqe = next();
		io_uring_prep_timeout(sqe, &soon, 0, IORING_TIMEOUT_ETIME_SUCCESS);
		sqe->flags |= IOSQE_IO_LINK;
		prepare_read();
		take(2);
	}
}

/* In a ring of its own: with IOSQE_CQE_SKIP_SUCCESS there is no draining. */
static void drained_reads(void)
{
	struct __kernel_timespec soon = { .tv_nsec = 1000000 };
	const struct io_uring first = ring;
	int i;

	need(io_uring_queue_init(64, &ring, 0) == 0, "second ring");
	for (i = 0; i < 3; i++) {
		io_uring_prep_timeout(next(), &soon, 0, 0);
		prepare_read()->flags |= IOSQE_IO_DRAIN;
		take(2);
	}
	io_uring_queue_exit(&ring);
	ring = first;
}

static void odd_reads(void)
{
	int i, ends[2];

	for (i = 0; i < 6; i++) {
		prepare_read()->flags |= IOSQE_CQE_SKIP_SUCCESS;
		take(0);
	}
	for (i = 0; i < 10; i++) {
		io_uring_prep_read(next(), -1, data, sizeof(data), 0);
		take(1);
	}
	need(pipe(ends) == 0, "pipe");
	for (i = 0; i < 7; i++) {
		io_uring_prep_read(next(), ends[0], data, sizeof(data), 0);
		take(0);
		need(write(ends[1], data, sizeof(data)) == sizeof(data), "data");
		take(1);
	}
}

static void need_files(unsigned count)
{
	struct rlimit files;

	getrlimit(RLIMIT_NOFILE, &files);
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
	if (files.rlim_cur >= count)
		return;
	fprintf(stderr, "attach_kinds: no more than %llu open files\n",
		(unsigned long long)files.rlim_cur);
	exit(2);
}

/*
 * Close as many at a time as may be open: the kernel needs a while to free them,
 * and the next ones are at other places.
 */
static void many_rings(void)
{
	static struct io_uring rings[2000];
	const unsigned most = sizeof(rings) / sizeof(*rings);
	unsigned made, open = 0, i;

	need_files(most + 100);
	for (made = 0; made < 20000; made++) {
		/* Closed ones still count until the kernel has freed them. */
		while (io_uring_queue_init(1, &ring, 0))
			usleep(1000);
		reads(1);
		rings[open++] = ring;
		for (i = 0; open == most && i < most; i++)
			io_uring_queue_exit(&rings[i]);
		open %= most;
	}
}

static void crowd(void)
{
	static struct io_uring rings[16600];
	const unsigned count = sizeof(rings) / sizeof(*rings);
	unsigned i;

	need_files(count + 100);
	for (i = 0; i < count; i++)
		need(io_uring_queue_init(1, &rings[i], 0) == 0, "memory for 16600 rings");
	for (i = 0; i < count; i++) {
		ring = rings[i];
		reads(1);
	}
}

static void waiting(void)
{
	int ends[2];

	need(pipe(ends) == 0, "pipe");
	for (unsigned i = 0; i < 70000; i++) {
		io_uring_prep_read(next(), ends[0], data, sizeof(data), 0);
		take(0);
	}
	reads(1000);
}

static void children(void)
{
	char byte;
	int i;

	puts("ready");
	fflush(stdout);
	for (i = 0; i < 2; i++)
		if (fork() == 0) {
			need(read(0, &byte, 1) == 1, "byte");
			need(io_uring_queue_init(64, &ring, 0) == 0, "ring");
			reads(5);
			exit(0);
		}
	while (wait(NULL) > 0)
		;
}

static void registered(void)
{
	need(io_uring_register_ring_fd(&ring) == 1, "registered ring");
	close(ring.ring_fd);
	puts("ready");
	fflush(stdout);
	while (getchar() != EOF)
		;
	reads(9);
}

static void all_kinds(void)
{
	int ends[2], i;

	reads(20);
	for (i = 0; i < 4; i++)
		connections(ends);
	messages(ends);
	timeouts();
	drained_reads();
	odd_reads();
	reads(1);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *mode;
		void (*run)(void);
		int needs_ring;
	} all[] = {
		{ "all", all_kinds, 1 }, { "registered", registered, 1 },
		{ "many", many_rings, 0 }, { "crowd", crowd, 0 },
		{ "waiting", waiting, 1 }, { "fork", children, 0 },
	};
	const char *mode = argc > 2 ? argv[2] : "all";

	need(argc > 1 && (file = open(argv[1], O_RDONLY | O_CLOEXEC)) >= 0, "file");
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		if (strcmp(mode, all[i].mode) != 0)
			continue;
		need(!all[i].needs_ring || io_uring_queue_init(64, &ring, 0) == 0, "ring");
		all[i].run();
	}
	return 0;
}
