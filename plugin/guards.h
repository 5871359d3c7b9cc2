/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What stands between an engine of ours and a fio that it was not built for;
 * the same in all of them.
 *
 * Built against the headers of exactly the fio that loads it. fio's structures
 * differ between versions that carry the same FIO_IOOPS_VERSION, and a package's
 * source can be newer than its version says, so guards stand before everything:
 * get_ioengine() compares the version strings, and where fio keeps options, before
 * fio sees a structure of ours; and each hook that gets a thread_data first asks
 * for tw_has_our_layout(), a pointer that only the right layout can find.
 */
#ifndef TW_PLUGIN_GUARDS_H
#define TW_PLUGIN_GUARDS_H

#include "fio.h"

/* The engine that this library is. */
extern struct ioengine_ops tw_engine;

/* Only the headers of this very fio find our structure at this place in td. */
static inline bool tw_has_our_layout(const struct thread_data *td)
{
	return td->io_ops == &tw_engine;
}

/* For ->init: 0, or 1 which is logged. */
int tw_check_layout(const struct thread_data *td);

#endif
