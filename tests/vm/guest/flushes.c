/* SPDX-License-Identifier: MIT */
/*
 * Has a block device flush its cache, over and over, until it is killed: four processes,
 * so that a flush is always in flight.
 */
#include <fcntl.h>
#include <sys/prctl.h>
#include <signal.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	const int fd = argc == 2 ? open(argv[1], O_RDWR) : -1;
	const pid_t parent = getpid();

	for (int i = 0; i < 3 && getpid() == parent; i++)
		if (!fork())
			prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (fd >= 0 && !fsync(fd))
		;
	return 1;
}
