/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For bench/attach_server.sh: a server that also does disk I/O, all through io_uring, and
 * its clients, on loopback.
 *
 *	attach_server FILE CONNECTIONS A_SECOND READS A_SECOND IDLE
 *
 * Each of CONNECTIONS is accepted, receives 5 bytes, sends them back, and is closed.
 * Another thread reads FILE in its own ring, 4096 bytes each, directly where the file
 * system can. IDLE connections more wait for data from the beginning to the end. With 0
 * a second all is done as fast as possible. The last line has the rates.
 *
 * Exit 2 with the reason where this is impossible.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <liburing.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define BLOCK		4096
#define DEPTH		16
#define ACCEPTS		64
#define CLIENTS		4	/* threads */
#define MESSAGE		5

static const char *path;
static unsigned connections, connections_rate, reads_count, reads_rate, idle;
static struct sockaddr_in at;
static int listener;

static void need(int good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "attach_server: no %s\n", what);
	exit(2);
}

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Sleep until number @done of a schedule with @rate a second is due. */
static void pace(double from_s, unsigned done, unsigned rate)
{
	double left = rate ? from_s + (double)done / rate - now_s() : 0;

	if (left > 0)
		usleep((useconds_t)(left * 1e6));
}

/* ---- clients ------------------------------------------------------------------ */

static int connected(void)
{
	const struct linger reset = { .l_onoff = 1 };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	/* A reset leaves no port in TIME_WAIT, of which there are 28,000. */
	need(fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset)) == 0 &&
	     connect(fd, (const void *)&at, sizeof(at)) == 0, "connection");
	return fd;
}

static void *client(void *context)
{
	const unsigned mine = connections / CLIENTS;
	double from_s = now_s();
	char text[MESSAGE];

	(void)context;
	for (unsigned i = 0; i < mine; i++) {
		int fd;

		pace(from_s, i, connections_rate / CLIENTS);
		fd = connected();
		need(send(fd, "hello", MESSAGE, 0) == MESSAGE &&
		     recv(fd, text, MESSAGE, MSG_WAITALL) == MESSAGE, "answer");
		close(fd);
	}
	return NULL;
}

/* ---- the server ---------------------------------------------------------------- */

enum { ACCEPT, RECEIVE, SEND, CLOSE };

static struct io_uring ring;
static char (*messages)[MESSAGE];	/* by descriptor */

static struct io_uring_sqe *next(void)
{
	struct io_uring_sqe *sqe;

	while (!(sqe = io_uring_get_sqe(&ring)))
		io_uring_submit(&ring);
	return sqe;
}

static void mark(struct io_uring_sqe *sqe, unsigned operation, int fd)
{
	sqe->user_data = (__u64)operation << 32 | (unsigned)fd;
}

static void begin_accept(void)
{
	struct io_uring_sqe *sqe = next();

	io_uring_prep_accept(sqe, listener, NULL, NULL, SOCK_CLOEXEC);
	mark(sqe, ACCEPT, 0);
}

/* Go on with a connection. Return 1 if it is closed. */
static unsigned take(const struct io_uring_cqe *cqe)
{
	const unsigned operation = (unsigned)(cqe->user_data >> 32);
	const int fd = operation == ACCEPT ? cqe->res : (int)(unsigned)cqe->user_data;
	struct io_uring_sqe *sqe;

	if (operation == CLOSE)
		return 1;
	need(cqe->res >= 0, "server");
	if (operation == ACCEPT)
		begin_accept();
	sqe = next();
	if (operation == ACCEPT)
		io_uring_prep_recv(sqe, fd, messages[fd], MESSAGE, MSG_WAITALL);
	else if (operation == RECEIVE)
		io_uring_prep_send(sqe, fd, messages[fd], MESSAGE, 0);
	else
		io_uring_prep_close(sqe, fd);
	mark(sqe, operation + 1, fd);
	return 0;
}

static void *server(void *context)
{
	unsigned closed = 0;

	(void)context;
	for (int i = 0; i < ACCEPTS; i++)
		begin_accept();
	while (closed < connections / CLIENTS * CLIENTS) {
		struct io_uring_cqe *cqe;
		unsigned head, count = 0;

		need(io_uring_submit_and_wait(&ring, 1) >= 0, "submission");
		io_uring_for_each_cqe(&ring, head, cqe) {
			closed += take(cqe);
			count++;
		}
		io_uring_cq_advance(&ring, count);
	}
	return NULL;
}

/* ---- the disk ------------------------------------------------------------------- */

static int open_file(off_t *size)
{
	int fd = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
	struct stat of;

	if (fd < 0)
		fd = open(path, O_RDONLY | O_CLOEXEC);
	need(fd >= 0 && fstat(fd, &of) == 0 && of.st_size >= BLOCK, "file of a block");
	*size = of.st_size;
	return fd;
}

static void *reader(void *context)
{
	static char data[DEPTH][BLOCK] __attribute__((aligned(BLOCK)));
	double from_s = now_s();
	unsigned begun = 0, done = 0;
	struct io_uring disk;
	off_t size;
	int fd = open_file(&size);

	(void)context;
	need(io_uring_queue_init(DEPTH, &disk, 0) == 0, "ring");
	while (done < reads_count) {
		struct io_uring_cqe *cqe;

		while (begun < reads_count && begun - done < DEPTH) {
			pace(from_s, begun, reads_rate);
			io_uring_prep_read(io_uring_get_sqe(&disk), fd,
				data[begun % DEPTH], BLOCK,
				(__u64)(rand() % (size / BLOCK)) * BLOCK);
			begun++;
			io_uring_submit(&disk);
			if (io_uring_cq_ready(&disk))
				break;
		}
		need(io_uring_wait_cqe(&disk, &cqe) == 0 && cqe->res == BLOCK, "read");
		io_uring_cqe_seen(&disk, cqe);
		done++;
	}
	return NULL;
}

static void listen_here(void)
{
	socklen_t size = sizeof(at);

	at = (struct sockaddr_in) {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	need(listener >= 0 && bind(listener, (void *)&at, size) == 0 &&
	     listen(listener, 1024) == 0 &&
	     getsockname(listener, (void *)&at, &size) == 0, "socket");
}

static void raise_limit(void)
{
	struct rlimit files;

	getrlimit(RLIMIT_NOFILE, &files);
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
	need(files.rlim_cur >= 2 * idle + 200, "descriptors");
	messages = calloc(files.rlim_cur, sizeof(*messages));
	need(messages != NULL, "memory");
}

static pthread_t start(void *(*run)(void *))
{
	pthread_t thread;

	need(pthread_create(&thread, NULL, run, NULL) == 0, "thread");
	return thread;
}

int main(int argc, char **argv)
{
	pthread_t serves, reads, clients[CLIENTS];
	double from_s, connections_s, reads_s;

	need(argc == 7, "arguments");
	path = argv[1];
	connections = (unsigned)atoi(argv[2]);
	connections_rate = (unsigned)atoi(argv[3]);
	reads_count = (unsigned)atoi(argv[4]);
	reads_rate = (unsigned)atoi(argv[5]);
	idle = (unsigned)atoi(argv[6]);
	raise_limit();
	listen_here();
	need(io_uring_queue_init(4096, &ring, 0) == 0, "ring");
	serves = start(server);
	for (unsigned i = 0; i < idle; i++)
		connected();
	from_s = now_s();
	reads = start(reader);
	for (int i = 0; i < CLIENTS; i++)
		clients[i] = start(client);
	for (int i = 0; i < CLIENTS; i++)
		pthread_join(clients[i], NULL);
	pthread_join(serves, NULL);
	connections_s = now_s() - from_s;
	pthread_join(reads, NULL);
	reads_s = now_s() - from_s;
	printf("%u connections, %.0f/s; %u reads, %.0f/s\n", connections / CLIENTS * CLIENTS,
	       connections / CLIENTS * CLIENTS / connections_s, reads_count,
	       reads_count / reads_s);
	return 0;
}
