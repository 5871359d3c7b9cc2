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

/* 1: the kernel's current clocksource is this counter; 0: not, or unknown, or
 * emulated, which makes it another one of the same name. With a @source, what
 * that says. */
int tw_counter_is_clocksource(const struct tw_time_source *source);

#endif
