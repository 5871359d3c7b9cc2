/* SPDX-License-Identifier: GPL-2.0 */
/* The system calls in which a thread may wait for storage: see calls.h. */
#include "calls.h"

#include <stddef.h>
#include <sys/syscall.h>

/* Calls with a path */
#define BY_PATH	(TW_CALL_NO_FILE | TW_CALL_PATH0)
#define AT_PATH	(TW_CALL_NO_FILE | TW_CALL_PATH1)
#define TO_PATH	(TW_CALL_NO_FILE | TW_CALL_PATH2)

#define CALL(name, how)	{ #name, SYS_##name, how }

static const struct call {
	const char *name;
	unsigned number;
	unsigned how;
} calls[] = {
	CALL(read, TW_CALL_ARG0 | TW_CALL_READS | TW_CALL_COUNTED | TW_CALL_SIZED),
	CALL(readv, TW_CALL_ARG0 | TW_CALL_READS | TW_CALL_COUNTED),
	CALL(pread64, TW_CALL_ARG0 | TW_CALL_READS | TW_CALL_COUNTED |
	     TW_CALL_SIZED | TW_CALL_PLACED),
	CALL(preadv, TW_CALL_ARG0 | TW_CALL_READS | TW_CALL_COUNTED),
	CALL(preadv2, TW_CALL_ARG0 | TW_CALL_READS | TW_CALL_COUNTED),
	CALL(write, TW_CALL_ARG0 | TW_CALL_COUNTED | TW_CALL_SIZED),
	CALL(writev, TW_CALL_ARG0 | TW_CALL_COUNTED),
	CALL(pwrite64, TW_CALL_ARG0 | TW_CALL_COUNTED | TW_CALL_SIZED | TW_CALL_PLACED),
	CALL(pwritev, TW_CALL_ARG0 | TW_CALL_COUNTED),
	CALL(pwritev2, TW_CALL_ARG0 | TW_CALL_COUNTED),
	CALL(sendfile, TW_CALL_ARG1 | TW_CALL_COPIES | TW_CALL_READS | TW_CALL_COUNTED),
	CALL(copy_file_range, TW_CALL_ARG0 | TW_CALL_COPIES | TW_CALL_READS | TW_CALL_COUNTED),
	CALL(splice, TW_CALL_ARG0 | TW_CALL_ARG2 | TW_CALL_COPIES | TW_CALL_READS),
	CALL(getdents64, TW_CALL_ARG0 | TW_CALL_READS),
	CALL(readahead, TW_CALL_ARG0 | TW_CALL_READS),
	CALL(fadvise64, TW_CALL_ARG0 | TW_CALL_READS), CALL(fallocate, TW_CALL_ARG0),
	CALL(ftruncate, TW_CALL_ARG0), CALL(fstat, TW_CALL_ARG0),
	CALL(fsync, TW_CALL_ARG0 | TW_CALL_SYNCS | TW_CALL_FULL),
	CALL(fdatasync, TW_CALL_ARG0 | TW_CALL_SYNCS),
	CALL(syncfs, TW_CALL_ARG0), CALL(ioctl, TW_CALL_ARG0),
	CALL(fchmod, TW_CALL_ARG0), CALL(fchown, TW_CALL_ARG0),
	CALL(fsetxattr, TW_CALL_ARG0), CALL(fgetxattr, TW_CALL_ARG0),
	CALL(fstatfs, TW_CALL_ARG0),
	CALL(sync, TW_CALL_NO_FILE),
	CALL(msync, TW_CALL_MAPPED), CALL(madvise, TW_CALL_MAPPED | TW_CALL_READS),
	CALL(openat, AT_PATH), CALL(openat2, AT_PATH),
	/* They may drop the last reference to a file. */
	CALL(close, TW_CALL_NO_FILE), CALL(dup3, TW_CALL_NO_FILE),
	CALL(munmap, TW_CALL_NO_FILE), CALL(exit, TW_CALL_NO_FILE),
	CALL(exit_group, TW_CALL_NO_FILE),
	CALL(truncate, BY_PATH),
	CALL(statx, AT_PATH),
	CALL(faccessat, AT_PATH), CALL(unlinkat, AT_PATH),
	CALL(renameat2, AT_PATH), CALL(mkdirat, AT_PATH),
	CALL(linkat, AT_PATH), CALL(symlinkat, TO_PATH),
	CALL(readlinkat, AT_PATH), CALL(execve, BY_PATH | TW_CALL_READS),
	CALL(fchmodat, AT_PATH), CALL(fchownat, AT_PATH),
	CALL(utimensat, AT_PATH), CALL(mknodat, AT_PATH), CALL(statfs, BY_PATH),
	CALL(setxattr, BY_PATH), CALL(lsetxattr, BY_PATH),
	CALL(getxattr, BY_PATH), CALL(lgetxattr, BY_PATH),
	CALL(listxattr, BY_PATH), CALL(llistxattr, BY_PATH), CALL(flistxattr, TW_CALL_ARG0),
	CALL(removexattr, BY_PATH), CALL(lremovexattr, BY_PATH),
	CALL(fremovexattr, TW_CALL_ARG0),
	CALL(io_submit, TW_CALL_NO_FILE | TW_CALL_SUBMITS),
	CALL(io_getevents, TW_CALL_ANY_SLEEP), CALL(io_pgetevents, TW_CALL_ANY_SLEEP),
	CALL(io_uring_enter, TW_CALL_NO_FILE | TW_CALL_RINGS),
#ifdef SYS_close_range
	CALL(close_range, TW_CALL_NO_FILE),
#endif
#ifdef SYS_sync_file_range
	CALL(sync_file_range, TW_CALL_ARG0),
#endif
#ifdef SYS_fchmodat2
	CALL(fchmodat2, AT_PATH),
#endif
#ifdef SYS_newfstatat
	CALL(newfstatat, AT_PATH),
#endif
#ifdef SYS_renameat
	CALL(renameat, AT_PATH),
#endif
#ifdef SYS_open		/* arm64 does not have these */
	CALL(open, BY_PATH), CALL(creat, BY_PATH),
	CALL(stat, BY_PATH), CALL(lstat, BY_PATH),
	CALL(access, BY_PATH), CALL(unlink, BY_PATH),
	CALL(rename, BY_PATH), CALL(mkdir, BY_PATH),
	CALL(rmdir, BY_PATH), CALL(link, BY_PATH),
	CALL(symlink, AT_PATH), CALL(readlink, BY_PATH),
	CALL(getdents, TW_CALL_ARG0 | TW_CALL_READS),
	CALL(chmod, BY_PATH), CALL(chown, BY_PATH), CALL(lchown, BY_PATH),
	CALL(utimes, BY_PATH), CALL(utime, BY_PATH), CALL(mknod, BY_PATH),
	CALL(futimesat, AT_PATH), CALL(dup2, TW_CALL_NO_FILE),
#endif
	{ "io_uring worker", TW_CALL_WORKER, 0 },
	{ "exit_group", TW_CALL_ENDS, TW_CALL_NO_FILE },
	{ "page fault", TW_CALL_FAULT, TW_CALL_NO_FILE | TW_CALL_READS },
};

#define CALLS	(sizeof(calls) / sizeof(*calls))
_Static_assert(CALLS <= TW_CALL_NAMES, "the most calls");

void tw_calls_set(volatile uint16_t how[TW_CALLS])
{
	for (size_t i = 0; i < CALLS; i++)
		how[calls[i].number] = (uint16_t)calls[i].how;
}

/* Return the index of a call. A number that is not followed stands for the last one. */
static size_t index_of(unsigned number)
{
	size_t i = 0;

	while (i < CALLS - 1 && calls[i].number != number)
		i++;
	return i;
}

unsigned tw_call_flags(unsigned number)
{
	return calls[index_of(number)].how;
}

const char *tw_call_name(unsigned number)
{
	return calls[index_of(number)].name;
}

enum tw_sleep_word tw_call_word(unsigned number)
{
	return tw_call_flags(number) & TW_CALL_PATH2 ? TW_SLEEP_METADATA : TW_SLEEP_DIRECT;
}
