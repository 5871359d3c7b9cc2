/* SPDX-License-Identifier: MIT */
/*
 * Runs a program on a terminal of its own, for tests.
 *
 *	on_terminal [-c COLUMNS] [-a ANSWER] [-i TEXT]... [-o] PROGRAM [ARGUMENT...]
 *
 * What the program prints to its terminal goes to standard output unchanged. -c:
 * the width of the terminal (80). -i: types Ctrl-C when TEXT has come, once for
 * each -i, in their order. -a: types ANSWER instead of Ctrl-C. -o: only standard input and
 * error are the terminal, which goes to standard error; standard output stays as it is.
 *
 * Exit code: the program's; 128 and the signal that killed it; 99: no terminal.
 */
#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_TEXTS	8
#define ROOM		(1 << 20)
#define NO_TERMINAL	99
#define CTRL_C		"\003"
#define PATIENCE_S	100

static struct {
	unsigned short columns;
	const char *answer;
	const char *texts[MAX_TEXTS];
	unsigned count;
	int keeps_stdout;
} wanted = { .columns = 80, .answer = CTRL_C };

static void die(const char *what)
{
	perror(what);
	exit(NO_TERMINAL);
}

static void type(int master)
{
	if (write(master, wanted.answer, strlen(wanted.answer)) < 0 && errno != EIO)
		die("write");
}

/* A terminal that no process has open any more reads as an error. */
static void copy(int master)
{
	static char text[ROOM];
	size_t used = 0, from = 0;
	unsigned next = 0;
	ssize_t got;

	while (used + 1 < ROOM &&
	       ((got = read(master, text + used, ROOM - used - 1)) > 0 ||
		(got < 0 && errno == EINTR))) {
		char *found;

		if (got < 0)
			continue;
		fwrite(text + used, 1, (size_t)got, wanted.keeps_stdout ? stderr : stdout);
		used += (size_t)got;
		text[used] = '\0';
		while (next < wanted.count &&
		       (found = strstr(text + from, wanted.texts[next]))) {
			from = (size_t)(found - text) + strlen(wanted.texts[next++]);
			type(master);
		}
	}
	fflush(stdout);
}

static void read_options(int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "+a:c:i:o")) != -1) {
		if (option == 'c')
			wanted.columns = (unsigned short)atoi(optarg);
		else if (option == 'a')
			wanted.answer = optarg;
		else if (option == 'i' && wanted.count < MAX_TEXTS)
			wanted.texts[wanted.count++] = optarg;
		else if (option == 'o')
			wanted.keeps_stdout = 1;
		else
			exit(NO_TERMINAL);
	}
	if (optind >= argc)
		exit(NO_TERMINAL);
}

int main(int argc, char **argv)
{
	struct winsize size = { .ws_row = 24 };
	int own_stdout = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3), master, status;
	pid_t pid;

	read_options(argc, argv);
	size.ws_col = wanted.columns;
	alarm(PATIENCE_S);
	pid = forkpty(&master, NULL, NULL, &size);
	if (pid < 0)
		die("forkpty");
	if (!pid) {
		signal(SIGINT, SIG_DFL);
		signal(SIGPIPE, SIG_DFL);
		if (wanted.keeps_stdout)
			dup2(own_stdout, STDOUT_FILENO);
		execvp(argv[optind], argv + optind);
		_exit(127);
	}
	copy(master);
	if (waitpid(pid, &status, 0) < 0)
		die("waitpid");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
