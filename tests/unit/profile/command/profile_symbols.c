/* SPDX-License-Identifier: MIT */
/*
 * Behaviour: the symbols of a program are read, so that the program may become shorter meanwhile.
 * Of symbols of one place the largest comes first. Defect: a signal ends the command (SIGBUS),
 * or a name is lost, or is that of a label.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "profile/command/profiles.h"
#include "tap.h"

/* Two names of one place. The larger one is that of a function whose calls are shown. */
__asm__(".text\n.type a_smaller, %function\n.type z_larger, %function\n"
	"a_smaller:\nz_larger:\n.long 0\n"
	".size a_smaller, 2\n.size z_larger, 4\n");

static int count, has_main, larger_at, smaller_at;

static void take(void *path, const char *name, uint64_t offset)
{
	(void)offset;
	if (!count++ && truncate(path, 0))
		exit(1);
	has_main |= !strcmp(name, "main");
	if (!strcmp(name, "z_larger"))
		larger_at = count;
	if (!strcmp(name, "a_smaller"))
		smaller_at = count;
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
	tap_ok(larger_at && larger_at + 1 == smaller_at, "of one place the larger one comes first");
	tap_ok(tw_profile_each_symbol(path, path, take) < 0, "then it has none");
	close(fd);
	unlink(path);
	return tap_done();
}
