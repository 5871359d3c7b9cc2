/* SPDX-License-Identifier: MIT */
/*
 * What the files of `tickwise profile` share.
 */
#ifndef TW_COMMAND_PROFILE_H
#define TW_COMMAND_PROFILE_H

#include <stdio.h>

#include "command/options.h"
#include "profile/command/against.h"
#include "profile/command/file.h"
#include "profile/command/functions.h"

#define TW_PROFILE_NAME	"profile"

enum profile_format {
	PROFILE_FLAT,
	PROFILE_CALLERS,
	PROFILE_FOLDED,
	PROFILE_CSV,
	PROFILE_JSON,
	PROFILE_TRACE,
	PROFILE_SVG,
};

struct profile_want {
	enum profile_format format;
	unsigned top;			/* rows of the table; 0: all */
	const char *options;		/* for TICKWISE_PROFILE; or "" */
	const char *against;		/* file of perf's samples; or NULL */
	const char *keep;		/* path to keep the run's file at; or NULL */
	struct tw_option_texts exclude;	/* patterns of names */
};

/* Run @argv and record its profile to @path. Return: an enum tw_exit, after a
 * message if it failed. */
int tw_profile_run(char **argv, const char *path,
		   const struct profile_want *want);

/* Handle signals between these two calls. Files that have to be removed are
 * made and removed between them. */
void tw_profile_signals_take(void);
void tw_profile_signals_give_back(void);

static inline double profile_ns(const struct profile_file *file, double ticks)
{
	return ticks / file->hz * 1e9;
}

/* Print to stdout. @top: rows of the table; 0: all. */
void tw_profile_print_flat(const struct profile_file *file,
			   const struct profile_result *result, unsigned top);
void tw_profile_print_callers(const struct profile_file *file,
			      const struct profile_result *result, unsigned top);
void tw_profile_print_csv(const struct profile_file *file,
			  const struct profile_result *result);
void tw_profile_print_folded(const struct profile_file *file,
			     const struct profile_result *result);
void tw_profile_print_flame(const struct profile_file *file,
			    const struct profile_result *result);
/* @against: its contents are printed, too; or NULL. */
void tw_profile_print_json(const struct profile_file *file,
			   const struct profile_result *result,
			   const struct profile_against *against);
void tw_profile_print_trace(const struct profile_file *file,
			    const struct profile_result *result);

#endif
