/* SPDX-License-Identifier: MIT */
/*
 * The compiler's hooks, linked into every object that is instrumented.
 *
 * The C library exports hooks that do nothing. An object that is loaded with
 * dlopen() finds those first, unless the program itself has others, and would
 * count no call. So these hooks are hidden, and inside the object itself. The
 * static library contains them, and so does the linker script in the place of
 * libtickwise-profile.so.
 *
 * Each hook jumps to the recorder without changing the stack, because the
 * recorder tells frames apart by their stack (core/profile/recorder.h).
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

/* Tell the library of this object, before the object's own constructors run. */
static void __attribute__((constructor(101), no_instrument_function))
this_object(void)
{
	tw_profile_object((const void *)this_object);
}
