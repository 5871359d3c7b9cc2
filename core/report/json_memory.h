/* SPDX-License-Identifier: MIT */
/*
 * Tells whether the JSON library lacked memory. The library itself does not: it leaves
 * out a key that gets no memory, and calls a text wrong that it can't hold. Code that
 * builds a report asks once at the end instead of at each key.
 */
#ifndef TW_JSON_MEMORY_H
#define TW_JSON_MEMORY_H

/* Return 1 if an allocation of the library, or one that was noted, failed in this thread
 * since the beginning, or since tw_json_forget_lack(). */
int tw_json_lacked_memory(void);
void tw_json_note_lack(void);
void tw_json_forget_lack(void);

#endif
