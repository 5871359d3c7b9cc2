/* SPDX-License-Identifier: MIT */
/*
 * Exit 0 if this process may set up an io_uring. Else exit 1, with the reason on
 * stderr: tests that need one are then skipped.
 */
#include <errno.h>
#include <linux/io_uring.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
	struct io_uring_params params = { 0 };

	if (syscall(SYS_io_uring_setup, 1, &params) >= 0)
		return 0;
	fprintf(stderr, "%s\n", strerror(errno));
	return 1;
}
