/* SPDX-License-Identifier: MIT */
/*
 * Checks of the library's own work, in the debug build only (make DEBUG=1). A check
 * that fails aborts: it is a defect of the library, whatever the caller did.
 * Internal.
 */
#ifndef TW_DEBUG_H
#define TW_DEBUG_H

#ifdef TW_DEBUG
#undef NDEBUG
#include <assert.h>
#define tw_debug_assert(condition)	assert(condition)
#else
/* Compiled, so that it stays correct, but never run. */
#define tw_debug_assert(condition)	((void)(0 && (condition)))
#endif

#endif
