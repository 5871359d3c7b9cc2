/* SPDX-License-Identifier: MIT */
/*
 * Finds out whether a stream is a terminal: see terminal.h.
 */
#include "command/output/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

int tw_terminal_columns(FILE *file)
{
	struct winsize size = { .ws_col = 0 };
	int fd = fileno(file);

	if (fd < 0 || !isatty(fd) || ioctl(fd, TIOCGWINSZ, &size))
		return 0;
	return size.ws_col;
}

/* By no-color.org, any value but an empty one means no colours. */
int tw_terminal_has_colours(FILE *file)
{
	const char *unwanted = getenv("NO_COLOR"), *kind = getenv("TERM");
	int fd = fileno(file);

	return fd >= 0 && isatty(fd) && !(unwanted && *unwanted) && kind && *kind &&
	       strcmp(kind, "dumb") != 0;
}
