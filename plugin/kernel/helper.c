/* SPDX-License-Identifier: GPL-2.0 */
/*
 * `tickwise kernel-helper`: stages inside the kernel for a fio that may not load programs
 * into the kernel.
 *
 * The helper listens on a socket that only certain users can open. For each fio that
 * connects, it starts a process, which loads a program for this fio only (helper_serve.c).
 * The main process keeps the privileges and reads nothing that a fio sends.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <libgen.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command/command.h"
#include "command/separate.h"
#include "helper_protocol.h"
#include "helper_serve.h"
#include "loader.h"
#include "shifted_clock.h"

/* Limits on the number of fios, since the program of each fio runs at each I/O of this
 * machine. */
#define MAX_FIOS	8
#define MAX_FIOS_OF_USER	4
#define BACKLOG		64
#define ROOT		((uid_t)0)

struct helper {
	const char *path;
	uid_t user;			/* this user may connect; root always may */
	gid_t group;			/* its members may connect, too */
	bool has_group;
	int listen_fd, signal_fd, proc_fd;
	int end_fds[2];			/* the first is readable when the helper ends */
	char *made_folder;		/* removed at the end */
	struct stat socket;
	bool only_checks;
	sigset_t mask;
	struct {
		pid_t process;		/* 0: none */
		uid_t user;
	} fios[MAX_FIOS];
};

#define fail(code, ...)	\
	tw_command_fail(tw_kernel_helper_options.command, code, __VA_ARGS__)

/* Print a line of the log. The line is dropped if it would have to wait, as for a full pipe
 * or a stopped terminal. */
static void print_line(const char *format, ...)
{
	struct pollfd out = { .fd = STDOUT_FILENO, .events = POLLOUT };
	va_list args;

	if (poll(&out, 1, 0) != 1 || !(out.revents & POLLOUT))
		return;
	va_start(args, format);
	vdprintf(STDOUT_FILENO, format, args);
	va_end(args);
}

/* ---- the command line ---- */

static bool number_of(const char *text, unsigned long *number)
{
	char *end;

	errno = 0;
	*number = strtoul(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno &&
	       *number < (uid_t)-1;
}

static int take_user(struct helper *helper, const char *name)
{
	const struct passwd *entry = getpwnam(name);
	unsigned long number;

	if (entry)
		helper->user = entry->pw_uid;
	else if (number_of(name, &number))
		helper->user = (uid_t)number;
	else
		return fail(TW_EXIT_USAGE, "--user=%s: there is no such user", name);
	return 0;
}

static int take_group(struct helper *helper, const char *name)
{
	const struct group *entry = getgrnam(name);
	unsigned long number;

	helper->has_group = true;
	if (entry)
		helper->group = entry->gr_gid;
	else if (number_of(name, &number))
		helper->group = (gid_t)number;
	else
		return fail(TW_EXIT_USAGE, "--group=%s: there is no such group", name);
	return 0;
}

/* Check the users. Only root can give a socket to another user and see that user's
 * processes. */
static int check_users(const struct helper *helper)
{
	if (geteuid() == ROOT ||
	    (helper->user == geteuid() && !helper->has_group))
		return 0;
	return fail(TW_EXIT_SOFTWARE, "only root can serve other users: leave out --user= "
		    "and --group=");
}

/* Serve the user who called sudo, else the user who runs this. */
static void set_defaults(struct helper *helper)
{
	const char *text = getenv("SUDO_UID");
	unsigned long number;

	helper->user = geteuid();
	if (helper->user == ROOT && text && number_of(text, &number))
		helper->user = (uid_t)number;
}

/* Read the options. Return TW_GO_ON, or the exit code. */
static int read_options(struct helper *helper, char **argv)
{
	struct tw_kernel_helper_values values = { .socket = NULL };
	int code = tw_command_options(&tw_kernel_helper_options, &values, argv, NULL);

	if (code != TW_GO_ON)
		return code;
	helper->path = values.socket;
	helper->only_checks = values.only_checks;
	code = values.user ? take_user(helper, values.user) : 0;
	if (!code && values.group)
		code = take_group(helper, values.group);
	return code ? code : TW_GO_ON;
}

/* ---- the socket ---- */

/* True if another user can replace the file: its owner, or a user who may write to its
 * folder. */
static bool others_can_change(const struct stat *of)
{
	return (of->st_uid != ROOT && of->st_uid != geteuid()) ||
	       (!S_ISLNK(of->st_mode) && (of->st_mode & (S_IWGRP | S_IWOTH)) &&
		!(of->st_mode & S_ISVTX));
}

/* Check each folder from @path up to the root, or to the current folder. This changes
 * @path. */
static int check_way(char *path)
{
	const char *at = path;
	struct stat of;
	bool is_last;

	do {
		is_last = !strcmp(at, "/") || !strcmp(at, ".");
		if (lstat(at, &of))
			return fail(TW_EXIT_SOFTWARE, "%s: %s", at, strerror(errno));
		if (others_can_change(&of))
			return fail(TW_EXIT_SOFTWARE, "%s: others can replace files in it; "
				    "--socket= in another folder", at);
		at = dirname((char *)at);
	} while (!is_last);
	return 0;
}

/* Make a folder that all users can pass through, whatever the umask is. */
static void make_folder(struct helper *helper, const char *folder)
{
	const mode_t old = umask(S_IWGRP | S_IWOTH);

	if (mkdir(folder, 0755) == 0)
		helper->made_folder = strdup(folder);
	umask(old);
}

/* Check that no other user can replace the socket by another socket or a link. Both the
 * folders of the path as given and those of its target are checked. */
static int check_folder(struct helper *helper)
{
	char *copy = strdup(helper->path), *real;
	char *folder = copy ? dirname(copy) : NULL;
	int code;

	if (!folder)
		return fail(TW_EXIT_SOFTWARE, "not enough memory");
	make_folder(helper, folder);
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
static int remove_old(const struct helper *helper, const struct sockaddr_un *address)
{
	struct stat of;
	int fd, answered;

	if (lstat(helper->path, &of))
		return 0;
	if (!S_ISSOCK(of.st_mode))
		return fail(TW_EXIT_SOFTWARE, "%s exists and is not a socket", helper->path);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	answered = fd >= 0 && connect(fd, (const struct sockaddr *)address,
				      sizeof(*address)) == 0;
	close(fd);
	if (answered)
		return fail(TW_EXIT_SOFTWARE, "%s: another helper listens there",
			    helper->path);
	unlink(helper->path);
	return 0;
}

/* Bind the socket. It has its mode from the beginning, and its owner before it listens. */
static int bind_socket(struct helper *helper, const struct sockaddr_un *address)
{
	const mode_t old = umask(helper->has_group ? 0117 : 0177);
	const int on = 1;
	int error;

	error = bind(helper->listen_fd, (const struct sockaddr *)address,
		     sizeof(*address)) ? errno : 0;
	umask(old);
	if (!error && (lstat(helper->path, &helper->socket) ||
		       ((helper->user != geteuid() || helper->has_group) &&
			lchown(helper->path, helper->user, helper->has_group ?
			       helper->group : (gid_t)-1)) ||
		       setsockopt(helper->listen_fd, SOL_SOCKET, SO_PASSCRED, &on,
				  sizeof(on)) ||
		       listen(helper->listen_fd, BACKLOG)))
		error = errno;
	return error ? fail(TW_EXIT_SOFTWARE, "%s: %s", helper->path,
			    strerror(error)) : 0;
}

/* Check that the helper can listen at its path. */
static int check_path(struct helper *helper, struct sockaddr_un *address)
{
	int code;

	*address = (struct sockaddr_un) { .sun_family = AF_UNIX };
	if (!*helper->path || strlen(helper->path) >= sizeof(address->sun_path))
		return fail(TW_EXIT_USAGE, "--socket=%s: 1 to %zu bytes", helper->path,
			    sizeof(address->sun_path) - 1);
	strcpy(address->sun_path, helper->path);
	code = check_folder(helper);
	return code ? code : remove_old(helper, address);
}

static int open_socket(struct helper *helper, const struct sockaddr_un *address)
{
	helper->listen_fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC |
				   SOCK_NONBLOCK, 0);
	if (helper->listen_fd < 0)
		return fail(TW_EXIT_SOFTWARE, "socket: %s", strerror(errno));
	return bind_socket(helper, address);
}

static void close_socket(struct helper *helper)
{
	struct stat now;

	if (helper->socket.st_ino && !lstat(helper->path, &now) &&
	    now.st_ino == helper->socket.st_ino &&
	    now.st_dev == helper->socket.st_dev)
		unlink(helper->path);
	if (helper->made_folder)
		rmdir(helper->made_folder);
	free(helper->made_folder);
}

/* ---- fios ---- */

/* Find a free @place for a fio of @user. Return NULL, or the reason why it is refused. */
static const char *find_place(const struct helper *helper, uid_t user,
			      unsigned *place)
{
	unsigned used = 0, of_user = 0, i;

	*place = MAX_FIOS;
	for (i = 0; i < MAX_FIOS; i++) {
		if (!helper->fios[i].process) {
			*place = i;
			continue;
		}
		used++;
		of_user += helper->fios[i].user == user;
	}
	/* For a group, the mode of the socket has checked that. */
	if (user != ROOT && user != helper->user && user != geteuid() &&
	    !helper->has_group)
		return "it is not for this user (--user=)";
	if (used == MAX_FIOS || of_user >= MAX_FIOS_OF_USER)
		return "it serves as many fios as it may already";
	return NULL;
}

static void begin(struct helper *helper, int fd, const struct ucred *fio,
		  unsigned place)
{
	pid_t process = fork();

	if (process == 0) {
		close(helper->listen_fd);
		close(helper->signal_fd);
		close(helper->end_fds[1]);
		sigprocmask(SIG_SETMASK, &helper->mask, NULL);
		tw_helper_serve(fd, helper->end_fds[0], helper->proc_fd, fio);
		_exit(0);
	}
	if (process < 0) {
		tw_helper_refuse(fd, "it has no process left");
		return;
	}
	helper->fios[place].process = process;
	helper->fios[place].user = fio->uid;
	print_line("serving fio %d of user %u\n", (int)fio->pid, fio->uid);
}

static void take_connection(struct helper *helper)
{
	int fd = accept4(helper->listen_fd, NULL, NULL, SOCK_CLOEXEC);
	socklen_t size = sizeof(struct ucred);
	struct ucred fio;
	const char *why;
	unsigned place;

	if (fd < 0)
		return;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &fio, &size) || fio.pid <= 0)
		why = "the process that asks can't be looked at";
	else
		why = find_place(helper, fio.uid, &place);
	if (why)
		tw_helper_refuse(fd, why);
	else
		begin(helper, fd, &fio, place);
	close(fd);
}

static void reap(struct helper *helper, int flags)
{
	pid_t process;
	unsigned i;

	while ((process = waitpid(-1, NULL, flags)) > 0)
		for (i = 0; i < MAX_FIOS; i++)
			if (helper->fios[i].process == process)
				helper->fios[i].process = 0;
}

/* Accept connections until a signal ends the helper. */
static void listen_on(struct helper *helper)
{
	struct pollfd events[] = {
		{ .fd = helper->listen_fd, .events = POLLIN },
		{ .fd = helper->signal_fd, .events = POLLIN },
	};
	struct signalfd_siginfo signal_info;

	for (;;) {
		if (poll(events, 2, -1) < 0)
			continue;
		if (events[1].revents &&
		    read(helper->signal_fd, &signal_info, sizeof(signal_info)) ==
		    (ssize_t)sizeof(signal_info)) {
			if (signal_info.ssi_signo != SIGCHLD)
				return;
			reap(helper, WNOHANG);
		}
		if (events[0].revents)
			take_connection(helper);
	}
}

static int prepare(struct helper *helper)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	sigaddset(&signals, SIGCHLD);
	signal(SIGCHLD, SIG_DFL);
	/* The reader of the log may end. */
	signal(SIGPIPE, SIG_IGN);
	sigprocmask(SIG_BLOCK, &signals, &helper->mask);
	helper->proc_fd = tw_helper_open_proc();
	helper->signal_fd = signalfd(-1, &signals, SFD_CLOEXEC);
	if (helper->signal_fd < 0 || pipe2(helper->end_fds, O_CLOEXEC))
		return fail(TW_EXIT_SOFTWARE, "%s", strerror(errno));
	return 0;
}

/* Load the program once at the beginning, so that an error is printed at once. */
static int try_to_load(void)
{
	const struct tw_loader_owner nobody = { .user = ROOT };
	struct tw_loader *loader = NULL;
	int error = tw_loader_load(&loader, 1, &nobody);

	tw_loader_free(loader);
	return error ? fail(TW_EXIT_SOFTWARE, "%s", tw_program_reason(error, false)) : 0;
}

int main(int argc, char **argv)
{
	struct helper helper = { .listen_fd = -1 };
	struct sockaddr_un address;
	int code;

	set_defaults(&helper);
	(void)argc;
	code = read_options(&helper, argv);
	if (code != TW_GO_ON)
		return code;
	code = helper.only_checks ? 0 : check_users(&helper);
	if (!code && tw_has_shifted_clock())
		code = fail(TW_EXIT_SOFTWARE, TW_SHIFTED_CLOCK);
	if (helper.only_checks)
		return code ? code : try_to_load();
	if (!code)
		code = check_path(&helper, &address);
	if (!code)
		code = try_to_load();
	if (!code)
		code = prepare(&helper);
	if (!code)
		code = open_socket(&helper, &address);
	if (!code) {
		print_line("listening on %s for user %u (Ctrl-C ends it)\n",
			   helper.path, helper.user);
		listen_on(&helper);
		/* The serving processes see the end of the pipe, and end, too. */
		close(helper.end_fds[1]);
		reap(&helper, 0);
	}
	close_socket(&helper);
	return code;
}
