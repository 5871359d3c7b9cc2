/* SPDX-License-Identifier: MIT */
/*
 * A device of known behaviour between any io_uring engine and the kernel, in
 * simulated time (LD_PRELOAD). It catches every io_uring_setup and io_uring_enter,
 * ours and fio's alike, and makes them with changed entries. A job's clocks and
 * sleeps go by its time.
 *
 *	DEVICE_DUE_US=N		the n-th of each eight blocks of a file takes
 *				n times N microseconds from its submission on
 *	DEVICE_SERIAL_US=N	one after another, N microseconds each
 *	DEVICE_STALL_MS=AT:FOR	from AT milliseconds of the job on it stands still, FOR
 *				milliseconds
 *	DEVICE_ERROR=N:ERRNO	every Nth transfer fails and moves nothing
 *	DEVICE_GONE=N:ERRNO	so do all from the Nth on
 *	DEVICE_SHORT=N		every Nth moves only its first half
 *	DEVICE_NONE=N		every Nth moves nothing, without an error
 *	DEVICE_REFUSE=N:ERRNO	every Nth submitting call fails
 *	DEVICE_WAIT=N:ERRNO	every Nth waiting call fails
 *	DEVICE_OVERFLOW=N	no more than N completions are visible at a
 *				time, the others when the kernel is entered
 *				again, as with a completion ring that overflows
 *	DEVICE_TAKE=N		a submitting call takes no more than N entries
 *	DEVICE_READ_NS=N	instead of READ_NS, below
 *	DEVICE_FIO_NS=N		more, where fio reads a clock after the engine
 *	DEVICE_TRIM=N:ERRNO	every Nth trim fails
 *	DEVICE_BLOCK=END	files whose names end so are block devices for
 *				fio, and trims by a system call do nothing
 *
 * The kernel has no part in any I/O: it gets an entry that does nothing. The device moves
 * the data itself when an entry is submitted, but not those of registered files. A trim
 * takes as long as a transfer, and so does a flush: under DEVICE_DUE_US as the last of eight.
 * A completion is shown when it is due and the kernel is entered. So each I/O ends in the
 * call or when it is due, whatever the file system and the kernel's workers would do.
 *
 * Time is simulated in a job that is a process from its fork on, and in one that is a
 * thread from the set-up of its ring on. It passes by READ_NS when the job reads a clock,
 * by ENTER_NS when it enters the kernel, by the time that it sleeps and WAKE_NS (usleep()
 * has an exception), and to the next completion when the job waits for one. So a job's
 * actions and times are the same in each run, on each machine. fio needs
 * --clocksource=clock_gettime for it. Our engine is told that the CPU's counter is
 * disabled: its stamps are then of the system clock, in nanoseconds.
 *
 * With DEVICE_READ_NS=0 the times do not depend on how often an engine reads clocks.
 * DEVICE_FIO_NS=N then lets N ns pass when fio reads a clock, if the engine has read one
 * since fio's last reading: once for each I/O that fio queues and for each batch that it
 * takes. The readings of an external engine, through fio's functions or not, take no time.
 * A job must not wait by reading a clock (rates, runtimes, thinktime).
 *
 * For jobs whose completions are posted inside of io_uring_enter (not with sqthread_poll).
 *
 *	RING_WATCH=FILE		nothing of the above. FILE.PID gets what a job on our
 *				engine, a process, asks of the kernel: "setup FLAGS cpu
 *				CPU" of the ring, "sizes ENTRIES PLACES" as the kernel
 *				made them, then one line "OPCODE FLAGS RW_FLAGS IOPRIO COUNT" for
 *				every kind of entry (in hex, the counts decimal)
 *	RING_NO_SETUP=FLAGS	and a kernel that refuses these flags of a ring
 *
 * A system call filter catches every io_uring_setup and io_uring_enter of the program,
 * whoever makes them and how: fio's engine and ours make them inline, without a function
 * that could be replaced. A filter survives exec(), but the next program's handler is
 * elsewhere: preload it for fio itself (env LD_PRELOAD=... fio). It works on x86-64 alone.
 * Elsewhere, and where no filter may be set, the program ends at once with 77.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <liburing.h>
#include <link.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#ifndef IORING_SETUP_NO_SQARRAY	/* newer than some headers (Linux 6.6) */
#define IORING_SETUP_NO_SQARRAY	(1U << 16)
#endif

#define MAX_FATES	1024
#define READ_NS		10
#define ENTER_NS	1000
#define WAKE_NS		1000	/* fio sleeps for 0 until a microsecond is over */

/* The function of this name behind this library. */
#define REAL(name, type) ((type)dlsym(RTLD_NEXT, name))

/* The state of each job, be it a process or a thread. */
#define PER_JOB	static __thread

/* The outcome of a transfer that the kernel has, or whose completion is not shown yet. */
struct fate {
	int is_set;
	uint64_t user_data;
	int64_t result;
	uint64_t due_ns;	/* 0: takes no time */
};

PER_JOB struct {
	unsigned *sq_head, *sq_tail, *sq_array, *sq_flags;
	unsigned sq_mask;
	struct io_uring_sqe *sqes;
	unsigned *cq_head, *cq_tail;
	unsigned cq_mask;
	struct io_uring_cqe *cqes;
	unsigned tail;		/* the kernel's tail, if some are hidden */
	unsigned seen;		/* outcomes are known up to here */
	unsigned due;		/* completions are due up to here */
} ring;

PER_JOB struct fate fates[MAX_FATES];
PER_JOB struct io_uring_sqe saved[MAX_FATES];
PER_JOB unsigned long transfers, trims, submits, waits;

static const char *watch;	/* RING_WATCH */

static struct {
	unsigned long due_us, serial_us, error, gone, half, none, refuse, wait;
	unsigned long visible, take, read_ns, fio_ns, trim, stall_ms;
	int error_errno, gone_errno, refuse_errno, wait_errno, trim_errno, stall_for_ms;
	const char *block;
} device = { .read_ns = READ_NS };

/* ---- the gate to the kernel --------------------------------------------- */

/* Handle a call of this number: return its result, or -errno. */
static __attribute__((unused)) long caught(long number, const long *a);

#ifdef __x86_64__

#if !__has_attribute(noclone)
#define noclone		/* clang makes no copies */
#endif

extern char gate_open[] __attribute__((visibility("hidden")));

/* Ask the kernel. The filter allows the calls of this place alone. */
static __attribute__((noinline, noclone))
long gate_kernel(long number, const long *a)
{
	register long r10 __asm__("r10") = a[3];
	register long r8 __asm__("r8") = a[4];
	register long r9 __asm__("r9") = a[5];
	long ret;

	__asm__ volatile("syscall\n"
			 ".hidden gate_open\n"
			 ".globl gate_open\n"
			 "gate_open:"
			 : "=a"(ret)
			 : "a"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]),
			   "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
}

static void gate_signal(int signal, siginfo_t *info, void *context)
{
	greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
	const long a[6] = { r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10],
			    r[REG_R8], r[REG_R9] };

	(void)signal;
	r[REG_RAX] = caught(info->si_syscall, a);
}

/* Return 0, or -1 with errno. */
static int gate_filter(void)
{
	const uint64_t gate = (uintptr_t)gate_open;
	struct sock_filter code[] = {
#define LOAD(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, member)
#define UNLESS(value, to) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, to)
#define IF(value, to) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, to, 0)
		LOAD(offsetof(struct seccomp_data, arch)),
		UNLESS(AUDIT_ARCH_X86_64, 8),
		LOAD(offsetof(struct seccomp_data, nr)),
		IF(SYS_io_uring_enter, 1),
		UNLESS(SYS_io_uring_setup, 5),
		LOAD(offsetof(struct seccomp_data, instruction_pointer)),
		UNLESS((uint32_t)gate, 2),
		LOAD(offsetof(struct seccomp_data, instruction_pointer) + 4),
		IF((uint32_t)(gate >> 32), 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
#undef LOAD
#undef UNLESS
#undef IF
	};
	struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };
	struct sigaction action = {
		.sa_sigaction = gate_signal,
		.sa_flags = SA_SIGINFO | SA_NODEFER,
	};

	if (sigaction(SIGSYS, &action, NULL) ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

#else

static long gate_kernel(long number, const long *a)
{
	return syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static int gate_filter(void)
{
	errno = ENOSYS;
	return -1;
}

#endif

/* ---- time -------------------------------------------------------------- */

/* Since the job was forked, or began as a thread. */
PER_JOB int is_simulated;
PER_JOB int is_engines_turn_over;	/* it has read a clock after fio */
PER_JOB uint64_t now_ns;
PER_JOB uint64_t last_due_ns;	/* of DEVICE_SERIAL_US */

static const clockid_t clocks[] = {
	CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, CLOCK_BOOTTIME,
};
#define CLOCKS	(sizeof(clocks) / sizeof(clocks[0]))
PER_JOB struct timespec began_at[CLOCKS];

static int real_clock_gettime(clockid_t id, struct timespec *now)
{
	return REAL("clock_gettime", int (*)(clockid_t, struct timespec *))(id, now);
}

/* The places of fio, the C library and this library in memory. */
static struct {
	uintptr_t from, to;
} fios[3];

static int find_object(struct dl_phdr_info *info, size_t size, void *data)
{
	const uintptr_t of[] = {
		getauxval(AT_ENTRY), (uintptr_t)dlsym(RTLD_NEXT, "fork"),
		(uintptr_t)find_object,
	};
	uintptr_t from = UINTPTR_MAX, to = 0;
	unsigned i;

	(void)size;
	(void)data;
	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		uintptr_t begin = info->dlpi_addr + part->p_vaddr;

		if (part->p_type != PT_LOAD)
			continue;
		if (begin < from)
			from = begin;
		if (begin + part->p_memsz > to)
			to = begin + part->p_memsz;
	}
	for (i = 0; i < 3; i++) {
		if (of[i] < from || of[i] >= to)
			continue;
		fios[i].from = from;
		fios[i].to = to;
	}
	return 0;
}

static int is_fios(const void *address)
{
	for (unsigned i = 0; i < 3; i++)
		if ((uintptr_t)address >= fios[i].from &&
		    (uintptr_t)address < fios[i].to)
			return 1;
	return 0;
}

/* True if fio called this, and not through an external engine. */
static int is_called_by_fio(void)
{
	void *callers[16];
	int count = backtrace(callers, 16);

	for (int i = 0; i < count; i++)
		if (!is_fios(callers[i]))
			return 0;
	return 1;
}

int clock_gettime(clockid_t id, struct timespec *now)
{
	int by_fio;
	uint64_t ns;

	for (unsigned i = 0; is_simulated && i < CLOCKS; i++) {
		if (clocks[i] != id)
			continue;
		now_ns += device.read_ns;
		/* Some versions of fio read a clock more often in a row. */
		by_fio = device.fio_ns && is_fios(__builtin_return_address(0)) &&
			 is_called_by_fio();
		if (by_fio && is_engines_turn_over)
			now_ns += device.fio_ns;
		is_engines_turn_over = !by_fio;
		ns = (uint64_t)began_at[i].tv_nsec + now_ns;
		now->tv_sec = began_at[i].tv_sec + (time_t)(ns / 1000000000);
		now->tv_nsec = (long)(ns % 1000000000);
		return 0;
	}
	return real_clock_gettime(id, now);
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
	struct timespec ts;

	(void)zone;
	if (clock_gettime(CLOCK_REALTIME, &ts))
		return -1;
	now->tv_sec = ts.tv_sec;
	now->tv_usec = ts.tv_nsec / 1000;
	return 0;
}

int nanosleep(const struct timespec *wanted, struct timespec *left)
{
	if (!is_simulated)
		return REAL("nanosleep", int (*)(const struct timespec *, struct timespec *))
			(wanted, left);
	now_ns += (uint64_t)wanted->tv_sec * 1000000000 +
		  (uint64_t)wanted->tv_nsec + WAKE_NS;
	return 0;
}

/*
 * fio asks every millisecond whether another job has released what both use, and
 * gives up after five seconds. That wait is real, and takes no time of the job.
 */
int usleep(useconds_t us)
{
	const struct timespec wanted = {
		.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000,
	};

	return us < 1000 ? nanosleep(&wanted, NULL) :
			   REAL("usleep", int (*)(useconds_t))(us);
}

/* The library asks for the time by this if the counter is disabled. */
long syscall(long number, ...)
{
	va_list list;
	long a[6];
	int i;

	va_start(list, number);
	for (i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	if (number == SYS_clock_gettime)
		return clock_gettime((clockid_t)a[0], (struct timespec *)a[1]);
	return REAL("syscall", long (*)(long, ...))(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* Tell every caller that the counter is disabled. */
int prctl(int option, ...)
{
	va_list list;
	long a[4];
	int i;

	va_start(list, option);
	for (i = 0; i < 4; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	if (option == PR_GET_TSC) {
		*(int *)a[0] = PR_TSC_SIGSEGV;
		return 0;
	}
	return (int)syscall(SYS_prctl, option, a[0], a[1], a[2], a[3]);
}

static void simulate(void)
{
	for (unsigned i = 0; i < CLOCKS; i++)
		real_clock_gettime(clocks[i], &began_at[i]);
	is_simulated = 1;
}

/* A job that waits for ever ends when its fio is ended. */
static void forked(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0L, 0L, 0L);
	if (!watch)
		simulate();
}

/* ---- files that are block devices --------------------------------------- */

/* On some machines fio is built with another name of stat(). */
static int looks_like(const char *name, const char *path, struct stat *st)
{
	int ret = REAL(name, int (*)(const char *, struct stat *))(path, st);
	size_t length = strlen(path), least = device.block ? strlen(device.block) : SIZE_MAX;

	if (!ret && length >= least && !strcmp(path + length - least, device.block))
		st->st_mode = (st->st_mode & ~(mode_t)S_IFMT) | S_IFBLK;
	return ret;
}

int stat(const char *restrict path, struct stat *restrict st)
{
	return looks_like("stat", path, st);
}

int stat64(const char *restrict path, struct stat64 *restrict st)
{
	return looks_like("stat64", path, (struct stat *)st);
}

/* How long a thread waited for a CPU is real time: a simulated job can't ask for it. */
int open64(const char *path, int flags, ...)
{
	va_list list;
	mode_t mode;

	va_start(list, flags);
	mode = va_arg(list, mode_t);
	va_end(list);
	if (strcmp(path, "/proc/thread-self/schedstat") == 0) {
		errno = ENOENT;
		return -1;
	}
	return REAL("open64", int (*)(const char *, int, ...))(path, flags, mode);
}

/* Answer what fio asks a block device: its size, to forget its pages, to trim. */
int ioctl(int fd, unsigned long request, ...)
{
	struct stat st;
	va_list list;
	void *argument;

	va_start(list, request);
	argument = va_arg(list, void *);
	va_end(list);
	if (device.block && request == BLKGETSIZE64 && !fstat(fd, &st)) {
		*(uint64_t *)argument = (uint64_t)st.st_size;
		return 0;
	}
	if (device.block && request == BLKDISCARD) {
		now_ns += ENTER_NS;
		return 0;
	}
	if (device.block && request == BLKFLSBUF)
		return 0;
	return (int)syscall(SYS_ioctl, fd, request, argument);
}

/* ---- the ring ---------------------------------------------------------- */

static void *map(long fd, size_t bytes, off_t what)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, (int)fd, what);

	if (at == MAP_FAILED)
		abort();
	return at;
}

/* Map the ring once more, at another place than its owner's. */
static void look_at(long fd, const struct io_uring_params *p)
{
	char *sq = map(fd, p->sq_off.array + p->sq_entries * 4, IORING_OFF_SQ_RING);
	char *cq = map(fd, p->cq_off.cqes + p->cq_entries * sizeof(struct io_uring_cqe),
		       IORING_OFF_CQ_RING);

	ring.sqes = map(fd, p->sq_entries * sizeof(*ring.sqes), IORING_OFF_SQES);
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
	ring.tail = ring.seen = ring.due = *ring.cq_tail;
}

static int is_vectored(const struct io_uring_sqe *sqe)
{
	return sqe->opcode == IORING_OP_READV || sqe->opcode == IORING_OP_WRITEV;
}

static int is_read(const struct io_uring_sqe *sqe)
{
	return sqe->opcode == IORING_OP_READ || sqe->opcode == IORING_OP_READV ||
	       sqe->opcode == IORING_OP_READ_FIXED;
}

static int is_transfer(const struct io_uring_sqe *sqe)
{
	return is_read(sqe) || sqe->opcode == IORING_OP_WRITE ||
	       sqe->opcode == IORING_OP_WRITEV || sqe->opcode == IORING_OP_WRITE_FIXED;
}

/* Complete the entry without data, with this result. */
static void ends(struct io_uring_sqe *sqe, struct fate *fate, int64_t result)
{
	uint64_t user_data = sqe->user_data;

	memset(sqe, 0, sizeof(*sqe));
	sqe->opcode = IORING_OP_NOP;
	sqe->user_data = user_data;
	fate->result = result;
}

/* Return when a transfer ends that would end at this time if there were no stall. */
static uint64_t after_stall(uint64_t ns)
{
	const uint64_t from = device.stall_ms * 1000000, to = from +
			      (uint64_t)device.stall_for_ms * 1000000;

	return ns > from && ns < to ? to : ns;
}

/* Return when a transfer to this place that is submitted now ends. @length 0: none. */
static uint64_t due_at(uint64_t offset, unsigned length)
{
	uint64_t nth_of_eight = length ? offset / length % 8 + 1 : 8;

	if (!device.due_us && !device.serial_us)
		return 0;
	if (device.due_us)
		return after_stall(now_ns + nth_of_eight * device.due_us * 1000);
	if (last_due_ns < now_ns)
		last_due_ns = now_ns;
	last_due_ns = after_stall(last_due_ns + device.serial_us * 1000);
	return last_due_ns;
}

static struct fate *fate_of(uint64_t user_data)
{
	for (unsigned i = 0; i < MAX_FATES; i++)
		if (fates[i].is_set && fates[i].user_data == user_data)
			return &fates[i];
	return NULL;
}

static int nth(unsigned long every)
{
	return every && transfers % every == 0;
}

static struct fate *new_fate(const struct io_uring_sqe *sqe, uint64_t offset,
			     unsigned length)
{
	for (unsigned i = 0; i < MAX_FATES; i++) {
		if (fates[i].is_set)
			continue;
		fates[i] = (struct fate) { .is_set = 1, .user_data = sqe->user_data,
					   .due_ns = due_at(offset, length) };
		return &fates[i];
	}
	abort();
}

/* Do the kernel's part: return the bytes of a transfer, or -errno. */
static int64_t move(const struct io_uring_sqe *sqe, unsigned length)
{
	void *data = (void *)(uintptr_t)sqe->addr;
	ssize_t ret;

	/* The file is a number in a table that is not known here. */
	if (sqe->flags & IOSQE_FIXED_FILE)
		return length;
	if (is_vectored(sqe))
		data = ((struct iovec *)data)->iov_base;
	ret = is_read(sqe) ? pread(sqe->fd, data, length, (off_t)sqe->off) :
			     pwrite(sqe->fd, data, length, (off_t)sqe->off);
	return ret < 0 ? -errno : ret;
}

/* Decide a flush, or a trim: the only command that fio has for this ring. */
static void decide_other(struct io_uring_sqe *sqe)
{
	int is_trim = sqe->opcode == IORING_OP_URING_CMD;
	int fails = is_trim && device.trim && ++trims % device.trim == 0;

	ends(sqe, new_fate(sqe, is_trim ? sqe->addr : 0, is_trim ? (unsigned)sqe->addr3 : 0),
	     fails ? -device.trim_errno : 0);
}

static void decide(struct io_uring_sqe *sqe)
{
	unsigned length = is_vectored(sqe) ?
		(unsigned)((struct iovec *)(uintptr_t)sqe->addr)->iov_len : sqe->len;
	struct fate *fate;

	if (!length)
		abort();
	fate = new_fate(sqe, sqe->off, length);
	transfers++;
	if (device.gone && transfers >= device.gone)
		ends(sqe, fate, -device.gone_errno);
	else if (nth(device.error))
		ends(sqe, fate, -device.error_errno);
	else if (nth(device.none))
		ends(sqe, fate, 0);
	else
		ends(sqe, fate, move(sqe, nth(device.half) ?
				     length / 2 & ~511U : length));
}

static struct io_uring_sqe *entry(unsigned place)
{
	place &= ring.sq_mask;
	return &ring.sqes[ring.sq_array ? ring.sq_array[place] : place];
}

/* Give the owner its entries back as they were. */
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
		else
			decide_other(entry(head + i));
	}
	ret = gate_kernel(SYS_io_uring_enter, a);
	for (i = 0; i < count; i++) {
		*entry(head + i) = saved[i];
		/* The entry will come again. */
		if ((long)i >= ret && fate_of(saved[i].user_data))
			fate_of(saved[i].user_data)->is_set = 0;
	}
	return ret;
}

static struct io_uring_cqe *completion(unsigned place)
{
	return &ring.cqes[place & ring.cq_mask];
}

static uint64_t due_of(const struct io_uring_cqe *cqe)
{
	const struct fate *fate = fate_of(cqe->user_data);

	return fate ? fate->due_ns : 0;
}

/*
 * A completion that the kernel has just posted gets its place among those that are
 * not due yet: the kernel did not take the time that the device takes.
 */
static void complete(unsigned place)
{
	struct io_uring_cqe cqe = *completion(place);
	struct fate *fate = fate_of(cqe.user_data);

	if (fate)
		cqe.res = (int32_t)fate->result;
	if (fate && !fate->due_ns)
		fate->is_set = 0;
	for (; place != ring.due && due_of(completion(place - 1)) > due_of(&cqe);
	     place--)
		*completion(place) = *completion(place - 1);
	*completion(place) = cqe;
}

/* Make completions due up to now, and as far as @wanted if the job waits for that many, but no
 * later than @until_ns. */
static void become_due(unsigned wanted, uint64_t until_ns)
{
	for (; ring.due != ring.tail; ring.due++) {
		const struct io_uring_cqe *cqe = completion(ring.due);
		uint64_t due_ns = due_of(cqe);

		if (due_ns > now_ns &&
		    (ring.due - *ring.cq_head >= wanted || due_ns > until_ns))
			break;
		if (due_ns > now_ns)
			now_ns = due_ns;
		if (due_ns)
			fate_of(cqe->user_data)->is_set = 0;
	}
}

static long enter(const long *asked)
{
	const unsigned wanted = asked[3] & IORING_ENTER_GETEVENTS ? (unsigned)asked[2] : 0;
	const int has_limit = (asked[3] & IORING_ENTER_EXT_ARG) != 0;
	uint64_t until_ns = UINT64_MAX;
	long a[6], ret;

	memcpy(a, asked, sizeof(a));
	/* The limit is in simulated time: the kernel does not wait. */
	if (has_limit) {
		const struct io_uring_getevents_arg *argument = (void *)a[4];
		const struct __kernel_timespec *ts = (void *)(uintptr_t)argument->ts;

		until_ns = now_ns + (uint64_t)(ts->tv_sec * 1000000000 + ts->tv_nsec);
		a[2] = a[4] = 0;
		a[3] &= ~(long)IORING_ENTER_EXT_ARG;
	}
	if (device.take && (unsigned long)a[1] > device.take)
		a[1] = (long)device.take;

	now_ns += ENTER_NS;
	if (a[1] && device.refuse && ++submits % device.refuse == 0)
		return -device.refuse_errno;
	if (!a[1] && device.wait && ++waits % device.wait == 0)
		return -device.wait_errno;
	*ring.cq_tail = ring.tail;
	ret = submit(a);
	ring.tail = __atomic_load_n(ring.cq_tail, __ATOMIC_ACQUIRE);
	for (; ring.seen != ring.tail; ring.seen++)
		complete(ring.seen);
	become_due(wanted, until_ns);
	*ring.cq_tail = ring.due;
	if (has_limit && !ret && ring.due - *ring.cq_head < wanted) {
		now_ns = now_ns < until_ns ? until_ns + WAKE_NS : now_ns;
		return -ETIME;
	}
	/* Show no more than there is room for, as if the others did not fit in. */
	if (device.visible && ring.due - *ring.cq_head > device.visible) {
		*ring.cq_tail = *ring.cq_head + (unsigned)device.visible;
		*ring.sq_flags |= IORING_SQ_CQ_OVERFLOW;
	}
	return ret;
}

/* ---- RING_WATCH --------------------------------------------------------- */

#define KINDS	256

static struct {
	unsigned flags, cpu, entries, places;
	unsigned seen;			/* entries before this are noted */
	struct kind {
		unsigned opcode, flags, rw_flags, ioprio;
		unsigned long count;
	} kinds[KINDS];
} watched;

static void note_submissions(void)
{
	for (; watched.seen != *ring.sq_tail; watched.seen++) {
		const struct io_uring_sqe *sqe = entry(watched.seen);
		struct kind *kind = watched.kinds;

		while (kind < watched.kinds + KINDS - 1 && kind->count &&
		       (kind->opcode != sqe->opcode || kind->flags != sqe->flags ||
			kind->rw_flags != (unsigned)sqe->rw_flags ||
			kind->ioprio != sqe->ioprio))
			kind++;
		*kind = (struct kind) { sqe->opcode, sqe->flags, (unsigned)sqe->rw_flags,
					sqe->ioprio, kind->count + 1 };
	}
}

int io_uring_queue_mmap(int fd, struct io_uring_params *params, struct io_uring *new)
{
	int ret = REAL("io_uring_queue_mmap", int (*)(int, struct io_uring_params *,
						      struct io_uring *))(fd, params, new);

	/* Some versions of liburing set these, others leave them 0. */
	new->ring_fd = new->enter_ring_fd = -1;
	new->flags = 0;
	return ret;
}

static void write_down(void)
{
	const struct kind *kind = watched.kinds;
	char path[4096];
	FILE *file;

	note_submissions();
	snprintf(path, sizeof(path), "%s.%d", watch, (int)getpid());
	/* A ring that was only tried is left out. */
	file = kind->count ? fopen(path, "w") : NULL;
	if (!file)
		return;
	fprintf(file, "setup %x cpu %u\nsizes %u %u\n", watched.flags,
		watched.cpu, watched.entries, watched.places);
	for (; kind < watched.kinds + KINDS && kind->count; kind++)
		fprintf(file, "%x %x %x %x %lu\n", kind->opcode, kind->flags,
			kind->rw_flags, kind->ioprio, kind->count);
	fclose(file);
}

void io_uring_queue_exit(struct io_uring *old)
{
	if (watch)
		write_down();
	REAL("io_uring_queue_exit", void (*)(struct io_uring *))(old);
}

/* What of the kernel is missing, or is to be written down. */
static long caught_watched(long number, const long *a)
{
	const struct io_uring_params *params = (void *)a[1];
	const char *refused = getenv("RING_NO_SETUP");
	long ret;

	if (number == SYS_io_uring_enter) {
		note_submissions();
		return gate_kernel(number, a);
	}
	if (refused && params->flags & strtoul(refused, NULL, 0))
		return -EINVAL;
	ret = gate_kernel(number, a);
	if (ret < 0)
		return ret;
	look_at(ret, params);
	watched.flags = params->flags;
	watched.cpu = params->sq_thread_cpu;
	watched.entries = params->sq_entries;
	watched.places = params->cq_entries;
	return ret;
}

/* ---- together ----------------------------------------------------------- */

static long caught(long number, const long *a)
{
	long ret;

	if (watch)
		return caught_watched(number, a);
	if (number == SYS_io_uring_enter && ring.sqes)
		return enter(a);
	if (number == SYS_io_uring_setup && !is_simulated && syscall(SYS_gettid) != getpid())
		simulate();
	ret = gate_kernel(number, a);
	if (number == SYS_io_uring_setup && ret >= 0)
		look_at(ret, (struct io_uring_params *)a[1]);
	return ret;
}

static __attribute__((constructor)) void begin(void)
{
	static const struct {
		const char *name;
		unsigned long *value;
		int *error;
	} settings[] = {
		{ "DEVICE_DUE_US", &device.due_us, NULL },
		{ "DEVICE_SERIAL_US", &device.serial_us, NULL },
		{ "DEVICE_ERROR", &device.error, &device.error_errno },
		{ "DEVICE_GONE", &device.gone, &device.gone_errno },
		{ "DEVICE_SHORT", &device.half, NULL },
		{ "DEVICE_NONE", &device.none, NULL },
		{ "DEVICE_REFUSE", &device.refuse, &device.refuse_errno },
		{ "DEVICE_WAIT", &device.wait, &device.wait_errno },
		{ "DEVICE_OVERFLOW", &device.visible, NULL },
		{ "DEVICE_TAKE", &device.take, NULL },
		{ "DEVICE_READ_NS", &device.read_ns, NULL },
		{ "DEVICE_FIO_NS", &device.fio_ns, NULL },
		{ "DEVICE_TRIM", &device.trim, &device.trim_errno },
		{ "DEVICE_STALL_MS", &device.stall_ms, &device.stall_for_ms },
	};

	dl_iterate_phdr(find_object, NULL);
	pthread_atfork(NULL, NULL, forked);
	device.block = getenv("DEVICE_BLOCK");
	watch = getenv("RING_WATCH");
	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++) {
		const char *text = getenv(settings[i].name);
		char *end;

		if (!text)
			continue;
		*settings[i].value = strtoul(text, &end, 0);
		if (settings[i].error && *end == ':')
			*settings[i].error = atoi(end + 1);
	}
	if (!gate_filter())
		return;
	fprintf(stderr, "ring_device: no system call filter: %s\n", strerror(errno));
	_exit(77);
}
