/* SPDX-License-Identifier: MIT */
/*
 * The functions of the library that an instrumented object calls. They are not
 * for programs: only the hooks that come with the library call them.
 */
#ifndef TW_PROFILE_OBJECT_H
#define TW_PROFILE_OBJECT_H

#pragma GCC visibility push(default)

void tw_profile_enter(const void *function, const void *call_site)
	__attribute__((no_instrument_function));
void tw_profile_exit(const void *function, const void *call_site)
	__attribute__((no_instrument_function));

/* Note that the object at @address has functions with hooks. It stays mapped
 * from now on, so that functions of another object never get the same
 * addresses. */
void tw_profile_object(const void *address)
	__attribute__((no_instrument_function));

#pragma GCC visibility pop

#endif
