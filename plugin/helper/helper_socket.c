/* SPDX-License-Identifier: GPL-2.0 */
/* The helper's socket: see helper.h. */
#include "helper.h"

#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/private_folder.h"

#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS	83	/* Linux 6.16 */
#endif

#define BACKLOG		64

static int check_way(char *path)
{
	/* The socket may be another user's, or not exist yet. */
	const char *at = tw_unsafe_folder(path, 1);

	if (!at)
		return 0;
	return errno == EPERM ?
		fail(TW_EXIT_SOFTWARE, "%s: " TW_OTHERS_CAN_REPLACE "; choose another folder by "
		     "--socket=", at) : fail(TW_EXIT_SOFTWARE, "%s: %s", at, strerror(errno));
}

/* Make the folder, and check that no other user can replace the socket by another socket or
 * a link. Both the folders of the path as given and those of its target are checked. */
static int check_folder(struct tw_helper_socket *listening)
{
	char *copy = strdup(listening->path), *real;
	char *folder = copy ? dirname(copy) : NULL;
	mode_t old;
	int code;

	if (!folder)
		return fail(TW_EXIT_SOFTWARE, "not enough memory");
	/* All users can pass through it, whatever the umask is. */
	old = umask(S_IWGRP | S_IWOTH);
	if (mkdir(folder, 0755) == 0)
		listening->made_folder = strdup(folder);
	umask(old);
	real = realpath(folder, NULL);
	code = real ? check_way(real) :
		fail(TW_EXIT_SOFTWARE, "%s: %s", folder, strerror(errno));
	if (!code)
		code = check_way(folder);
	free(real);
	free(copy);
	return code;
}

/* Remove the socket of a helper that was killed. */
static int remove_old(const struct tw_helper_socket *listening)
{
	struct stat of;
	int fd, answered;

	if (lstat(listening->path, &of))
		return 0;
	if (!S_ISSOCK(of.st_mode))
		return fail(TW_EXIT_SOFTWARE, "%s exists and is not a socket", listening->path);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	/* EAGAIN: too many connections wait there. */
	answered = fd >= 0 && (connect(fd, (const struct sockaddr *)&listening->address,
				       sizeof(listening->address)) == 0 ||
			       errno == EAGAIN);
	close(fd);
	if (answered)
		return fail(TW_EXIT_SOFTWARE, "%s: another helper listens there",
			    listening->path);
	unlink(listening->path);
	return 0;
}

/* Give the socket to the user, or to the group. For a group the owner stays root: who owns
 * the socket can change its mode. */
static int give_socket(const struct tw_helper_socket *listening,
		       const struct tw_helper_guests *guests)
{
	if (guests->has_group)
		return lchown(listening->path, (uid_t)-1, guests->group);
	return guests->user == guests->self ? 0 :
		lchown(listening->path, guests->user, (gid_t)-1);
}

int tw_helper_socket_check(struct tw_helper_socket *listening)
{
	struct sockaddr_un *address = &listening->address;
	int code;

	if (!*listening->path || strlen(listening->path) >= sizeof(address->sun_path))
		return fail(TW_EXIT_USAGE, "--socket=%s: 1 to %zu bytes", listening->path,
			    sizeof(address->sun_path) - 1);
	address->sun_family = AF_UNIX;
	strcpy(address->sun_path, listening->path);
	code = check_folder(listening);
	return code ? code : remove_old(listening);
}

int tw_helper_socket_open(struct tw_helper_socket *listening,
			  const struct tw_helper_guests *guests)
{
	const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	const int on = 1, off = 0;
	bool failed;
	mode_t old;

	listening->fd = fd;
	if (fd < 0)
		return fail(TW_EXIT_SOFTWARE, "socket: %s", strerror(errno));
	/* It has its mode from the beginning, and its owner before it listens. All
	 * connections inherit the options. Where the kernel can, it refuses descriptors when
	 * they are sent. */
	old = umask(guests->has_group ? 0117 : 0177);
	failed = bind(fd, (const struct sockaddr *)&listening->address,
		      sizeof(listening->address));
	umask(old);
	if (failed || lstat(listening->path, &listening->bound) ||
	    give_socket(listening, guests) ||
	    setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) ||
	    (setsockopt(fd, SOL_SOCKET, SO_PASSRIGHTS, &off, sizeof(off)) &&
	     errno != ENOPROTOOPT) || listen(fd, BACKLOG))
		return fail(TW_EXIT_SOFTWARE, "%s: %s", listening->path, strerror(errno));
	return 0;
}

void tw_helper_socket_remove(struct tw_helper_socket *listening)
{
	struct stat now;

	if (listening->bound.st_ino && !lstat(listening->path, &now) &&
	    now.st_ino == listening->bound.st_ino &&
	    now.st_dev == listening->bound.st_dev)
		unlink(listening->path);
	if (listening->made_folder)
		rmdir(listening->made_folder);
	free(listening->made_folder);
}
