/* SPDX-License-Identifier: MIT */
/*
 * Runs a program without transparent huge pages, whatever the system's setting is.
 * Programs that do not choose their pages are compared with each other on small
 * ones.
 *
 *	small_pages PROGRAM [ARGUMENT...]
 */
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc < 2) {
		fputs("usage: small_pages PROGRAM [ARGUMENT...]\n", stderr);
		return 64;
	}
	/* Children inherit this, also across exec. */
	if (prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0)) {
		perror("small_pages: PR_SET_THP_DISABLE");
		return 70;
	}
	execvp(argv[1], argv + 1);
	perror(argv[1]);
	return 70;
}
