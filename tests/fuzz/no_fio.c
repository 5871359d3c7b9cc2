/* SPDX-License-Identifier: MIT */
/*
 * Replaces run/engines.c in the fuzzers: answers what that file asks a fio for,
 * without a fio. The first letter of an option decides, so that both answers occur.
 */
#include <stdio.h>
#include <string.h>

#include "command/run/run.h"

enum tw_run_kind tw_run_kind(const char *engine)
{
	return (enum tw_run_kind)(strlen(engine) % (TW_RUN_OUR_MEMORY + 1));
}

const char *tw_run_engine_for(const struct tw_run_engines *engines,
			      enum tw_run_kind kind)
{
	return kind == TW_RUN_COMMAND ? engines->command_path :
	       kind == TW_RUN_MEMORY ? engines->memory_path : engines->path;
}

const char *tw_run_file_for(enum tw_run_kind kind)
{
	return kind == TW_RUN_COMMAND ? "command.so" :
	       kind == TW_RUN_MEMORY ? "memory.so" : "engine.so";
}

int tw_run_has_option(struct tw_run_engines *engines, const char *engine,
		      const char *option)
{
	(void)engines;
	(void)engine;
	return option[0] & 1;
}

const struct tw_run_options *tw_run_options_of(struct tw_run_engines *engines,
					       const char *engine)
{
	static char *names[] = { "name", "ioengine", "iodepth", "outer" };
	static const struct tw_run_options options = { .names = names, .count = 4 };

	(void)engines;
	(void)engine;
	return &options;
}

enum tw_run_takes tw_run_takes(struct tw_run_engines *engines, const char *option)
{
	(void)engines;
	return (enum tw_run_takes)(option[0] % 3U);
}

int tw_run_find_engines(struct tw_run_engines *engines, const char *path)
{
	(void)engines;
	(void)path;
	return 0;
}

int tw_run_try_engine(struct tw_run_engines *engines, const char *path)
{
	(void)engines;
	(void)path;
	return 0;
}
