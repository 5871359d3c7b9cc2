/* SPDX-License-Identifier: MIT */
/*
 * Sockets as before Linux 6.5 and 6.16 (LD_PRELOAD): a socket can't refuse descriptors, and
 * there is no pidfd of the peer.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PEERPIDFD	77
#define PASSRIGHTS	83

int setsockopt(int fd, int level, int name, const void *value, socklen_t size)
{
	if (level == SOL_SOCKET && name == PASSRIGHTS) {
		errno = ENOPROTOOPT;
		return -1;
	}
	return (int)syscall(SYS_setsockopt, fd, level, name, value, size);
}

int getsockopt(int fd, int level, int name, void *value, socklen_t *size)
{
	if (level == SOL_SOCKET && name == PEERPIDFD) {
		errno = ENOPROTOOPT;
		return -1;
	}
	return (int)syscall(SYS_getsockopt, fd, level, name, value, size);
}
