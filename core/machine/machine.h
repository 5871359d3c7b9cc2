/* SPDX-License-Identifier: MIT */
/*
 * What the kernel keeps time by. Internal; tw_machine_read() is public.
 */
#ifndef TW_MACHINE_MACHINE_H
#define TW_MACHINE_MACHINE_H

#include <stddef.h>

#include "tickwise.h"

/* The kernel's current clocksource, "" if it can't be read. */
void tw_read_clocksource(char *name, size_t size);

/* Does the kernel keep time by this counter? Not if it is emulated: then the kernel's
 * is another one, which may have the same name. Pure. */
int tw_clocksource_is_counter(const char *clocksource, int is_emulated);

/* 1: the kernel's current clocksource is this counter; 0: not, or unknown.
 * With a @source, what that says. */
int tw_counter_is_clocksource(const struct tw_time_source *source);

#endif
