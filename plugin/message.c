/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages to the user: see message.h. fio's log_err() alone would also write into the
 * file of --output, and scripts can't read fio's JSON after a warning.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "fio.h"
#include "message.h"
#include "server.h"

void tw_message(const char *format, ...)
{
	char *text;
	va_list args;
	int length;

	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	if (length < 0)
		return;
	if (is_backend)
		log_err("%s", text);
	else
		fputs(text, stderr);
	free(text);
}
