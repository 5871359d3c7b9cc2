/* SPDX-License-Identifier: MIT */
/*
 * A device of known behaviour between any io_uring engine and the kernel
 * (LD_PRELOAD): it catches every io_uring_setup and io_uring_enter, ours and
 * fio's alike (kernel_gate.h), and does them with changed entries.
 *
 *	DEVICE_DUE_US=N		the n-th of each eight blocks of a file takes
 *				n times N microseconds from its submission on:
 *				the read of a timer takes the transfer's place
 *	DEVICE_ERROR=N:ERRNO	every Nth transfer fails and moves nothing
 *	DEVICE_GONE=N:ERRNO	so do all from the Nth on
 *	DEVICE_SHORT=N		every Nth moves only its first half
 *	DEVICE_NONE=N		every Nth moves nothing, without an error
 *	DEVICE_REFUSE=N:ERRNO	every Nth submitting call fails
 *	DEVICE_WAIT=N:ERRNO	every Nth waiting call fails
 *	DEVICE_OVERFLOW=N	no more than N completions are visible at a
 *				time, the others when the kernel is entered
 *				again, as with a completion ring that overflows
 *	DEVICE_LATE=FILE	FILE.PID: after DEVICE_DUE_US, n and how much
 *				later than due it was there, in us, a line each
 *
 * For jobs that are processes, whose completions are posted inside of
 * io_uring_enter (not with sqthread_poll). For fio alone, and not everywhere:
 * kernel_gate.h says why.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/io_uring.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "kernel_gate.h"

#ifndef IORING_SETUP_NO_SQARRAY	/* newer than some headers (Linux 6.6) */
#define IORING_SETUP_NO_SQARRAY	(1U << 16)
#endif

#define MOST	1024

/* What becomes of a transfer that the kernel has. */
struct fate {
	uint64_t user_data;
	int64_t result;
	int changed;		/* to @result */
	uint64_t due_ns;	/* 0: not timed */
	unsigned place;		/* n of DEVICE_DUE_US */
	uint64_t expired;	/* what the timer is read into */
};

static struct {
	unsigned *sq_head, *sq_tail, *sq_array, *sq_flags;
	unsigned sq_mask;
	struct io_uring_sqe *sqes;
	unsigned *cq_head, *cq_tail;
	unsigned cq_mask;
	struct io_uring_cqe *cqes;
	unsigned tail;		/* the kernel's, where some are hidden */
	unsigned seen;
} ring;

static struct fate fates[MOST];
static int timers[MOST];	/* of each fate; 0: none yet */
static struct io_uring_sqe saved[MOST];
static struct {
	unsigned place;
	int32_t us;
} late[1 << 16];
static unsigned lates;
static unsigned long transfers, submits, waits;

static struct {
	unsigned long due_us, error, gone, half, none, refuse, wait, visible;
	int error_errno, gone_errno, refuse_errno, wait_errno;
} device;

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

static void *map(long fd, size_t bytes, off_t what)
{
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, (int)fd,
		    what);
}

/* The ring once more, beside where its owner maps it. */
static void look_at(long fd, const struct io_uring_params *p)
{
	char *sq = map(fd, p->sq_off.array + p->sq_entries * 4,
		       IORING_OFF_SQ_RING);
	char *cq = map(fd, p->cq_off.cqes +
		       p->cq_entries * sizeof(struct io_uring_cqe),
		       IORING_OFF_CQ_RING);

	ring.sqes = map(fd, p->sq_entries * sizeof(*ring.sqes),
			IORING_OFF_SQES);
	if (sq == MAP_FAILED || cq == MAP_FAILED || ring.sqes == MAP_FAILED)
		abort();
	ring.sq_head = (unsigned *)(sq + p->sq_off.head);
	ring.sq_tail = (unsigned *)(sq + p->sq_off.tail);
	ring.sq_flags = (unsigned *)(sq + p->sq_off.flags);
	ring.sq_array = p->flags & IORING_SETUP_NO_SQARRAY ? NULL :
			(unsigned *)(sq + p->sq_off.array);
	ring.sq_mask = p->sq_entries - 1;
	ring.cq_head = (unsigned *)(cq + p->cq_off.head);
	ring.cq_tail = (unsigned *)(cq + p->cq_off.tail);
	ring.cqes = (struct io_uring_cqe *)(cq + p->cq_off.cqes);
	ring.cq_mask = p->cq_entries - 1;
	ring.tail = ring.seen = *ring.cq_tail;
}

static int is_transfer(const struct io_uring_sqe *sqe)
{
	switch (sqe->opcode) {
	case IORING_OP_READ:
	case IORING_OP_WRITE:
	case IORING_OP_READV:
	case IORING_OP_WRITEV:
	case IORING_OP_READ_FIXED:
	case IORING_OP_WRITE_FIXED:
		return 1;
	default:
		return 0;
	}
}

static unsigned length_of(const struct io_uring_sqe *sqe)
{
	if (sqe->opcode == IORING_OP_READV || sqe->opcode == IORING_OP_WRITEV)
		return (unsigned)((struct iovec *)(uintptr_t)sqe->addr)->iov_len;
	return sqe->len;
}

/* Nothing happens to the data, and it is said to have ended so. */
static void ends(struct io_uring_sqe *sqe, struct fate *fate, int64_t result)
{
	uint64_t user_data = sqe->user_data;

	memset(sqe, 0, sizeof(*sqe));
	sqe->opcode = IORING_OP_NOP;
	sqe->user_data = user_data;
	fate->result = result;
	fate->changed = 1;
}

static void takes_time(struct io_uring_sqe *sqe, struct fate *fate)
{
	int *timer = &timers[fate - fates];
	unsigned length = length_of(sqe);
	unsigned place = (unsigned)(sqe->off / length % 8) + 1;
	uint64_t span_ns = place * device.due_us * 1000;
	struct itimerspec at = { .it_value = { .tv_nsec = 0 } };

	if (!*timer)
		*timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	ends(sqe, fate, length);
	sqe->opcode = IORING_OP_READ;
	sqe->fd = *timer;
	sqe->addr = (uintptr_t)&fate->expired;
	sqe->len = sizeof(fate->expired);
	fate->place = place;
	fate->due_ns = now_ns() + span_ns;
	at.it_value.tv_sec = (time_t)(fate->due_ns / 1000000000);
	at.it_value.tv_nsec = (long)(fate->due_ns % 1000000000);
	if (*timer < 0 || timerfd_settime(*timer, TFD_TIMER_ABSTIME, &at, NULL))
		abort();
}

static struct fate *fate_of(uint64_t user_data)
{
	unsigned i;

	for (i = 0; i < MOST; i++)
		if (fates[i].user_data == user_data)
			return &fates[i];
	return NULL;
}

static int nth(unsigned long every)
{
	return every && transfers % every == 0;
}

static void decide(struct io_uring_sqe *sqe)
{
	struct fate *fate = fate_of(0);

	if (!fate)
		abort();
	memset(fate, 0, sizeof(*fate));
	fate->user_data = sqe->user_data;
	transfers++;
	if (device.gone && transfers >= device.gone)
		ends(sqe, fate, -device.gone_errno);
	else if (nth(device.error))
		ends(sqe, fate, -device.error_errno);
	else if (nth(device.none))
		ends(sqe, fate, 0);
	else if (nth(device.half) && length_of(sqe) == sqe->len)
		sqe->len = sqe->len / 2 & ~511U;
	else if (device.due_us)
		takes_time(sqe, fate);
}

static struct io_uring_sqe *entry(unsigned place)
{
	place &= ring.sq_mask;
	return &ring.sqes[ring.sq_array ? ring.sq_array[place] : place];
}

/* The owner finds its entries as it left them. */
static long submit(const long *a)
{
	unsigned head = *ring.sq_head, i;
	unsigned count = *ring.sq_tail - head;
	long ret;

	if (count > (unsigned)a[1])
		count = (unsigned)a[1];
	for (i = 0; i < count; i++) {
		saved[i] = *entry(head + i);
		if (is_transfer(&saved[i]))
			decide(entry(head + i));
	}
	ret = gate_kernel(SYS_io_uring_enter, a);
	for (i = 0; i < count; i++) {
		*entry(head + i) = saved[i];
		/* It will come again. */
		if ((long)i >= ret && fate_of(saved[i].user_data))
			fate_of(saved[i].user_data)->user_data = 0;
	}
	return ret;
}

static void complete(struct io_uring_cqe *cqe)
{
	struct fate *fate = fate_of(cqe->user_data);

	if (!fate)
		return;
	if (fate->due_ns && lates < sizeof(late) / sizeof(late[0])) {
		late[lates].place = fate->place;
		late[lates++].us = (int32_t)((int64_t)(now_ns() -
						       fate->due_ns) / 1000);
	}
	if (fate->changed)
		cqe->res = (int32_t)fate->result;
	fate->user_data = 0;
}

/* As if the others had not fitted in. */
static void hide(void)
{
	unsigned head = *ring.cq_head;

	if (!device.visible || ring.tail - head <= device.visible)
		return;
	*ring.cq_tail = head + (unsigned)device.visible;
	*ring.sq_flags |= IORING_SQ_CQ_OVERFLOW;
}

static long enter(const long *a)
{
	long ret;

	if (a[1] && device.refuse && ++submits % device.refuse == 0)
		return -device.refuse_errno;
	if (!a[1] && device.wait && ++waits % device.wait == 0)
		return -device.wait_errno;
	if (device.visible)
		*ring.cq_tail = ring.tail;
	ret = submit(a);
	ring.tail = __atomic_load_n(ring.cq_tail, __ATOMIC_ACQUIRE);
	for (; ring.seen != ring.tail; ring.seen++)
		complete(&ring.cqes[ring.seen & ring.cq_mask]);
	hide();
	return ret;
}

static long caught(long number, const long *a)
{
	long ret;

	if (number == SYS_io_uring_enter && ring.sqes)
		return enter(a);
	ret = gate_kernel(number, a);
	if (number == SYS_io_uring_setup && ret >= 0)
		look_at(ret, (struct io_uring_params *)a[1]);
	return ret;
}

static unsigned long setting(const char *name, int *error)
{
	const char *text = getenv(name);
	char *end = NULL;
	unsigned long value = text ? strtoul(text, &end, 0) : 0;

	if (error && end && *end == ':')
		*error = atoi(end + 1);
	return value;
}

/* A job that waits for ever ends with the fio that has been ended for it. */
static void end_with_parent(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
}

static __attribute__((constructor)) void begin(void)
{
	pthread_atfork(NULL, NULL, end_with_parent);
	device.due_us = setting("DEVICE_DUE_US", NULL);
	device.error = setting("DEVICE_ERROR", &device.error_errno);
	device.gone = setting("DEVICE_GONE", &device.gone_errno);
	device.half = setting("DEVICE_SHORT", NULL);
	device.none = setting("DEVICE_NONE", NULL);
	device.refuse = setting("DEVICE_REFUSE", &device.refuse_errno);
	device.wait = setting("DEVICE_WAIT", &device.wait_errno);
	device.visible = setting("DEVICE_OVERFLOW", NULL);
	gate_close("ring_device", caught);
}

/* Jobs of fio leave with _exit(), so it is asked for here. */
void _exit(int status)
{
	const char *prefix = getenv("DEVICE_LATE");
	char path[4096];
	FILE *file;
	unsigned i;

	if (prefix && lates) {
		snprintf(path, sizeof(path), "%s.%d", prefix, (int)getpid());
		file = fopen(path, "w");
		for (i = 0; file && i < lates; i++)
			fprintf(file, "%u %d\n", late[i].place,
				(int)late[i].us);
		if (file)
			fclose(file);
	}
	syscall(SYS_exit_group, status);
	__builtin_unreachable();
}
