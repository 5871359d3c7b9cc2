/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What an engine tells the person who runs fio, in whole lines.
 */
#ifndef TW_PLUGIN_MESSAGE_H
#define TW_PLUGIN_MESSAGE_H

/* To stderr, or, if fio is a server, to the client. */
void tw_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
