/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For kernel_stages.t: makes rings that the program in the kernel must not take for
 * the announced one: a second ring of the same thread, rings whose user_data names the
 * announced one's place and slots, a ring at the address of the announced one, which was
 * closed, and the ring of a thread that has the number of the announced one, which ended
 * before it made a ring; and I/Os that were not chosen. The program counts the rings that it
 * follows, to leave at once without any.
 *
 *	kernel_rings FILE
 *
 * Reads FILE (O_DIRECT). Prints lines of TAP without numbers; exit 2 and the reason on
 * stderr if the program can't be loaded.
 */
#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <linux/sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/stages/kernel_stages.h"

#define RINGS		8
#define MANY		256	/* rings at a time, so that the kernel uses old memory again */
#define ENTRIES		8
#define BYTES		4096

/* user_data of a chosen I/O. */
#define KEY(number, ring, stamps) \
	(TW_KEY_CHOSEN | (uint64_t)(number) << TW_KEY_NUMBER_SHIFT | (uint64_t)(ring) << TW_KEY_RING_SHIFT | \
	 (stamps))

/* user_data of another one, with its limit. */
#define OTHER(number, ring, stamps, limit) \
	((KEY(number, ring, stamps) & ~TW_KEY_CHOSEN) | (uint64_t)(limit) << TW_KEY_UPPER_SHIFT)

static struct tw_stages *loader;
static const volatile struct tw_padded_stamps *slots;
static const char *path;

static void result(bool good, const char *what)
{
	printf("%sok %s\n", good ? "" : "not ", what);
	fflush(stdout);
}

static uint32_t thread(void)
{
	return (uint32_t)syscall(SYS_gettid);
}

/* Do one read whose user_data is @key. */
static bool reads(struct io_uring *ring, uint64_t key)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(ring);
	const int file = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
	void *data = aligned_alloc(BYTES, BYTES);
	struct io_uring_cqe *cqe = NULL;
	bool good = false;

	if (file >= 0 && data) {
		io_uring_prep_read(sqe, file, data, BYTES, 0);
		sqe->user_data = key;
		good = io_uring_submit_and_wait(ring, 1) == 1 &&
		       !io_uring_peek_cqe(ring, &cqe) && cqe->res == BYTES;
		if (cqe)
			io_uring_cqe_seen(ring, cqe);
	}
	free(data);
	close(file);
	return good;
}

/* Make a ring and read, with the keys of each place. */
static bool ring_reads(void)
{
	struct io_uring ring;
	uint32_t place;
	bool good = true;

	if (io_uring_queue_init(ENTRIES, &ring, 0))
		return false;
	for (place = 0; place < RINGS; place++)
		good &= reads(&ring, KEY(1, place, 2));
	io_uring_queue_exit(&ring);
	return good;
}

static bool is_stamped(uint32_t base, uint64_t key)
{
	const volatile struct tw_kernel_stamps *stamps = &slots[base + key % ENTRIES].stamps;

	return stamps->key == key && stamps->accepted_ns && stamps->dispatched_ns &&
	       stamps->posted_ns;
}

static bool is_empty(uint32_t base)
{
	for (unsigned i = 0; i < ENTRIES; i++)
		if (slots[base + i].stamps.key || slots[base + i].stamps.accepted_ns)
			return false;
	return true;
}

/* Announce a ring of this thread, and make it. */
static bool make_announced(struct io_uring *ring, uint32_t base, uint32_t *place)
{
	return !tw_loader_expect(loader, thread(), base, ENTRIES, place) &&
	       !io_uring_queue_init(ENTRIES, ring, 0) && tw_loader_made(loader, thread());
}

static void second_ring(uint32_t base)
{
	struct io_uring first, second;
	uint32_t place;
	bool good;

	result(!tw_loader_followed(loader), "no ring yet: the program leaves at once");
	good = make_announced(&first, base, &place) &&
	       !io_uring_queue_init(ENTRIES, &second, 0);
	result(good && reads(&second, KEY(1, place, 5)) && is_empty(base),
	       "a second ring of the thread: no stamps");
	result(good && reads(&first, KEY(2, place, 3)) &&
	       is_stamped(base, KEY(2, place, 3)) && !slots[base + 5].stamps.key,
	       "the announced one: stamps");
	result(good && reads(&second, KEY(3, place, 3)) &&
	       is_stamped(base, KEY(2, place, 3)), "which the second does not change");
	result(tw_loader_followed(loader) == 1, "it follows one ring");
	tw_loader_forget(loader, place);
	result(!tw_loader_followed(loader), "and none when that is forgotten");
	result(good && reads(&first, KEY(4, place, 4)) && !slots[base + 4].stamps.key,
	       "and no more when it is forgotten");
}

/* Let @ring do reads with each key of the announced rings' places, and with the key of an
 * I/O that was stamped. None may change a stamp. */
static bool changes_nothing(struct io_uring *ring, uint64_t stamped)
{
	struct tw_padded_stamps before[RINGS * ENTRIES];
	uint32_t place, stamps;
	bool good = true;

	for (stamps = 0; stamps < RINGS * ENTRIES; stamps++)
		before[stamps] = slots[stamps];
	for (place = 0; place < RINGS; place++)
		for (stamps = 0; stamps < ENTRIES; stamps++)
			good &= reads(ring, KEY(9, place, stamps));
	good &= reads(ring, stamped) && reads(ring, UINT64_MAX);
	for (stamps = 0; stamps < RINGS * ENTRIES; stamps++)
		good &= !memcmp(&before[stamps], (const void *)&slots[stamps],
				sizeof(before[stamps]));
	return good;
}

static void same_user_data(uint32_t base)
{
	struct io_uring first, second, stranger;
	uint32_t place = 0, next = 0;
	bool good;

	good = make_announced(&first, base, &place) &&
	       make_announced(&second, base + ENTRIES, &next) &&
	       !io_uring_queue_init(ENTRIES, &stranger, 0) &&
	       reads(&first, KEY(5, place, 6)) && is_stamped(base, KEY(5, place, 6));
	result(good && changes_nothing(&stranger, KEY(5, place, 6)),
	       "a stranger's ring with user_data of ours: no stamps");
	result(good && reads(&second, KEY(5, place, 6)) && reads(&second, KEY(6, place, 1)) &&
	       is_empty(base + ENTRIES) && !slots[base + 1].stamps.key,
	       "nor one of ours with that of another");
	result(good && reads(&stranger, OTHER(7, place, 1, 1)) &&
	       reads(&second, OTHER(7, place, 1, 1)) && !slots[base + 1].stamps.key,
	       "nor with that of a slow I/O that was not chosen");
	tw_loader_forget(loader, place);
	tw_loader_forget(loader, next);
}

/* A read takes more than 17 ns and less than 66 s. */
static void not_chosen(uint32_t base)
{
	const volatile struct tw_kernel_stamps *stamps = &slots[base + 1].stamps;
	struct io_uring ring;
	uint32_t place;
	bool good;

	good = make_announced(&ring, base, &place) && reads(&ring, OTHER(1, place, 1, 0)) &&
	       reads(&ring, OTHER(2, place, 1, TW_KEY_UPPERS));
	result(good && is_empty(base), "an I/O that was not chosen and is not slow: no stamps");
	good = good && reads(&ring, OTHER(3, place, 1, 1));
	if (good && !stamps->key) {
		printf("ok # SKIP a slow one: this disk's requests have no start (iostats)\n");
		return;
	}
	result(good && stamps->key == OTHER(3, place, 1, 1) && !stamps->accepted_ns &&
	       !stamps->dispatched_ns && stamps->finished_ns &&
	       stamps->posted_ns >= stamps->finished_ns,
	       "a slow one: the stamps from its completion on");
	tw_loader_forget(loader, place);
}

/* Close an announced ring. Then make rings, all of which use its key, until one has its
 * address: the program then follows one ring less. */
static void reused_address(uint32_t base)
{
	static struct io_uring others[MANY];
	struct io_uring closed, open;
	uint32_t place = 0, next = 0;
	unsigned i, round;
	bool good;

	good = make_announced(&closed, base, &place) &&
	       make_announced(&open, base + ENTRIES, &next) &&
	       reads(&closed, KEY(8, place, 1)) && is_stamped(base, KEY(8, place, 1));
	io_uring_queue_exit(&closed);
	for (round = 0; round < 10 && good && tw_loader_followed(loader) == 2; round++) {
		for (i = 0; i < MANY && !io_uring_queue_init(ENTRIES, &others[i], 0); i++)
			good &= reads(&others[i], KEY(8, place, 2)) && !slots[base + 2].stamps.key;
		while (i--)
			io_uring_queue_exit(&others[i]);
	}
	if (good && tw_loader_followed(loader) == 2)
		printf("ok # SKIP no ring got the address of a closed one\n");
	else
		result(good, "a ring at the address of one that was closed: no stamps");
	tw_loader_forget(loader, place);
	tw_loader_forget(loader, next);
}

/* Start a child that waits for the end of @go and then makes a ring, if @makes. */
static pid_t begin(int go[2], bool makes, pid_t number)
{
	pid_t child;
	struct clone_args args = {
		.exit_signal = SIGCHLD,
		.set_tid = number ? (uintptr_t)&number : 0,
		.set_tid_size = number ? 1 : 0,
	};
	char byte;

	if (pipe(go))
		return -1;
	child = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
	if (child)
		return child;
	close(go[1]);
	if (read(go[0], &byte, 1) < 0)
		_exit(1);
	_exit(makes && !ring_reads());
}

static bool end(pid_t child, int go[2])
{
	int status;

	close(go[1]);
	close(go[0]);
	return waitpid(child, &status, 0) == child && status == 0;
}

static void reused_number(uint32_t base)
{
	uint32_t place;
	int go[2];
	pid_t child = begin(go, true, 0), next;
	bool good;

	good = child > 0 &&
	       !tw_loader_expect(loader, (uint32_t)child, base, ENTRIES, &place) &&
	       end(child, go);
	result(good && is_stamped(base, KEY(1, place, 2)) &&
	       tw_loader_made(loader, (uint32_t)child),
	       "an announced thread: stamps");
	base += ENTRIES;
	child = begin(go, false, 0);
	good = child > 0 &&
	       !tw_loader_expect(loader, (uint32_t)child, base, ENTRIES, &place) &&
	       end(child, go);
	next = begin(go, true, child);
	if (good && next < 0) {
		printf("ok # SKIP no thread of that number: %s\n",
		       strerror(errno));
		return;
	}
	result(good && next == child && end(next, go) && is_empty(base) &&
	       !tw_loader_made(loader, (uint32_t)child),
	       "one that ended before, and another with its number: none");
}

int main(int argc, char **argv)
{
	struct tw_loader_owner owner = { .user = TW_ANY_OWNER };
	int error;

	if (argc != 2)
		return 1;
	path = argv[1];
	owner.namespace_inode = tw_program_namespace();
	error = tw_loader_load(&loader, RINGS * ENTRIES, &owner);
	if (error) {
		fprintf(stderr, "%s\n", tw_program_reason(error, false));
		return 2;
	}
	slots = mmap(NULL, RINGS * ENTRIES * sizeof(*slots), PROT_READ,
		     MAP_SHARED, tw_loader_stamps(loader), 0);
	if (slots == MAP_FAILED)
		return 1;
	second_ring(0);
	same_user_data(ENTRIES);
	reused_address(3 * ENTRIES);
	reused_number(5 * ENTRIES);
	not_chosen(7 * ENTRIES);
	tw_loader_free(loader);
	return 0;
}
