/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For kernel_attach.t: a program that uses io_uring for other things than files,
 * each this number of times:
 *
 *	4	multishot accepts of 3 connections, each of which is then cancelled
 *	10	sends, and as many receives
 *	5	timeouts that run out
 *	4	chains of a timeout and a nop
 *	6	nops without a completion
 *	10	reads of no file
 *
 * With "registered" the ring keeps no descriptor, and 9 nops follow when stdin has
 * ended. With "many" it makes 8000 rings, each for one nop, with 2000 open at most.
 * Exit 2 with the reason where io_uring can't be used so.
 */
#include <arpa/inet.h>
#include <liburing.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

static struct io_uring ring;

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

static void nops(unsigned count)
{
	while (count--) {
		io_uring_prep_nop(next());
		take(1);
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
	char data[8];
	int i;

	for (i = 0; i < 10; i++) {
		io_uring_prep_send(next(), ends[1], "hello", 5, 0);
		take(1);
		io_uring_prep_recv(next(), ends[0], data, sizeof(data), 0);
		need(take(1) == 5, "message");
	}
}

static void others(void)
{
	struct __kernel_timespec soon = { .tv_nsec = 1000000 };
	struct io_uring_sqe *sqe;
	char data[8];
	int i;

	for (i = 0; i < 5; i++) {
		io_uring_prep_timeout(next(), &soon, 0, 0);
		take(1);
	}
	for (i = 0; i < 4; i++) {
		sqe = next();
		io_uring_prep_timeout(sqe, &soon, 0, IORING_TIMEOUT_ETIME_SUCCESS);
		sqe->flags |= IOSQE_IO_LINK;
		io_uring_prep_nop(next());
		take(2);
	}
	for (i = 0; i < 6; i++) {
		sqe = next();
		io_uring_prep_nop(sqe);
		sqe->flags |= IOSQE_CQE_SKIP_SUCCESS;
		take(0);
	}
	for (i = 0; i < 10; i++) {
		io_uring_prep_read(next(), -1, data, sizeof(data), 0);
		take(1);
	}
}

/*
 * Close as many at a time as may be open: the kernel needs a while to free them,
 * and the next ones are at other places.
 */
static void many_rings(void)
{
	static struct io_uring rings[2000];
	unsigned most = sizeof(rings) / sizeof(*rings), made, open = 0, i;
	struct rlimit files;

	getrlimit(RLIMIT_NOFILE, &files);
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
	need(files.rlim_cur > 200, "200 open files");
	if (files.rlim_cur < most + 100)
		most = (unsigned)files.rlim_cur - 100;
	for (made = 0; made < 8000; made++) {
		/* Closed ones still count until the kernel has freed them. */
		while (io_uring_queue_init(1, &ring, 0))
			usleep(1000);
		nops(1);
		rings[open++] = ring;
		for (i = 0; open == most && i < most; i++)
			io_uring_queue_exit(&rings[i]);
		open %= most;
	}
}

int main(int argc, char **argv)
{
	int ends[2], i;

	need(io_uring_queue_init(64, &ring, 0) == 0, "ring");
	if (argc > 1 && strcmp(argv[1], "many") == 0) {
		many_rings();
		return 0;
	}
	if (argc > 1) {
		need(io_uring_register_ring_fd(&ring) == 1, "registered ring");
		close(ring.ring_fd);
		puts("ready");
		fflush(stdout);
		while (getchar() != EOF)
			;
		nops(9);
		return 0;
	}
	for (i = 0; i < 4; i++)
		connections(ends);
	messages(ends);
	others();
	nops(20);
	return 0;
}
