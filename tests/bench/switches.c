/* SPDX-License-Identifier: MIT */
/*
 * switches KIND COUNT: two threads on one CPU wake each other COUNT times, and sleep. Prints the
 * ns of a round, which is two sleeps and two switches. KIND: futex, pipe, epoll. Or `reads FILE
 * COUNT`: COUNT reads of 4 KiB from the page cache; prints the ns of one. They are of CPU time, as
 * one of the threads always runs, and of the fastest twentieth, as other programs have the CPU's
 * caches in between.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

static enum { FUTEX, PIPE, EPOLL } kind;
static sem_t futexes[2];
static int pipes[2][2], polls[2];
static long count;
static double least_ns;

#define PIECES	20

static void fail_if(int is)
{
	if (is)
		exit(1);
}

static void wake(int which)
{
	if (kind == FUTEX)
		sem_post(&futexes[which]);
	else
		fail_if(write(pipes[which][1], "x", 1) != 1);
}

static void wait_for(int which)
{
	struct epoll_event event;
	char byte;

	if (kind == FUTEX) {
		sem_wait(&futexes[which]);
		return;
	}
	if (kind == EPOLL)
		fail_if(epoll_wait(polls[which], &event, 1, -1) != 1);
	fail_if(read(pipes[which][0], &byte, 1) != 1);
}

static void *answer(void *nothing)
{
	for (long i = 0; i < count; i++) {
		wait_for(0);
		wake(1);
	}
	return nothing;
}

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Note that a round, or a read, has begun. */
static void next(long i)
{
	static double from_ns;
	const long piece = count / PIECES;
	double now, each;

	if (i % piece)
		return;
	now = now_ns();
	each = (now - from_ns) / (double)piece;
	from_ns = now;
	if (i && (!least_ns || each < least_ns))
		least_ns = each;
}

static void read_file(const char *path)
{
	char *page = malloc(4096);
	const int file = open(path, O_RDONLY);

	fail_if(!page || file < 0);
	for (long i = 0; i < count; i++) {
		next(i);
		fail_if(pread(file, page, 4096, i % 256 * 4096) != 4096);
	}
	free(page);
}

static void exchange(void)
{
	pthread_t other;

	for (int i = 0; i < 2; i++) {
		struct epoll_event event = { .events = EPOLLIN };

		sem_init(&futexes[i], 0, 0);
		fail_if(pipe(pipes[i]));
		polls[i] = epoll_create1(0);
		fail_if(epoll_ctl(polls[i], EPOLL_CTL_ADD, pipes[i][0], &event));
	}
	fail_if(pthread_create(&other, NULL, answer, NULL));
	for (long i = 0; i < count; i++) {
		next(i);
		wake(0);
		wait_for(1);
	}
	pthread_join(other, NULL);
}

int main(int argc, char **argv)
{
	const int reads = argc == 4 && !strcmp(argv[1], "reads");
	cpu_set_t one;

	count = argc == 3 || reads ? strtol(argv[argc - 1], NULL, 10) : 0;
	if (count < PIECES)
		return 64;
	kind = !strcmp(argv[1], "pipe") ? PIPE : !strcmp(argv[1], "epoll") ? EPOLL : FUTEX;
	CPU_ZERO(&one);
	CPU_SET(1, &one);
	sched_setaffinity(0, sizeof(one), &one);
	if (reads)
		read_file(argv[2]);
	else
		exchange();
	printf("%.1f\n", least_ns);
	return 0;
}
