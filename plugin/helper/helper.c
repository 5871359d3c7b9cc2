/* SPDX-License-Identifier: GPL-2.0 */
/*
 * `tickwise kernel-helper`: stages inside the kernel for a fio that may not load programs
 * into the kernel.
 *
 * The helper listens on a socket that only certain users can open. For each connection it
 * starts a process, which refuses it, or loads a program for this fio only
 * (helper_serve.c). The main process keeps the privileges and reads nothing that a fio
 * sends.
 *
 * A message can carry the last descriptor of anything, and a process that closes it can
 * have to wait for it: for the lingering time of a TCP socket, which the sender chooses.
 * Only a process that is ending does not wait. So the main process never closes a
 * connection as the last one, and the others only by their end.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/mount.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "helper.h"
#include "helper/helper_maps.skel.h"
#include "kernel/stages/stacked_bio_offsets.h"
#include "kernel/stages/kernel_stages.h"
#include "kernel/program.h"
#include "text_file.h"
#include "timespec.h"

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD	77	/* Linux 6.5 */
#endif

/* How many processes may refuse connections at a time. More are there only if the kernel
 * does not let them end. */
#define MAX_REFUSING	32
#define AGAIN_MS	100	/* until the next try */
#define END_MS		500	/* for the ends of all processes */

struct helper {
	struct tw_helper_socket socket;
	struct tw_helper_guests guests;
	int signal_fd, proc_fd, maps_fd;
	int connection;			/* accepted, and has no process yet; or -1 */
	bool only_checks;
	sigset_t mask;
	struct tw_helper_place places[TW_HELPER_PLACES];
	int fio_fds[TW_HELPER_PLACES];	/* of the fio in each place, or -1 */
	/* The map of each place, set by its process. Shared with all processes that have
	 * not loaded yet. */
	_Atomic(uint32_t) *maps;
	unsigned refusing;		/* processes without a place */
};

/* ---- the command line ---- */

static bool number_of(const char *text, unsigned long *number)
{
	char *end;

	errno = 0;
	*number = strtoul(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno &&
	       *number < (uid_t)-1;
}

/* Set @id to the number of the user or group (@what) @name: to @found, if it is known. */
static int take(const char *what, const char *name, const uid_t *found, uid_t *id)
{
	unsigned long number;

	if (!found && !number_of(name, &number))
		return fail(TW_EXIT_USAGE, "--%s=%s: there is no such %s", what, name, what);
	*id = found ? *found : (uid_t)number;
	return 0;
}

/* Read the options. Return TW_GO_ON, or the exit code. */
static int read_options(struct helper *helper, char **argv)
{
	struct tw_kernel_helper_values values = { .socket = NULL };
	int code = tw_command_options(&tw_kernel_helper_options, &values, argv, NULL);
	struct tw_helper_guests *guests = &helper->guests;
	const char *caller = getenv("SUDO_UID");
	unsigned long number;

	if (code != TW_GO_ON)
		return code;
	code = 0;
	helper->socket.path = values.socket;
	helper->only_checks = values.only_checks;
	guests->self = guests->user = geteuid();
	if (guests->self == TW_HELPER_ROOT && caller && number_of(caller, &number))
		guests->user = (uid_t)number;
	if (values.user) {
		const struct passwd *entry = getpwnam(values.user);

		code = take("user", values.user, entry ? &entry->pw_uid : NULL,
			    &guests->user);
	}
	if (!code && values.group) {
		const struct group *entry = getgrnam(values.group);

		guests->has_group = true;
		code = take("group", values.group, entry ? &entry->gr_gid : NULL,
			    &guests->group);
	}
	if (code)
		return code;
	/* The user would own the socket, and could lock the group out. */
	if (values.user && values.group)
		return fail(TW_EXIT_USAGE, "--user= or --group=, not both: make the user "
			    "a member of the group");
	/* Only root can give a socket to another user and see that user's processes. */
	if (!helper->only_checks && guests->self != TW_HELPER_ROOT &&
	    (guests->has_group || guests->user != guests->self))
		return fail(TW_EXIT_SOFTWARE, "only root can serve other users: leave out "
			    "--user= and --group=");
	return TW_GO_ON;
}

/* ---- the log ---- */

/* Print a line. It is dropped if there were too many, or if it would have to wait, as for a
 * full pipe or a stopped terminal. */
__attribute__((format(printf, 1, 2))) static void print(const char *format, ...)
{
	static struct tw_helper_lines lines;
	struct pollfd out = { .fd = STDOUT_FILENO, .events = POLLOUT };
	const uint64_t now_s = tw_clock_id_ns(CLOCK_MONOTONIC) / TW_NS_PER_SECOND;
	unsigned left_out;
	va_list args;

	if (!tw_helper_may_print(&lines, now_s, &left_out) ||
	    poll(&out, 1, 0) != 1 || !(out.revents & POLLOUT))
		return;
	if (left_out)
		dprintf(STDOUT_FILENO, "%u more lines left out\n", left_out);
	va_start(args, format);
	vdprintf(STDOUT_FILENO, format, args);
	va_end(args);
}

/* ---- connections ---- */

/* Find out what the kernel tells about the process at the other end. */
static void look_at(const struct helper *helper, struct tw_helper_connection *asks)
{
	static gid_t groups[65536 + 1];	/* NGROUPS_MAX, and that of the process */
	socklen_t size = sizeof(asks->fio);

	asks->why = "the process that asks can't be looked at";
	if (getsockopt(asks->socket_fd, SOL_SOCKET, SO_PEERCRED, &asks->fio, &size) ||
	    asks->fio.pid <= 0)
		return;
	asks->why = "it is not for this user (--user=)";
	groups[0] = asks->fio.gid;
	size = sizeof(groups) - sizeof(groups[0]);
	if (getsockopt(asks->socket_fd, SOL_SOCKET, SO_PEERGROUPS, groups + 1, &size))
		size = 0;
	if (!tw_helper_is_guest(&helper->guests, asks->fio.uid, groups,
				1 + size / sizeof(groups[0])))
		return;
	asks->why = "it already serves as many fios as it may";
	asks->place = tw_helper_find_place(helper->places, asks->fio.uid);
	if (asks->place < 0)
		return;
	/* Kernels without SO_PEERPIDFD tell only the number, which another process may have
	 * by now. So the user is compared later. */
	size = sizeof(asks->fio_fd);
	if (getsockopt(asks->socket_fd, SOL_SOCKET, SO_PEERPIDFD, &asks->fio_fd, &size))
		asks->fio_fd = (int)syscall(SYS_pidfd_open, asks->fio.pid, 0);
	asks->why = asks->fio_fd < 0 ? "the process that asks can't be looked at" : NULL;
}

/* Be the process of a connection, which its end closes. It waits until @go_fd ends: by then
 * the main process has closed the connection, but not as the last one. */
static void serve(const struct helper *helper, const struct tw_helper_connection *asks,
		  int go_fd)
{
	unsigned i;
	char byte;

	tw_helper_end_with(asks->parent);
	if (read(go_fd, &byte, 1) != 0)
		_exit(1);
	close(go_fd);
	close(helper->socket.fd);
	close(helper->signal_fd);
	close(helper->maps_fd);
	for (i = 0; i < TW_HELPER_PLACES; i++)
		close(helper->fio_fds[i]);
	sigprocmask(SIG_SETMASK, &helper->mask, NULL);
	tw_helper_serve(asks);
	_exit(0);
}

/* Start a process for the connection. Return its number, or -1. */
static pid_t begin(const struct helper *helper, const struct tw_helper_connection *asks)
{
	pid_t process;
	int go[2];

	if (pipe2(go, O_CLOEXEC))
		return -1;
	process = fork();
	if (process == 0) {
		close(go[1]);
		serve(helper, asks, go[0]);
	}
	if (process > 0)
		close(asks->socket_fd);
	close(go[0]);
	close(go[1]);
	return process;
}

/* Take the next connection, or the one that could not get a process. It may not be closed
 * without. */
static void take_connection(struct helper *helper)
{
	struct tw_helper_connection asks = {
		.fio_fd = -1, .proc_fd = helper->proc_fd, .parent = getpid(),
		.maps = helper->maps,
	};
	pid_t process;

	if (helper->connection < 0)
		helper->connection = accept4(helper->socket.fd, NULL, NULL,
					     SOCK_CLOEXEC);
	if (helper->connection < 0) {
		/* There may be no free descriptor for it. */
		if (errno != EAGAIN && errno != EINTR)
			poll(NULL, 0, AGAIN_MS);
		return;
	}
	asks.socket_fd = helper->connection;
	look_at(helper, &asks);
	process = begin(helper, &asks);
	if (process < 0) {
		close(asks.fio_fd);
		return;
	}
	helper->connection = -1;
	if (asks.why) {
		helper->refusing++;
		return;
	}
	helper->places[asks.place].process = process;
	helper->places[asks.place].user = asks.fio.uid;
	helper->fio_fds[asks.place] = asks.fio_fd;
	print("serving fio %d of user %u\n", (int)asks.fio.pid, asks.fio.uid);
}

/* ---- places ---- */

/* Load the program that lists all maps. Return its descriptor, or -errno. */
static int open_maps(void)
{
	struct tw_helper_maps *program;
	struct bpf_link *link;
	int fd = -1;

	tw_program_set_messages();
	program = tw_helper_maps__open_and_load();
	if (!program)
		return -errno;
	link = bpf_program__attach_iter(program->progs.list, NULL);
	if (link)
		fd = fcntl(bpf_link__fd(link), F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		fd = -errno;
	bpf_link__destroy(link);
	tw_helper_maps__destroy(program);
	return fd;
}

/* Find which maps of all places still exist. False: they can't be listed. */
static bool list_maps(const struct helper *helper, bool *exists)
{
	const int list = bpf_iter_create(helper->maps_fd);
	uint32_t listed[1024];
	ssize_t size;

	if (list < 0)
		return false;
	while ((size = read(list, listed, sizeof(listed))) > 0)
		for (unsigned i = 0; i < TW_HELPER_PLACES; i++)
			for (size_t j = 0; j < (size_t)size / sizeof(listed[0]); j++)
				exists[i] |= helper->places[i].old_map == listed[j];
	close(list);
	return !size;
}

static void reap(struct helper *helper)
{
	pid_t process;
	unsigned i;

	while ((process = waitpid(-1, NULL, WNOHANG)) > 0) {
		for (i = 0; i < TW_HELPER_PLACES &&
			    helper->places[i].process != process; i++)
			;
		if (i == TW_HELPER_PLACES) {
			helper->refusing--;
			continue;
		}
		helper->places[i].process = 0;
		close(helper->fio_fds[i]);
		helper->fio_fds[i] = -1;
	}
}

/* Find out which places have memory that no fio has any more. A fio can keep the memory of
 * its entries after it has hung up, or give it to another process. Return true if some is
 * still in use, and its process has ended or waits for it. */
static bool look_at_memory(struct helper *helper)
{
	bool exists[TW_HELPER_PLACES] = { false }, is_any = false, is_listed;
	unsigned i;

	for (i = 0; i < TW_HELPER_PLACES; i++) {
		if (!helper->places[i].process)
			helper->places[i].old_map = atomic_load(&helper->maps[i]);
		is_any |= helper->places[i].old_map != 0;
	}
	is_listed = is_any && list_maps(helper, exists);
	is_any = false;
	for (i = 0; i < TW_HELPER_PLACES; i++) {
		struct tw_helper_place *place = &helper->places[i];

		/* The process of the place waits for 0, and then sets its own. */
		if (place->old_map && is_listed && !exists[i]) {
			place->old_map = 0;
			atomic_store(&helper->maps[i], 0);
		}
		is_any |= place->old_map != 0;
	}
	return is_any;
}

/* End all processes, so that no program is left when the helper has ended. They are not
 * waited for without end: a fio may have sent files that the kernel can't close. */
static void end_all(struct helper *helper)
{
	unsigned i, waited_ms;

	for (i = 0; i < TW_HELPER_PLACES; i++)
		if (helper->places[i].process)
			kill(helper->places[i].process, SIGKILL);
	for (waited_ms = 0; waited_ms < END_MS; waited_ms += 10) {
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		if (waitpid(-1, NULL, WNOHANG) < 0)
			return;
		poll(NULL, 0, 10);
	}
}

/* Accept connections until a signal ends the helper. */
static void listen_on(struct helper *helper)
{
	struct pollfd events[2 + TW_HELPER_PLACES];
	struct signalfd_siginfo info;
	bool may_accept, is_waiting;
	unsigned i;

	do {
		reap(helper);
		is_waiting = look_at_memory(helper) || helper->connection >= 0;
		may_accept = helper->connection < 0 && helper->refusing < MAX_REFUSING;
		events[0] = (struct pollfd) { helper->signal_fd, POLLIN, 0 };
		events[1] = (struct pollfd) { may_accept ? helper->socket.fd : -1,
					      POLLIN, 0 };
		for (i = 0; i < TW_HELPER_PLACES; i++)
			events[2 + i] = (struct pollfd) { helper->fio_fds[i], POLLIN,
							  0 };
		if (poll(events, 2 + TW_HELPER_PLACES, is_waiting ? AGAIN_MS : -1) < 0)
			continue;
		/* The processes of fios that have ended would end by themselves, unless
		 * another process of their user stops them. */
		for (i = 0; i < TW_HELPER_PLACES; i++)
			if (helper->fio_fds[i] >= 0 && events[2 + i].revents) {
				kill(helper->places[i].process, SIGKILL);
				close(helper->fio_fds[i]);
				helper->fio_fds[i] = -1;
			}
		if (events[1].revents || helper->connection >= 0)
			take_connection(helper);
	} while (!events[0].revents ||
		 read(helper->signal_fd, &info, sizeof(info)) != (ssize_t)sizeof(info) ||
		 info.ssi_signo == SIGCHLD);
}

/* Open a /proc of the helper's own, which shows all processes to user 65534, even if the
 * machine's /proc hides them (hidepid=). If the helper may not mount it, open the machine's
 * /proc. -1: neither is possible. */
static int open_proc(void)
{
	const int context = (int)syscall(SYS_fsopen, "proc", FSOPEN_CLOEXEC);
	int fd = -1;

	if (context >= 0 &&
	    !syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		fd = (int)syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC,
				  MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV |
				  MOUNT_ATTR_NOEXEC);
	if (context >= 0)
		close(context);
	return fd >= 0 ? fd : open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static int prepare(struct helper *helper)
{
	sigset_t signals;
	unsigned i;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	sigaddset(&signals, SIGCHLD);
	signal(SIGCHLD, SIG_DFL);
	/* The reader of the log may end. */
	signal(SIGPIPE, SIG_IGN);
	sigprocmask(SIG_BLOCK, &signals, &helper->mask);
	helper->proc_fd = open_proc();
	helper->connection = -1;
	for (i = 0; i < TW_HELPER_PLACES; i++)
		helper->fio_fds[i] = -1;
	helper->maps = mmap(NULL, TW_HELPER_PLACES * sizeof(*helper->maps),
			    PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	helper->signal_fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	if (helper->maps == MAP_FAILED || helper->signal_fd < 0)
		return fail(TW_EXIT_SOFTWARE, "%s", strerror(errno));
	helper->maps_fd = open_maps();
	return helper->maps_fd >= 0 ? 0 :
		fail(TW_EXIT_SOFTWARE, "%s", tw_program_reason(helper->maps_fd, false));
}

/* Load the program once at the beginning, so that an error is printed at once. */
static int try_to_load(void)
{
	const struct tw_loader_owner nobody = { .user = TW_HELPER_ROOT };
	struct tw_stages *loader = NULL;
	int error = tw_loader_load(&loader, 1, &nobody);

	tw_loader_free(loader);
	return error ? fail(TW_EXIT_SOFTWARE, "%s", tw_program_reason(error, false)) : 0;
}

/* Open the socket and serve. */
static int run(struct helper *helper)
{
	const struct tw_helper_guests *guests = &helper->guests;
	int code = tw_helper_socket_check(&helper->socket);

	if (!code)
		code = try_to_load();
	if (!code)
		code = prepare(helper);
	if (!code)
		code = tw_helper_socket_open(&helper->socket, guests);
	if (!code) {
		print("listening on %s for %s %u (Ctrl-C ends it)\n", helper->socket.path,
		      guests->has_group ? "group" : "user",
		      guests->has_group ? guests->group : guests->user);
		listen_on(helper);
	}
	/* The end of this process closes the socket, with all that waits there. */
	tw_helper_socket_remove(&helper->socket);
	end_all(helper);
	return code;
}

struct kernel {
	char *symbols;		/* /proc/kallsyms */
	struct btf *types;
	struct tw_stacked_bio_offsets above;
	bool takes_programs;	/* from this user */
};

static bool has_type(const struct tw_stacked_bio_offsets *above, const char *name)
{
	return !strcmp(name, "dm_io") ? above->original >= 0 :
	       !strcmp(name, "dm_rq_clone_bio_info") ? above->path >= 0 :
	       !strcmp(name, "dm_crypt_io") ? above->crypt >= 0 :
	       !strcmp(name, "md_io_clone") ? above->account >= 0 :
	       !strcmp(name, "r1bio") ? above->raid1 >= 0 : above->raid10 >= 0;
}

static int has(void *context, enum tw_helper_need need, const char *name)
{
	const struct kernel *kernel = context;

	switch (need) {
	case TW_NEED_FUNCTION:
		return tw_helper_has_symbol(kernel->symbols, name);
	case TW_NEED_TYPE:
		return has_type(&kernel->above, name);
	case TW_NEED_TRACEPOINT:
		return tw_program_has_tracepoint(kernel->types, name);
	case TW_NEED_ENTRY:
		return kernel->takes_programs ? tw_program_can_enter(kernel->types, name) : -1;
	}
	return -1;
}

/* Print what can be measured; nothing if that is not known. Most of it needs no privileges. */
static void print_found(bool takes_programs)
{
	struct kernel kernel = {
		.symbols = tw_text_file("/proc/kallsyms"), .takes_programs = takes_programs,
	};

	tw_program_set_messages();
	kernel.types = btf__load_vmlinux_btf();
	if (kernel.symbols && !libbpf_get_error(kernel.types)) {
		kernel.above = tw_stacked_bio_offsets_find(kernel.types);
		tw_helper_print_found(has, &kernel, stdout);
	}
	btf__free(kernel.types);
	free(kernel.symbols);
}

int main(int argc, char **argv)
{
	struct helper helper = { .socket.fd = -1 };
	int code;

	/* No process of the same user may look into this one, or take its descriptors.
	 * Until now its capabilities have protected it. */
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	(void)argc;
	code = read_options(&helper, argv);
	if (code != TW_GO_ON)
		return code;
	if (tw_has_shifted_clock())
		return fail(TW_EXIT_SOFTWARE, TW_SHIFTED_CLOCK);
	if (!helper.only_checks)
		return run(&helper);
	code = try_to_load();
	print_found(!code);
	return tw_command_finish(tw_kernel_helper_options.command, code);
}
