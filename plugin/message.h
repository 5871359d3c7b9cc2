/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages of an engine to the user, in whole lines.
 */
#ifndef TW_PLUGIN_MESSAGE_H
#define TW_PLUGIN_MESSAGE_H

/* Write a message to stderr or, if fio is a server, to the client. */
void tw_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
