/* SPDX-License-Identifier: MIT */
/*
 * An example for `tickwise profile`. It counts words of an invented text in a
 * table that is too small, and sorts them. Where does the time go?
 *
 *	cc -O2 -g -finstrument-functions profile.c -o words -ltickwise-profile
 *	tickwise profile -- ./words
 *	tickwise profile --svg -- ./words >words.svg
 *
 * It goes to find(), which walks long lists because many words share a slot. With
 * the argument "more" there are enough slots.
 *
 * At the end of build() the program writes its profile up to then. So the time of
 * the beginning can be told from the rest. Its end writes to the same FILE again:
 *
 *	TICKWISE_PROFILE=file=FILE ./words
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tickwise-profile.h>

#define WORDS		200000
#define DIFFERENT	2000
#define MAX_SLOTS	4096

struct word {
	struct word *next;		/* in the same slot */
	char text[12];
	unsigned count;
};

struct table {
	struct word *slots[MAX_SLOTS];
	uint32_t slot_count;
	struct word words[DIFFERENT];
	unsigned used;
};

/* Make a word. The text is the same every time. */
static void make_word(char *text, uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	snprintf(text, sizeof(((struct word *)0)->text), "w%u",
		 (*state >> 12) % DIFFERENT);
}

static uint32_t hash(const char *text)
{
	uint32_t sum = 0;

	for (; *text; text++)
		sum = sum * 31 + (unsigned char)*text;
	return sum;
}

static struct word *find(struct table *table, const char *text)
{
	struct word **slot = &table->slots[hash(text) % table->slot_count];
	struct word *word = *slot;

	while (word && strcmp(word->text, text) != 0)
		word = word->next;
	if (!word) {
		word = &table->words[table->used++];
		memcpy(word->text, text, sizeof(word->text));
		word->next = *slot;
		*slot = word;
	}
	return word;
}

static void build(struct table *table)
{
	uint32_t state = 1;
	char text[sizeof(table->words[0].text)] = "";

	for (unsigned i = 0; i < WORDS; i++) {
		make_word(text, &state);
		find(table, text)->count++;
	}
	/* -EPERM: nothing is recorded here. */
	tw_profile_write();
}

static int by_count(const void *a, const void *b)
{
	const struct word *left = a, *right = b;

	if (left->count != right->count)
		return left->count < right->count ? 1 : -1;
	return strcmp(left->text, right->text);
}

int main(int argc, char **argv)
{
	static struct table table;

	table.slot_count = argc > 1 && strcmp(argv[1], "more") == 0 ?
			   MAX_SLOTS : 16;
	build(&table);
	qsort(table.words, table.used, sizeof(*table.words), by_count);
	for (unsigned i = 0; i < 3 && i < table.used; i++)
		printf("%s %u\n", table.words[i].text, table.words[i].count);
	return 0;
}
