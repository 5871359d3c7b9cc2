/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Guards against a fio that the engine was not built for; the same in all engines.
 *
 * An engine is built against the headers of exactly the fio that loads it. fio's
 * structures differ between versions with the same FIO_IOOPS_VERSION, and the source
 * of a package can be newer than its version tells. So there are two guards:
 *
 *	get_ioengine()		compares the version strings and the places of options,
 *				before fio gets a structure of the engine
 *	tw_has_our_layout()	compares a pointer that only the right layout finds;
 *				the hooks that set up and end a job call it first
 */
#ifndef TW_PLUGIN_GUARDS_H
#define TW_PLUGIN_GUARDS_H

#include "fio.h"

/* The engine that this library is. */
extern struct ioengine_ops tw_engine;

/* True if td->io_ops is the engine, which only the headers of this very fio find. */
static inline bool tw_has_our_layout(const struct thread_data *td)
{
	return td->io_ops == &tw_engine;
}

/* Check the layout for ->init. Return 0, or 1 after a message was logged. */
int tw_check_layout(const struct thread_data *td);

#endif
