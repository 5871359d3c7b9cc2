// SPDX-License-Identifier: MIT
/*
 * A file system that lacks what most have. LACKS=tmpfile: files without a name can't be
 * made. LACKS=direct: files can't be opened for direct I/O.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static int is_lacking(int flags)
{
	const char *lacks = getenv("LACKS");

	if (!lacks)
		return 0;
	return strcmp(lacks, "tmpfile") == 0 ? (flags & O_TMPFILE) == O_TMPFILE :
					       flags & O_DIRECT;
}

static int open_it(const char *name, int folder, const char *path, int flags, mode_t mode)
{
	int (*next)(int folder, const char *path, int flags, ...) = dlsym(RTLD_NEXT, name);

	if (is_lacking(flags)) {
		errno = flags & O_DIRECT ? EINVAL : EOPNOTSUPP;
		return -1;
	}
	return next(folder, path, flags, mode);
}

#define OPEN(name, at, folder, first)					\
	int name(first const char *path, int flags, ...)		\
	{								\
		va_list args;						\
		mode_t mode;						\
									\
		va_start(args, flags);					\
		mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;	\
		va_end(args);						\
		return open_it(at, folder, path, flags, mode);		\
	}

#define NOTHING
#define FOLDER	int of,

OPEN(open, "openat", AT_FDCWD, NOTHING)
OPEN(open64, "openat64", AT_FDCWD, NOTHING)
OPEN(openat, "openat", of, FOLDER)
OPEN(openat64, "openat64", of, FOLDER)
