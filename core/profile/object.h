/* SPDX-License-Identifier: MIT */
/*
 * What an instrumented object calls in the library. Not for programs: only the
 * hooks that come with the library call these.
 */
#ifndef TW_PROFILE_OBJECT_H
#define TW_PROFILE_OBJECT_H

#pragma GCC visibility push(default)

void tw_profile_enter(const void *function, const void *call_site)
	__attribute__((no_instrument_function));
void tw_profile_exit(const void *function, const void *call_site)
	__attribute__((no_instrument_function));

/* The object that @address lies in has functions with hooks. It stays mapped
 * from now on, so that no other object's functions get the same addresses. */
void tw_profile_object(const void *address)
	__attribute__((no_instrument_function));

#pragma GCC visibility pop

#endif
