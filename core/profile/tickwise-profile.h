/* SPDX-License-Identifier: MIT */
/*
 * libtickwise-profile: the time of every function of a program that is built
 * with -finstrument-functions.
 *
 * A program needs this header only to write its profile before its end. The
 * compiler's calls go to __cyg_profile_func_enter() and
 * __cyg_profile_func_exit(), which come with linking to the library.
 */
#ifndef TICKWISE_PROFILE_H
#define TICKWISE_PROFILE_H

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/**
 * tw_profile_write - write the profile of everything up to now
 *
 * The file is written under another name and then renamed, so a reader never
 * sees half of it. Recording goes on, and the end of the program writes again.
 * Calls that have not returned are in the file with their time up to now. Other
 * threads wait in their next hook meanwhile, and that time is in no function.
 * For programs that end by _exit(), a signal or exec().
 *
 * Return: 0; -EPERM when nothing is recorded (TICKWISE_PROFILE=off, or the
 * counter can't be used); -errno of writing the file. Thread-safe; not to be
 * called from a signal handler.
 */
int tw_profile_write(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
