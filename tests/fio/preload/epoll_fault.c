/* SPDX-License-Identifier: MIT */
/*
 * Makes epoll_wait() fail once the file named by EPOLL_FAULT exists (LD_PRELOAD),
 * as for a program that can't wait any more.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

typedef int epoll_wait_function(int fd, struct epoll_event *events, int count,
				int timeout_ms);

int epoll_wait(int fd, struct epoll_event *events, int count, int timeout_ms)
{
	const char *path = getenv("EPOLL_FAULT");
	void *symbol = dlsym(RTLD_NEXT, "epoll_wait");
	epoll_wait_function *real;

	if (path && access(path, F_OK) == 0) {
		errno = EIO;
		return -1;
	}
	memcpy(&real, &symbol, sizeof(real));
	return real(fd, events, count, timeout_ms);
}
