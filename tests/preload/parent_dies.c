/* SPDX-License-Identifier: MIT */
/*
 * Preloaded into the program, makes a child too late with its request to be told of
 * its parent's end: the parent is killed before, and the child has a new one.
 */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int prctl(int option, ...)
{
	static const struct timespec moment = { .tv_nsec = 1000000 };
	pid_t parent = getppid();

	if (option != PR_SET_PDEATHSIG)
		return 0;
	kill(parent, SIGKILL);
	while (getppid() == parent)
		nanosleep(&moment, NULL);
	return (int)syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
}
