/* SPDX-License-Identifier: MIT */
/*
 * Checks of the library's own work, in the debug build only (make DEBUG=1). A
 * failed one is a defect of the library, whatever the caller did, and aborts.
 * Internal.
 */
#ifndef TW_DEBUG_H
#define TW_DEBUG_H

#ifdef TW_DEBUG
#undef NDEBUG
#include <assert.h>
#define tw_debug_assert(condition)	assert(condition)
#else
/* Compiled, so that it can't rot; never run. */
#define tw_debug_assert(condition)	((void)(0 && (condition)))
#endif

#endif
