/* SPDX-License-Identifier: MIT */
/*
 * Behaviour: files and folders are opened safely while another user changes their names. TW_RACES
 * sets how often (default: 2000). A signal at any moment leaves no file that is half written, and
 * ends the wait for a pipe's reader.
 * Defects: a named pipe stops root; root writes into a file that a link leads to, reads a
 * device, or makes its folder in a user's; a .part file stays.
 *
 * Wraps: open __open_2 getpid
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/private_folder.h"
#include "base/write_file.h"
#include "tap.h"

#define USER	65534
#define SECRET	"secret\n"

/* ---- a signal at any moment ---- */

static int is_armed, moments, left, swaps;

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap___open_2(const char *path, int flags);
pid_t __real_getpid(void);
pid_t __wrap_getpid(void);

static void signal_comes(void)
{
	glob_t found;

	if (!is_armed)
		return;
	is_armed = 0;
	tw_output_remove_all();
	moments++;
	if (!glob("*.part", 0, NULL, &found)) {
		left++;
		globfree(&found);
	}
	is_armed = 1;
}

int __wrap_open(const char *path, int flags, ...)
{
	va_list rest;
	mode_t mode;
	int fd;

	va_start(rest, flags);
	mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
	va_end(rest);
	/* A user puts a pipe there before the second call, and a link after the first. */
	if (swaps == 1)
		rename("theirs/pipe", "theirs/name");
	fd = __real_open(path, flags, mode);
	if (swaps == 2)
		rename("theirs/link", "theirs/name");
	swaps -= swaps > 0;
	signal_comes();
	return fd;
}

/* With _FORTIFY_SOURCE, which some distributions' compilers set, glibc calls this one. */
int __wrap___open_2(const char *path, int flags)
{
	return __wrap_open(path, flags);
}

pid_t __wrap_getpid(void)
{
	signal_comes();
	return __real_getpid();
}

static void test_moments(void)
{
	struct tw_output output;

	is_armed = 1;
	tw_output_open(&output, "report");
	is_armed = 0;
	tap_ok(moments > 1 && !left, "%d signals while a file is made leave none", moments);
	tw_output_close(&output, -ECANCELED);
	tap_ok(!tw_output_open(&output, "report") && fputs("x", output.stream) > 0 &&
	       !tw_output_close(&output, 0) && !access("report", F_OK),
	       "the next file is written");
}

static void go_on(int number)
{
	(void)number;
}

static void test_wait(void)
{
	const struct sigaction action = { .sa_handler = go_on, .sa_flags = SA_RESTART };
	struct tw_output output;
	int status = 0;
	pid_t child;

	mkfifo("pipe", 0600);
	sigaction(SIGTERM, &action, NULL);
	fflush(stdout);
	child = fork();
	if (!child) {
		alarm(60);
		_exit(tw_output_open(&output, "pipe") == -EINTR ? 0 : 1);
	}
	while (waitpid(child, &status, WNOHANG) != child) {
		kill(child, SIGTERM);
		usleep(1000);
	}
	signal(SIGTERM, SIG_DFL);
	tap_ok(!status, "SIGTERM ends the wait for a reader, also with a handler");
}

/* ---- a user who changes names ---- */

/* The user puts one thing after the other at @name: a file, links, pipes. */
static pid_t user_begins(const char *name, int has_folders)
{
	static const char *const targets[] = { "secret", "/dev/full", "folder" };
	char path[2 * PATH_MAX], cwd[PATH_MAX], next[PATH_MAX];
	pid_t child;

	if (!getcwd(cwd, sizeof(cwd)))
		exit(1);
	snprintf(next, sizeof(next), "%s.next", name);
	fflush(stdout);
	child = fork();
	if (child)
		return child;
	/* When the test ends, whatever the way. */
	if (setgid(USER) || setuid(USER) || prctl(PR_SET_PDEATHSIG, SIGKILL))
		_exit(1);
	for (unsigned i = 0;; i++) {
		const char *target = targets[i / 4 % 3];
		int is_done;

		snprintf(path, sizeof(path), "%s%s%s", target[0] == '/' ? "" : cwd,
			 target[0] == '/' ? "" : "/", target);
		if (has_folders)
			is_done = i % 2 ? !mkdir(next, 0700) : !symlink(path, next);
		else if (i % 4 == 0)
			is_done = !symlink(path, next);
		else if (i % 4 == 1)
			is_done = !link("secret", next);
		else if (i % 4 == 2)
			is_done = !mkfifo(next, 0666);
		else
			is_done = close(__real_open(next, O_CREAT | O_WRONLY, 0666)) == 0;
		if (has_folders) {
			rmdir(name);
			unlink(name);
		}
		if (is_done)
			rename(next, name);
		/* A rename() to another name of the file leaves both. */
		if (unlink(next))
			rmdir(next);
	}
}

static void user_ends(pid_t user)
{
	kill(user, SIGKILL);
	waitpid(user, NULL, 0);
}

static void hangs(int number)
{
	static const char text[] = "not ok - a pipe of another user stops root\n";

	(void)number;
	if (write(STDOUT_FILENO, text, sizeof(text) - 1) > 0)
		_exit(1);
}

static void test_swaps(void)
{
	struct tw_output output;
	int error = close(__real_open("theirs/name", O_CREAT | O_WRONLY, 0666));

	error |= mkfifo("theirs/pipe", 0666) | symlink("../secret", "theirs/link") |
		 lchown("theirs/pipe", USER, USER) | lchown("theirs/link", USER, USER);
	alarm(60);
	swaps = 2;
	tap_ok(!error && tw_output_open(&output, "theirs/name") == -EACCES,
	       "an output that becomes a link, then a pipe, is refused");
	unlink("theirs/name");
}

static void test_outputs(int races)
{
	pid_t user = user_begins("theirs/name", 0);
	char text[64] = "";
	int written = 0, fd;
	glob_t found;

	for (int i = 0; i < races; i++) {
		struct tw_output output;

		alarm(60);
		if (tw_output_open(&output, "theirs/name"))
			continue;
		fputs("report\n", output.stream);
		written += !tw_output_close(&output, 0);
	}
	user_ends(user);
	fd = __real_open("secret", O_RDONLY);
	tap_ok(read(fd, text, sizeof(text)) == sizeof(SECRET) - 1 && !strcmp(text, SECRET),
	       "%d outputs, %d of them written: root's own file is as it was", races, written);
	close(fd);
	tap_ok(glob("theirs/*.part", 0, NULL, &found) == GLOB_NOMATCH, "none is left half written");
}

static void test_inputs(int races, int takes, const char *what)
{
	pid_t user = user_begins("theirs/name", 0);
	int opened = 0, wrong = 0;

	for (int i = 0; i < races; i++) {
		struct stat status;
		int fd;

		alarm(60);
		fd = tw_input_open("theirs/name", takes);
		if (fd < 0)
			continue;
		opened++;
		wrong += fstat(fd, &status) || !S_ISREG(status.st_mode) ||
			 (fcntl(fd, F_GETFL) & O_NONBLOCK) ||
			 (takes & TW_INPUT_OWN && status.st_uid != 0);
		close(fd);
	}
	user_ends(user);
	tap_ok(!wrong, "%d inputs%s, %d of them opened: %d wrong", races, what, opened, wrong);
}

static void test_folders(int races)
{
	pid_t user = user_begins("theirs/tmp", 1);
	char at[PATH_MAX], cwd[PATH_MAX];
	int made = 0, wrong = 0;

	if (!getcwd(cwd, sizeof(cwd)))
		exit(1);
	setenv("TMPDIR", "theirs/tmp", 1);
	for (int i = 0; i < races; i++) {
		char *path = tw_private_folder("race", at);

		if (!path)
			continue;
		made++;
		wrong += strncmp(path, cwd, strlen(cwd)) ||
			 strncmp(path + strlen(cwd), "/folder/race.", 13);
		tw_private_folder_remove(path);
	}
	user_ends(user);
	tap_ok(!wrong, "%d private folders, %d of them made: %d where the user can replace them",
	       races, made, wrong);
}

int main(void)
{
	const char *given = getenv("TW_RACES"), *tmp = getenv("TMPDIR");
	int races = given ? atoi(given) : 2000, fd;
	char folder[PATH_MAX], command[PATH_MAX + 16];

	snprintf(folder, sizeof(folder), "%s/tickwise.XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(folder) || chdir(folder))
		return 1;
	test_moments();
	test_wait();
	if (geteuid() == 0 && !mkdir("theirs", 0755) && !chown("theirs", USER, USER)) {
		chmod(".", 0755);
		signal(SIGALRM, hangs);
		mkdir("folder", 0755);
		fd = __real_open("secret", O_CREAT | O_WRONLY, 0600);
		/* Where the user may write, the kernel lets the user add names, too. */
		fchmod(fd, 0666);
		if (write(fd, SECRET, sizeof(SECRET) - 1) < 0)
			return 1;
		close(fd);
		test_swaps();
		test_outputs(races);
		test_inputs(races, TW_INPUT_PIPE, "");
		test_inputs(races, TW_INPUT_OWN, " of root alone");
		test_folders(races);
	} else {
		tap_skip("only root can be attacked by a user of its choice");
	}
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	return chdir("/") || system(command) ? 1 : tap_done();
}
