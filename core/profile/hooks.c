/* SPDX-License-Identifier: MIT */
/*
 * The compiler's hooks, linked into every object that is instrumented.
 *
 * The C library exports hooks of its own that do nothing. An object that is
 * loaded with dlopen() finds those first unless the program itself has others,
 * and would count no call. So these are hidden and in the object itself: the
 * static library and the linker script in the place of libtickwise-profile.so
 * both bring them.
 *
 * Each jumps to the recorder with the stack as it was: that is how frames are
 * told apart (core/profile/recorder.h).
 */
#include "object.h"

#define HOOK	__attribute__((no_instrument_function, visibility("hidden")))

void HOOK __cyg_profile_func_enter(void *function, void *call_site);
void HOOK __cyg_profile_func_exit(void *function, void *call_site);

void __cyg_profile_func_enter(void *function, void *call_site)
{
	tw_profile_enter(function, call_site);
}

void __cyg_profile_func_exit(void *function, void *call_site)
{
	tw_profile_exit(function, call_site);
}

/* Before the object's own constructors. */
static void __attribute__((constructor(101), no_instrument_function))
this_object(void)
{
	tw_profile_object((const void *)this_object);
}
