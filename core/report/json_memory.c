/* SPDX-License-Identifier: MIT */
/*
 * Tells whether the JSON library lacked memory; see json_memory.h.
 */
#include "report/json_memory.h"

#include <jansson.h>
#include <stdlib.h>

static _Thread_local int lacked;

static void *allocate(size_t size)
{
	void *memory = malloc(size);

	/* The library also asks for nothing. */
	if (!memory && size)
		lacked = 1;
	return memory;
}

/* Before main(), or when an engine is loaded. What the library got before is freed by
 * the same function. */
__attribute__((constructor)) static void watch(void)
{
	json_set_alloc_funcs(allocate, free);
}

int tw_json_lacked_memory(void)
{
	return lacked;
}

void tw_json_note_lack(void)
{
	lacked = 1;
}

void tw_json_forget_lack(void)
{
	lacked = 0;
}
