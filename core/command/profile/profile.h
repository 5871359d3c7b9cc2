/* SPDX-License-Identifier: MIT */
/*
 * What the files of `tickwise profile` share.
 */
#ifndef TW_COMMAND_PROFILE_H
#define TW_COMMAND_PROFILE_H

#include <stdio.h>

#include "command/options.h"
#include "command/profile/against.h"
#include "command/profile/file.h"
#include "command/profile/functions.h"

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
	const char *options;		/* for TICKWISE_PROFILE; "" */
	const char *against;		/* samples of perf; NULL */
	const char *keep;		/* the run's file stays there; NULL */
	struct tw_option_texts exclude;	/* patterns of names */
};

/* Runs @argv, recorded into @path. An enum tw_exit; says what went wrong. */
int tw_profile_run(char **argv, const char *path,
		   const struct profile_want *want);

/* From before anything is made that has to go until it is gone. */
void tw_profile_signals_take(void);
void tw_profile_signals_give_back(void);

static inline double profile_ns(const struct profile_file *file, double ticks)
{
	return ticks / file->hz * 1e9;
}

/* Each to stdout. 0; -ENOMEM. @top: rows of the table; 0: all. */
int tw_profile_print_flat(const struct profile_file *file,
			  const struct profile_result *result, unsigned top);
int tw_profile_print_callers(const struct profile_file *file,
			     const struct profile_result *result, unsigned top);
int tw_profile_print_csv(const struct profile_file *file,
			 const struct profile_result *result);
int tw_profile_print_folded(const struct profile_file *file,
			    const struct profile_result *result);
int tw_profile_print_flame(const struct profile_file *file,
			   const struct profile_result *result);
/* @against: NULL, or what is in it, too. */
int tw_profile_print_json(const struct profile_file *file,
			  const struct profile_result *result,
			  const struct profile_against *against);
int tw_profile_print_trace(const struct profile_file *file,
			   const struct profile_result *result);

#endif
