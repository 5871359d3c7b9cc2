/* SPDX-License-Identifier: MIT */
/*
 * The only list of what an I/O can wait for in the kernel, mostly in a thread that sleeps. A
 * report has the word, and a page the text. plugin/kernel/causes/stack_words.c finds the word by the
 * names of functions; plugin/kernel/stages/throttled.bpf.h finds io.max and suspended. Those from
 * cache miss to completions are of wait tables: plugin/attach/attach_waits.c finds them.
 */
#ifndef TW_LATENCY_SLEEP_WORDS_H
#define TW_LATENCY_SLEEP_WORDS_H

/* WORD(constant, word, part of blockq that has it, text after "waiting for") */
#define TW_EACH_SLEEP_WORD(WORD) \
	WORD(TAG, "tag", ADMISSION, "a tag") \
	WORD(IOCOST, "iocost", ADMISSION, "iocost") \
	WORD(IOLATENCY, "iolatency", ADMISSION, "iolatency") \
	WORD(WBT, "wbt", ADMISSION, "the throttling of writeback") \
	WORD(FROZEN_QUEUE, "frozen queue", ADMISSION, "a frozen queue") \
	WORD(INODE_LOCK, "inode lock", BEFORE, "an inode's lock") \
	WORD(FREEZE, "freeze", BEFORE, "a frozen file system") \
	WORD(JOURNAL, "journal", BEFORE, "the journal") \
	WORD(PAGE_LOCK, "page lock", BEFORE, "a page of the page cache") \
	WORD(MEMORY, "memory", ANYWHERE, "memory") \
	WORD(WORKER, "worker", WORKER, "a worker of io_uring") \
	WORD(OTHER, "other", ANYWHERE, "another reason") \
	WORD(IO_MAX, "io.max", BEFORE, "a limit of its cgroup") \
	WORD(SUSPENDED, "suspended", BEFORE, "a suspended device of the device mapper") \
	WORD(DIRTY, "dirty throttling", BEFORE, "the throttling of writers of dirty pages") \
	WORD(WRITEBACK, "writeback", BEFORE, "a page that is written out") \
	WORD(METADATA, "metadata", BEFORE, "a block of the file system's metadata") \
	WORD(SWAP, "swap", ANYWHERE, "a page of swap") \
	WORD(MMAP_LOCK, "mmap lock", BEFORE, "the lock of its memory map") \
	WORD(CACHE_MISS, "cache miss", ANYWHERE, "a page that is not in the page cache") \
	WORD(OTHERS_PAGE, "other's page", ANYWHERE, "a page that another reads") \
	WORD(DIRECT, "direct I/O", ANYWHERE, "its direct I/O") \
	WORD(COMPLETIONS, "completions", ANYWHERE, "completions") \
	WORD(FLUSH, "flush", ANYWHERE, "a flush of the device's cache") \
	WORD(DISCARD, "discard", ANYWHERE, "a discard, or zeros that the block layer writes") \
	WORD(FILE_SYSTEM, "file system", ANYWHERE, "a file system without a block device")

enum tw_sleep_part {
	TW_SLEEPS_ANYWHERE,
	TW_SLEEPS_WORKER,
	TW_SLEEPS_BEFORE,
	TW_SLEEPS_ADMISSION,
};

enum tw_sleep_word {
	TW_SLEEP_NOTHING,	/* not known, or no reason */
#define TW_SLEEP_AS_ENUM(constant, word, part, text)	TW_SLEEP_##constant,
	TW_EACH_SLEEP_WORD(TW_SLEEP_AS_ENUM)
#undef TW_SLEEP_AS_ENUM
	TW_SLEEP_WORDS,
};

struct tw_sleep_text {
	const char *word;
	enum tw_sleep_part part;
	const char *text;
};

static const struct tw_sleep_text tw_sleep_texts[TW_SLEEP_WORDS] = {
	[TW_SLEEP_NOTHING] = { "", TW_SLEEPS_ANYWHERE, "" },
#define TW_SLEEP_AS_TEXT(constant, word, part, text) \
	[TW_SLEEP_##constant] = { word, TW_SLEEPS_##part, text },
	TW_EACH_SLEEP_WORD(TW_SLEEP_AS_TEXT)
#undef TW_SLEEP_AS_TEXT
};

#endif
