/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Say in a word what a thread waited for, by the functions of its stack in the kernel. Only
 * the word and the name of one function leave this file, and never an address.
 */
#ifndef TW_PLUGIN_KERNEL_CAUSES_STACK_WORDS_H
#define TW_PLUGIN_KERNEL_CAUSES_STACK_WORDS_H

#include <stdbool.h>

#include "latency/sleep_words.h"
#include "offcpu.h"

#define TW_FUNCTION_SIZE	48

/* What a sleep was for. function: the one that tells it; "": none. */
struct tw_sleep_cause {
	enum tw_sleep_word word;
	char function[TW_FUNCTION_SIZE];
};

/* Return the cause of a sleep by its stack of @count functions, the innermost first. NULL: a
 * function whose name is not known. Pure. */
struct tw_sleep_cause tw_sleep_cause_of(const char *const *functions, unsigned count);

/* Take the addresses of functions from @text, which is kept, and is what /proc/kallsyms has.
 * Without them each cause is TW_SLEEP_NOTHING. tw_functions_load() reads that file, once. */
void tw_functions_read(char *text);
void tw_functions_load(void);

/* Is a function, one that has a name, in a stack? */
bool tw_stack_has(const struct tw_stack *stack, const char *function);

/* Return the cause of a sleep by its stack. */
struct tw_sleep_cause tw_sleep_cause_of_stack(const struct tw_stack *stack);

#endif
