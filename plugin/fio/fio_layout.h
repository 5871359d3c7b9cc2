/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Guards against a fio that the engine was not built for; the same in all engines.
 *
 * An engine is built against the headers of exactly the fio that loads it. fio's
 * structures differ between versions with the same FIO_IOOPS_VERSION, and the source
 * of a package can be newer than its version tells. So there are three guards:
 *
 *	get_ioengine()		compares the version strings and the places of all options,
 *				before fio gets a structure of the engine
 *	tw_has_our_layout()	compares a pointer that only the right layout finds;
 *				the hooks that set up and end a job call it first
 *	tw_has_our_io_u()	compares what fio has just written into an I/O
 *
 * layout_probe.c asks all three before an engine is built.
 */
#ifndef TW_PLUGIN_FIO_FIO_LAYOUT_H
#define TW_PLUGIN_FIO_FIO_LAYOUT_H

#include "fio.h"

/* The engine that this library is. */
extern struct ioengine_ops tw_engine;

/* True if td->io_ops is the engine, which only the headers of this very fio find. */
static inline bool tw_has_our_layout(const struct thread_data *td)
{
	return td->io_ops == &tw_engine;
}

/* True if fio has just set up this I/O, its @index-th, as the headers tell. */
static inline bool tw_has_our_io_u(const struct io_u *io_u, unsigned index)
{
	return io_u->index == index && flist_empty(&io_u->verify_list);
}

/* Check the layout for ->init. Return 0, or 1 after a message was logged. */
int tw_check_layout(const struct thread_data *td);

#endif
