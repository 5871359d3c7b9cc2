/* SPDX-License-Identifier: MIT */
/*
 * The clock by which the kernel keeps time. Internal; tw_machine_read() is public.
 */
#ifndef TW_MACHINE_MACHINE_H
#define TW_MACHINE_MACHINE_H

#include <stddef.h>

#include "tickwise.h"

/* Read the kernel's current clocksource; "" if it can't be read. */
void tw_read_clocksource(char *name, size_t size);

/* True if the kernel keeps time by this counter. False if the counter is
 * emulated: the kernel's is another one, which may have the same name. Pure. */
int tw_clocksource_is_counter(const char *clocksource, int is_emulated);

/* Return 1 if the kernel's current clocksource is this counter; 0 if not, or if
 * it is not known. With a @source, return what the source has. */
int tw_counter_is_clocksource(const struct tw_time_source *source);

#endif
