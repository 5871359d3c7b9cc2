/* SPDX-License-Identifier: GPL-2.0 */
/* What an engine tells the user. */
#ifndef TW_PLUGIN_FIO_MESSAGE_H
#define TW_PLUGIN_FIO_MESSAGE_H

struct thread_data;

/* Write a message to stderr in whole lines or, if fio is a server, to the client. */
void tw_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Write why the job can't run, with the names of the engine and of the job, and set fio's
 * error. Return -@error, so that the caller can hand it on to fio. */
int tw_refuse_job(struct thread_data *td, int error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
