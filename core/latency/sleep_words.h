/* SPDX-License-Identifier: MIT */
/*
 * The only list of what an I/O can wait for in the kernel, mostly in a thread that sleeps. A
 * report has the word, and a page the text. plugin/kernel/stack_words.c finds the word by the
 * names of functions; plugin/kernel/held.bpf.h finds the last two.
 */
#ifndef TW_LATENCY_SLEEP_WORDS_H
#define TW_LATENCY_SLEEP_WORDS_H

/* WORD(constant, word, text after "waiting for") */
#define TW_EACH_SLEEP_WORD(WORD) \
	WORD(TAG, "tag", "a tag") \
	WORD(IOCOST, "iocost", "iocost") \
	WORD(IOLATENCY, "iolatency", "iolatency") \
	WORD(WBT, "wbt", "the throttling of writeback") \
	WORD(FROZEN_QUEUE, "frozen queue", "a frozen queue") \
	WORD(INODE_LOCK, "inode lock", "an inode's lock") \
	WORD(FREEZE, "freeze", "a frozen file system") \
	WORD(JOURNAL, "journal", "the journal") \
	WORD(PAGE_LOCK, "page lock", "a page of the page cache") \
	WORD(MEMORY, "memory", "memory") \
	WORD(WORKER, "worker", "a worker of io_uring") \
	WORD(OTHER, "other", "another reason") \
	WORD(IO_MAX, "io.max", "a limit of its cgroup") \
	WORD(SUSPENDED, "suspended", "a suspended device of the device mapper")

enum tw_sleep_word {
	TW_SLEEP_NOTHING,	/* not known, or no reason */
#define TW_SLEEP_AS_ENUM(constant, word, text)	TW_SLEEP_##constant,
	TW_EACH_SLEEP_WORD(TW_SLEEP_AS_ENUM)
#undef TW_SLEEP_AS_ENUM
	TW_SLEEP_WORDS,
};

struct tw_sleep_text {
	const char *word;
	const char *text;
};

static const struct tw_sleep_text tw_sleep_texts[TW_SLEEP_WORDS] = {
	[TW_SLEEP_NOTHING] = { "", "" },
#define TW_SLEEP_AS_TEXT(constant, word, text)	[TW_SLEEP_##constant] = { word, text },
	TW_EACH_SLEEP_WORD(TW_SLEEP_AS_TEXT)
#undef TW_SLEEP_AS_TEXT
};

#endif
