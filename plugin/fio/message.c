/* SPDX-License-Identifier: GPL-2.0 */
/* What an engine tells the user. */
#include <stdarg.h>
#include <stdio.h>

#include "fio.h"
#include "message.h"
#include "server.h"

/* fio's log_err() alone would also write into the file of --output, and scripts can't read
 * fio's JSON after a warning. */
void tw_message(const char *format, ...)
{
	char text[8192];
	va_list args;

	va_start(args, format);
	if (vsnprintf(text, sizeof(text), format, args) >= (int) sizeof(text))
		text[sizeof(text) - 2] = '\n';
	va_end(args);
	if (is_backend)
		log_err("%s", text);
	else
		fputs(text, stderr);
}

int tw_refuse_job(struct thread_data *td, int error, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	tw_message("%s: %s: %s\n", td->io_ops->name, td->o.name, text);
	td_verror(td, error, td->io_ops->name);
	return -error;
}
