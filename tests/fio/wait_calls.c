/* SPDX-License-Identifier: MIT */
/*
 * wait_calls KIND FILE COUNT: does COUNT calls. FILE has COUNT times 64 KiB, and is not in the page
 * cache at the beginning of "cold" and "faults". Prints how often the thread slept in these calls,
 * and how many pages were not in the page cache right before they were read.
 *
 *	cold	pread(2) of a page, through the page cache
 *	warm	the same, of pages that are in the page cache
 *	direct	pread(2) with O_DIRECT
 *	written	the same, each after a write of this thread to FILE.written, which ends while it runs
 *	copy	copy_file_range(2) of a page to FILE.copy, which is open with O_DSYNC
 *	pipe	the same pages by splice(2) to a pipe, whose reader is slower
 *	sends	sendfile(2) of two pieces to a socket, whose reader is slower; only the second one is
 *		not in the page cache
 *	faults	reads the first byte of pages of a mapping
 *	mapped	writes the first byte of pages of a mapping, each with msync(2)
 *	write	makes FILE
 *	names	32 threads, each with COUNT reads of 32 files FILE.0 to FILE.31, which it makes, by
 *		descriptors that all threads share, and that they replace and close meanwhile;
 *		prints which file each read was of: its offset and the file's number; at the end
 *		"slept" and how often they slept in these reads
 *	files	direct reads of the first page of COUNT files FILE.0 and so on, which it makes, with
 *		all of them open
 *	forks	COUNT processes, one after the other, each with a direct read of FILE
 *	execs	a thread that is not the first one does a direct read of FILE, and begins this program
 *		again, COUNT times
 *	drops	four processes, each of which drops the last reference to an unlinked file of its own,
 *		of COUNT times 64 KiB: by _exit(2), execve(2), dup2(2) and munmap(2). Prints each call
 *		with how often it slept: before _exit(2), and as "ended" with it
 *	short	COUNT processes, one after the other, each with 1 MiB of memory; prints the CPU time of
 *		all in ns
 *	slept	prints how often it slept since it had slept FILE times, as "execve"
 *	socket	read(2) of a socket, which waits for another thread
 *	leader	the same as "warm" after a byte from standard input. Then the main thread ends, and
 *		the process prints "left" and waits for another byte
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define APART	65536
#define PAGE	4096
#define RUNS_NS	6000000	/* a request takes 3 ms in ../vm/kernel_waits.t */

static int file;
static long count, slept;

/* Return how often this thread gave up its CPU by itself so far. */
static long sleeps(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_THREAD, &usage))
		exit(9);
	return usage.ru_nvcsw;
}

static long cold_of(const void *at)
{
	unsigned char is_in = 1;

	return mincore((void *)at, PAGE, &is_in) == 0 && !(is_in & 1);
}

static void *map(void)
{
	void *all = mmap(NULL, (size_t)count * APART, PROT_READ, MAP_SHARED, file, 0);

	if (all == MAP_FAILED)
		exit(2);
	/* No readahead: each page is read alone. */
	madvise(all, (size_t)count * APART, MADV_RANDOM);
	return all;
}

/* Write a page, and run until that must have ended. */
static void write_before(int to, const char *page)
{
	struct timespec from, now;

	if (pwrite(to, page, PAGE, 0) != PAGE ||
	    sync_file_range(to, 0, PAGE, SYNC_FILE_RANGE_WRITE))
		exit(7);
	clock_gettime(CLOCK_MONOTONIC, &from);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - from.tv_sec) * 1000000000L + now.tv_nsec - from.tv_nsec < RUNS_NS);
}

/* Read a page of each piece, in an order that no readahead expects. */
static long read_pages(int faults, int cold, int written)
{
	volatile const char *all = map();
	long i, found = 0;
	char *page = aligned_alloc(PAGE, PAGE);

	if (cold)
		posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
	posix_fadvise(file, 0, 0, POSIX_FADV_RANDOM);
	memset(page, 0, PAGE);
	slept = -sleeps();
	for (i = 0; i < count; i++) {
		const long at = (i * 7919 % count) * APART;

		found += cold_of((const char *)all + at);
		if (written >= 0)
			write_before(written, page);
		if (faults)
			(void)all[at];
		else if (pread(file, page, PAGE, at) != PAGE)
			exit(3);
	}
	slept += sleeps();
	free(page);
	return found;
}

static void *answer(void *ends)
{
	const int *end = ends;

	for (long i = 0; i < count; i++) {
		usleep(1000);
		if (write(end[0], "x", 1) != 1)
			exit(4);
	}
	return NULL;
}

static void wait_for_sockets(void)
{
	pthread_t thread;
	int pair[2];
	char byte;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) ||
	    pthread_create(&thread, NULL, answer, pair))
		exit(5);
	slept = -sleeps();
	for (long i = 0; i < count; i++)
		if (read(pair[1], &byte, 1) != 1)
			exit(6);
	slept += sleeps();
	pthread_join(thread, NULL);
}

static void *outlive(void *main_thread)
{
	char byte;

	pthread_join(*(pthread_t *)main_thread, NULL);
	puts("left");
	fflush(stdout);
	exit(read(0, &byte, 1) == 1 ? 0 : 6);
}

static void end_main_thread(void)
{
	static pthread_t self, other;
	char byte;

	self = pthread_self();
	if (read(0, &byte, 1) != 1 || pthread_create(&other, NULL, outlive, &self))
		exit(6);
	read_pages(0, 0, -1);
	pthread_exit(NULL);
}

#define FILES	32
#define SHARED	64	/* descriptors */

static struct {
	const char *path;
	int shared[SHARED], made[FILES];
	char *is;		/* which file a read at a page was of */
	long slept;
} names;

/* Each page has the number of its file. */
static void make_named(int number)
{
	const size_t size = (size_t)(FILES * count) * PAGE;
	char path[4096], *pages = aligned_alloc(PAGE, size);

	snprintf(path, sizeof(path), "%s.%d", names.path, number);
	memset(pages, number, size);
	names.made[number] = open(path, O_RDWR | O_CREAT | O_DIRECT | O_CLOEXEC, 0600);
	if (pwrite(names.made[number], pages, size, 0) != (ssize_t)size)
		exit(9);
	free(pages);
}

static void *read_named(void *thread)
{
	unsigned random = (unsigned)(long)thread + 1;
	char *page = aligned_alloc(PAGE, PAGE);

	for (long i = 0; i < count; i++) {
		const long at = (long)thread * count + i;
		const int other = names.shared[rand_r(&random) % SHARED];
		const long before = sleeps();

		if (pread(names.shared[rand_r(&random) % SHARED], page, PAGE, at * PAGE) == PAGE)
			names.is[at] = page[0];
		__atomic_fetch_add(&names.slept, sleeps() - before, __ATOMIC_RELAXED);
		if (rand_r(&random) % 8 == 0)
			close(other);
		else
			dup2(names.made[rand_r(&random) % FILES], other);
	}
	free(page);
	return NULL;
}

static void read_names(const char *path)
{
	pthread_t threads[FILES];

	names.path = path;
	names.is = malloc((size_t)(FILES * count));
	if (!names.is)
		exit(2);
	memset(names.is, -1, (size_t)(FILES * count));
	for (int i = 0; i < FILES; i++)
		make_named(i);
	for (int i = 0; i < SHARED; i++)
		names.shared[i] = dup(names.made[i % FILES]);
	for (long i = 0; i < FILES; i++)
		if (pthread_create(&threads[i], NULL, read_named, (void *)i))
			exit(5);
	for (int i = 0; i < FILES; i++)
		pthread_join(threads[i], NULL);
	for (long i = 0; i < FILES * count; i++)
		if (names.is[i] >= 0)
			printf("%ld %d\n", i * PAGE, names.is[i]);
	printf("slept %ld\n", names.slept);
}

static void read_one(int from, char *page)
{
	const long before = sleeps();

	if (pread(from, page, PAGE, 0) != PAGE)
		exit(3);
	slept += sleeps() - before;
}

static void read_files(const char *path)
{
	int *all = calloc((size_t)count, sizeof(*all));
	char name[4096], *page = aligned_alloc(PAGE, PAGE);

	if (!all)
		exit(2);
	memset(page, 0, PAGE);
	for (long i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "%s.%ld", path, i);
		all[i] = open(name, O_RDWR | O_CREAT | O_DIRECT | O_CLOEXEC, 0600);
		if (pwrite(all[i], page, PAGE, 0) != PAGE)
			exit(7);
	}
	for (long i = 0; i < count; i++)
		read_one(all[i], page);
	free(all);
	free(page);
}

/* A child tells by its exit code how often it slept. */
static void start_readers(void)
{
	char *page = aligned_alloc(PAGE, PAGE);
	int status;

	for (long i = 0; i < count; i++) {
		const pid_t child = fork();

		if (!child) {
			slept = 0;
			read_one(file, page);
			_exit(slept > 99 ? 99 : (int)slept);
		}
		if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
			exit(5);
		slept += WEXITSTATUS(status);
	}
	free(page);
}

static void *begin_again(void *arguments)
{
	char **const again = arguments, left[32];

	read_one(file, aligned_alloc(PAGE, PAGE));
	snprintf(left, sizeof(left), "%ld", count - 1);
	again[3] = left;
	execv("/proc/self/exe", again);
	exit(5);
}

static void begin_in_thread(char **arguments)
{
	pthread_t thread;

	if (count > 0 && !pthread_create(&thread, NULL, begin_again, arguments))
		pthread_join(thread, NULL);
}

static void write_file(void)
{
	char *piece = calloc(1, APART);

	memset(piece, 'x', APART);
	for (long i = 0; i < count; i++)
		if (write(file, piece, APART) != APART)
			exit(7);
	if (fsync(file))
		exit(8);
	free(piece);
}

/* Make a file of this child's own that has no name, with its pages in memory. */
static int open_unlinked(const char *path)
{
	char name[4096];

	snprintf(name, sizeof(name), "%s.%d", path, getpid());
	file = open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
	if (file < 0 || unlink(name))
		exit(7);
	write_file();
	return file;
}

/* Tell how often the child has slept since it had slept @before times, and end. */
static void tell_slept(const char *call, long before)
{
	printf("%s %ld\n", call, sleeps() - before);
	fflush(stdout);
	_exit(0);
}

static void drop_by(const char *call, const char *path)
{
	const int last = open_unlinked(path);
	void *mapped = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, last, 0);
	char text[32];
	long before;

	if (!strcmp(call, "munmap"))
		close(last);
	else
		munmap(mapped, PAGE);
	before = sleeps();
	if (!strcmp(call, "munmap")) {
		munmap(mapped, PAGE);
	} else if (!strcmp(call, "dup2")) {
		dup2(0, last);
	} else if (!strcmp(call, "execve")) {
		fcntl(last, F_SETFD, FD_CLOEXEC);
		snprintf(text, sizeof(text), "%ld", before);
		execl("/proc/self/exe", "wait_calls", "slept", text, "0", (char *)NULL);
		exit(5);
	} else {
		before = 0;	/* the parent tells how often it slept until its end */
	}
	tell_slept(call, before);
}

static void drop_files(const char *path)
{
	static const char *const calls[] = { "exit_group", "execve", "dup2", "munmap" };
	struct rusage usage;
	int status;

	for (int i = 0; i < 4; i++) {
		const pid_t child = fork();

		if (!child)
			drop_by(calls[i], path);
		if (child < 0 || wait4(child, &status, 0, &usage) != child || status)
			exit(5);
		if (!i)
			printf("ended %ld\n", usage.ru_nvcsw);
		fflush(stdout);
	}
}

static void start_short(void)
{
	const size_t size = 1 << 20;
	struct rusage usage;
	int status;

	for (long i = 0; i < count; i++) {
		const pid_t child = fork();

		if (!child) {
			memset(mmap(NULL, size, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 1, size);
			_exit(0);
		}
		if (child < 0 || waitpid(child, &status, 0) != child || status)
			exit(5);
	}
	slept = 0;
	for (int who = RUSAGE_CHILDREN; who <= RUSAGE_SELF; who++) {
		getrusage(who, &usage);
		slept += (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000L +
			 (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000L;
	}
}

static int open_written(const char *path)
{
	char name[4096];
	int made;

	snprintf(name, sizeof(name), "%s.written", path);
	made = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (made < 0 || pwrite(made, name, PAGE, 0) != PAGE || fsync(made))
		exit(7);
	return made;
}

static void copy_pages(const char *path)
{
	char name[4096];
	int made;

	snprintf(name, sizeof(name), "%s.copy", path);
	made = open(name, O_WRONLY | O_CREAT | O_CLOEXEC | O_DSYNC, 0600);
	posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
	posix_fadvise(file, 0, 0, POSIX_FADV_RANDOM);
	for (long i = 0; i < count; i++) {
		off_t from = i * APART, to = i * PAGE;
		const long before = sleeps();

		if (copy_file_range(file, &from, made, &to, PAGE, 0) != PAGE)
			exit(7);
		slept += sleeps() - before;
	}
}

static void *empty(void *end)
{
	static char pages[16 * PAGE];

	do
		usleep(1000);
	while (read(*(int *)end, pages, sizeof(pages)) > 0);
	return NULL;
}

static void fill_pipe(void)
{
	pthread_t thread;
	int ends[2];

	if (pipe(ends) || pthread_create(&thread, NULL, empty, &ends[0]))
		exit(5);
	for (long i = 0; i < count; i++) {
		off_t from = i * APART;
		const long before = sleeps();

		if (splice(file, &from, ends[1], NULL, PAGE, 0) != PAGE)
			exit(7);
		slept += sleeps() - before;
	}
	close(ends[1]);
	pthread_join(thread, NULL);
}

static void fill_socket(void)
{
	char *piece = malloc(APART);
	const int small = PAGE;		/* a piece never fits */
	pthread_t thread;
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) ||
	    setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &small, sizeof(small)) ||
	    pthread_create(&thread, NULL, empty, &ends[0]))
		exit(5);
	posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
	posix_fadvise(file, 0, 0, POSIX_FADV_RANDOM);
	for (off_t from = 0; from + 2 * APART <= count * APART;) {
		if (pread(file, piece, APART, from) != APART ||
		    sendfile(ends[1], file, &from, 2 * APART) != 2 * APART)
			exit(7);
	}
	close(ends[1]);
	pthread_join(thread, NULL);
	free(piece);
}

static void sync_mapped(void)
{
	char *at = mmap(NULL, (size_t)count * APART, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	long before;

	if (at == MAP_FAILED)
		exit(2);
	for (long i = 0; i < count; i++) {
		at[i * APART] = (char)getpid();
		before = sleeps();
		if (msync(at + i * APART, PAGE, MS_SYNC))
			exit(8);
		slept += sleeps() - before;
	}
}

int main(int argc, char **argv)
{
	const char *kind = argc == 4 ? argv[1] : "";
	const int is_direct = !strcmp(kind, "direct") || !strcmp(kind, "written") ||
			      !strcmp(kind, "forks") || !strcmp(kind, "execs");
	int written = -1;
	long cold = 0;

	if (argc != 4)
		return 64;
	if (!strcmp(kind, "slept"))
		tell_slept("execve", strtol(argv[2], NULL, 10));
	count = strtol(argv[3], NULL, 10);
	file = open(argv[2], (strcmp(kind, "write") && strcmp(kind, "mapped") ? O_RDONLY :
			      O_RDWR | O_CREAT) | O_CLOEXEC |
		    (is_direct ? O_DIRECT : 0), 0600);
	if (file < 0 && strcmp(kind, "socket") && strcmp(kind, "names") && strcmp(kind, "files") &&
	    strcmp(kind, "drops"))
		return 1;
	if (!strcmp(kind, "drops")) {
		close(file);
		drop_files(argv[2]);
		return 0;
	}
	if (!strcmp(kind, "names")) {
		read_names(argv[2]);
		return 0;
	}
	if (!strcmp(kind, "written"))
		written = open_written(argv[2]);
	if (!strcmp(kind, "write"))
		write_file();
	else if (!strcmp(kind, "mapped"))
		sync_mapped();
	else if (!strcmp(kind, "socket"))
		wait_for_sockets();
	else if (!strcmp(kind, "short"))
		start_short();
	else if (!strcmp(kind, "files"))
		read_files(argv[2]);
	else if (!strcmp(kind, "forks"))
		start_readers();
	else if (!strcmp(kind, "copy"))
		copy_pages(argv[2]);
	else if (!strcmp(kind, "pipe"))
		fill_pipe();
	else if (!strcmp(kind, "sends"))
		fill_socket();
	else if (!strcmp(kind, "execs"))
		begin_in_thread(argv);
	else if (!strcmp(kind, "leader"))
		end_main_thread();
	else if (!strcmp(kind, "warm"))
		read_pages(0, 0, -1);
	else
		cold = read_pages(!strcmp(kind, "faults"), !is_direct, written);
	printf("%ld %ld\n", slept, cold);
	return 0;
}
