// SPDX-License-Identifier: GPL-2.0
/*
 * Lines of slow waits and I/Os: see attach_lines.h.
 */
#include "attach/attach_lines.h"

#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "base/plain_text.h"
#include "report/metrics.h"
#include "command/output/page.h"
#include "timespec.h"

#define STEP_NS	(TW_NS_PER_SECOND / TW_ATTACH_LINES_A_SECOND)

/* True if the rate allows a line. */
static bool may_print(struct tw_attach_lines *lines, uint64_t now_ns)
{
	if (lines->paid_to_ns < now_ns)
		lines->paid_to_ns = now_ns;
	if (lines->paid_to_ns - now_ns > (TW_ATTACH_LINES_BURST - 1) * STEP_NS)
		return false;
	lines->paid_to_ns += STEP_NS;
	return true;
}

static void put_text(FILE *out, int width, const char *foreign)
{
	char text[4096];

	snprintf(text, sizeof(text), "%s", foreign);
	fprintf(out, " %-*s", width, tw_plain_text(text));
}

static void put_number(FILE *out, int width, uint64_t value)
{
	if (value == TW_ATTACH_NOT_KNOWN)
		fprintf(out, " %*s", width, "-");
	else
		fprintf(out, " %*llu", width, (unsigned long long)value);
}

static void put_time(FILE *out, uint64_t realtime_ns)
{
	const time_t second = (time_t)(realtime_ns / TW_NS_PER_SECOND);
	char text[16] = "";
	struct tm parts;

	if (localtime_r(&second, &parts))
		strftime(text, sizeof(text), "%H:%M:%S", &parts);
	fprintf(out, "%8s.%03llu", text,
		(unsigned long long)(realtime_ns % TW_NS_PER_SECOND / 1000000));
}

void tw_attach_lines_end(struct tw_attach_lines *lines)
{
	if (lines->left_out)
		fprintf(lines->out, "(%s left out here; --json has all)\n",
			TW_SAY_COUNT(lines->left_out, "line[s]"));
	lines->left_out = 0;
	fflush(lines->out);
}

void tw_attach_lines_put(struct tw_attach_lines *lines, const struct tw_attach_line *line)
{
	FILE *out = lines->out;

	if (!may_print(lines, line->ended_ns)) {
		lines->left_out++;
		return;
	}
	if (!lines->put++)
		fprintf(out, "%-12s %9s %-15s %7s %7s %-12s %12s %8s reason: file\n", "began",
			"took", "program", "process", "thread", "call", "offset", "bytes");
	tw_attach_lines_end(lines);
	put_time(out, line->began_ns + lines->realtime_ns);
	fprintf(out, " %9s", TW_SAY_NS(line->ended_ns - line->began_ns));
	put_text(out, 15, line->program);
	put_number(out, 7, line->process ? line->process : TW_ATTACH_NOT_KNOWN);
	put_number(out, 7, line->thread ? line->thread : TW_ATTACH_NOT_KNOWN);
	fprintf(out, " %-12s", line->call);
	put_number(out, 12, line->offset);
	put_number(out, 8, line->bytes);
	put_text(out, 0, line->reason);
	if (*line->who) {
		fputs(" of", out);
		put_text(out, 0, line->who);
	}
	fputc(':', out);
	put_text(out, 0, line->file);
	fputc('\n', out);
	fflush(out);
}
