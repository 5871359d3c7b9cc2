/* SPDX-License-Identifier: MIT */
/*
 * Behaviour: the symbols of a program are read, so that the program may become shorter meanwhile.
 * Defect: a signal ends the command (SIGBUS), or a name is lost.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "profile/command/profiles.h"
#include "tap.h"

static int count, has_main;

static void take(void *path, const char *name, uint64_t offset)
{
	(void)offset;
	if (!count++ && truncate(path, 0))
		exit(1);
	has_main |= !strcmp(name, "main");
}

int main(void)
{
	char path[] = "/tmp/tickwise.XXXXXX", command[64];
	int fd = mkstemp(path);

	snprintf(command, sizeof(command), "cp /proc/%d/exe %s", (int)getpid(), path);
	if (fd < 0 || system(command))
		return 1;
	tap_ok(!tw_profile_each_symbol(path, path, take) && has_main && count > 10,
	       "%d symbols of a file that is cut after the first", count);
	tap_ok(tw_profile_each_symbol(path, path, take) < 0, "then it has none");
	close(fd);
	unlink(path);
	return tap_done();
}
