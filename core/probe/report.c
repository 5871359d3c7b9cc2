/* SPDX-License-Identifier: MIT */
/*
 * Prints a start's report as a line of text, and reads it back. See report.h.
 */
#include "report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int write_line(int fd, const char *line)
{
	size_t length = strlen(line);

	return write(fd, line, length) == (ssize_t)length ? 0 : -1;
}

int tw_probe_print_ready(int fd, double startup_ns)
{
	char line[64];

	snprintf(line, sizeof(line), "ready %.0f\n", startup_ns);
	return write_line(fd, line);
}

int tw_probe_print(int fd, const struct tw_probe_report *report)
{
	char line[TW_PROBE_LINE];
	int length, i, which;

	length = snprintf(line, sizeof(line), "done %.0f %.3f",
			  report->startup_ns, report->read_ns);
	for (i = 0; i < 2; i++) {
		const struct tw_probe_moment *moment = &report->moment[i];

		length += snprintf(line + length,
				   sizeof(line) - (size_t)length, " %" PRIu64,
				   moment->ticks);
		for (which = 0; which < TW_PROBE_CLOCKS; which++)
			length += snprintf(line + length,
				sizeof(line) - (size_t)length,
				" %" PRIu64 " %.3f %.3f",
				moment->base_ns[which], moment->low_ns[which],
				moment->high_ns[which]);
	}
	line[length++] = '\n';
	line[length] = '\0';
	return write_line(fd, line);
}

int tw_probe_scan(const char *line, struct tw_probe_report *report)
{
	int used, i, which;

	if (sscanf(line, "done %lf %lf%n", &report->startup_ns,
		   &report->read_ns, &used) != 2)
		return -1;
	for (i = 0; i < 2; i++) {
		struct tw_probe_moment *moment = &report->moment[i];

		line += used;
		if (sscanf(line, " %" SCNu64 "%n", &moment->ticks, &used) != 1)
			return -1;
		for (which = 0; which < TW_PROBE_CLOCKS; which++) {
			line += used;
			if (sscanf(line, " %" SCNu64 " %lf %lf%n",
				   &moment->base_ns[which],
				   &moment->low_ns[which],
				   &moment->high_ns[which], &used) != 3)
				return -1;
		}
	}
	return 0;
}
