/* SPDX-License-Identifier: MIT */
/*
 * The parts of `tickwise profile`: a profile's file in memory (profile_file.c), the times of
 * its functions (profile_functions.c), their names (profile_symbols.c), the program that is run
 * (profile_run.c), and what is printed.
 */
#ifndef TW_COMMAND_PROFILES_H
#define TW_COMMAND_PROFILES_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "command/options.h"
#include "profile/cost.h"

#define TW_PROFILE_NAME	"profile"

/* ---- a profile's file, as libtickwise-profile wrote it ---- */

struct profile_map {
	uint64_t begin, end, offset;
	char *path;
	char *object;			/* file name of the path, as plain text */
};

/* Nodes come after their parents. Number 0 is the root, which is no function. */
struct profile_node {
	uint32_t parent;
	uint32_t function;		/* index of struct profile_function */
	uint32_t open, flags;
	uint64_t address;
	uint64_t calls, not_timed, ticks, min_ticks, max_ticks, abandoned;
};

struct profile_event {
	int tid;
	uint64_t address, start_ticks, ticks, depth;
};

struct profile_bin {
	uint32_t bin;
	uint64_t count;
};

struct profile_histogram {
	uint64_t address;
	unsigned digits;
	uint64_t count, sum_ticks, min_ticks, max_ticks;
	size_t first_bin, bins;		/* in profile_file.bins */
};

/* What can be lost, in the order of the file: its key in JSON, and for people what a number of
 * these is. */
#define PROFILE_LOSSES	7
extern const struct profile_loss {
	const char *key, *noun, *what;
} tw_profile_losses[PROFILE_LOSSES];

struct profile_file {
	char *program;
	int pid;
	double hz, hz_uncertainty_ppb;
	char against[32], source[32], fence[16];
	struct tw_profile_cost cost;
	uint64_t begin_ticks, end_ticks;
	uint64_t cpu_ns, preemptions;	/* of all threads */
	uint64_t losses[PROFILE_LOSSES];
	size_t thread_count;
	struct profile_map *maps;
	size_t map_count;
	struct profile_node *nodes;
	size_t node_count;
	struct profile_event *events;
	size_t event_count;
	struct profile_histogram *histograms;
	size_t histogram_count;
	struct profile_bin *bins;
	size_t bin_count;
};

/* Read a file. Return: 0; -errno; -EINVAL with *@line set if this is not such a file, or not
 * all of it. */
int tw_profile_file_read(struct profile_file *file, const char *path, int takes,
			 unsigned *line);
int tw_profile_file_parse(struct profile_file *file, FILE *stream, unsigned *line);
void tw_profile_file_free(struct profile_file *file);

static inline double profile_ns(const struct profile_file *file, double ticks)
{
	return ticks / file->hz * 1e9;
}

/* ---- functions ----
 *
 * Computes the times of functions from the call tree: raw, with the cost of the hooks
 * subtracted, and the uncertainty of this correction.
 *
 * For each timed call the hooks take `inside` of the call's own time and `outside` of its
 * caller's time. Take a node with n timed calls, which made c timed calls itself, and below
 * which d timed calls were made. Then
 *
 *	self      = ticks - ticks of children - n * inside - c * outside
 *	inclusive = ticks - n * inside - d * (inside + outside)
 *
 * A call that was counted but not timed took `untimed` of its caller's time. The spreads of
 * these constants are systematic, so their errors add up linearly.
 *
 * With hooks a processor does one call at a time; without them it can work on several at once.
 * So a call can have cost up to `beyond` more than these constants, which is part of the
 * uncertainty. One half of it counts for the call itself, which begins and ends on its own;
 * the other half counts for its caller, which is stopped twice.
 */

struct profile_time {
	double raw_ticks;
	double ticks;			/* corrected */
	double uncertainty_ticks;	/* of the correction; linear */
};

struct profile_function {
	uint64_t address;		/* first: functions are sorted by it */
	const char *name;		/* of the symbol, demangled */
	const char *object;		/* file name of its object; "": unknown */
	uint64_t calls, not_timed, abandoned, open;
	uint64_t min_ticks, max_ticks;	/* of one call, corrected */
	struct profile_time self, inclusive;
	const struct profile_histogram *histogram;	/* or NULL */
	unsigned active;		/* used while the tree is walked */
};

/* The times of a node, with the same meanings. */
struct profile_node_time {
	struct profile_time self, inclusive;
	uint64_t below, below_untimed;	/* calls made below it, at any depth */
	uint64_t made, made_untimed;	/* calls made by the node itself */
};

struct profile_result {
	const struct profile_file *file;
	struct profile_function *functions;	/* by address */
	struct profile_function **by_self;	/* by self time, longest first */
	size_t function_count;
	struct profile_node_time *times;	/* one for each node */
	struct profile_time total;	/* sum of all self times */
	size_t shown;			/* rows of the table. Set by who prints it */
};

/* Compute the functions. Sets each node's function, but no names. Pure. */
void tw_profile_functions(struct profile_result *result, struct profile_file *file);
/* Return NULL: there is no function at this address. */
struct profile_function *tw_profile_function_at(const struct profile_result *result,
						uint64_t address);
void tw_profile_functions_free(struct profile_result *result);

/* Is a function's time so short that its error can be all of it? */
int tw_profile_below_resolution(const struct profile_time *time);

/* ---- names ---- */

/* Name all functions of @result, from the symbol tables of the objects that contain them. */
void tw_profile_name(struct profile_result *result);

/* Return the name as in the source, if it is a C++ or Rust name and libstdc++ is installed;
 * else a copy. To be freed. */
char *tw_profile_demangle(const char *name);

/* Call @take for each function's symbol in the file @path, with the offset of its code there;
 * UINT64_MAX: it is not in the file. Return: 0; -errno; -ENOEXEC if this is not a 64-bit ELF
 * file of this byte order. */
int tw_profile_each_symbol(const char *path, void *context,
			   void (*take)(void *context, const char *name, uint64_t offset));

/* ---- the program ---- */

enum profile_format {
	PROFILE_FLAT, PROFILE_CALLERS, PROFILE_FOLDED, PROFILE_CSV, PROFILE_JSON, PROFILE_TRACE,
	PROFILE_SVG,
};

struct profile_want {
	enum profile_format format;
	unsigned top;			/* rows of the table; 0: all */
	const char *options;		/* for TICKWISE_PROFILE; or "" */
	const char *keep;		/* path to keep the run's file at; or NULL */
	struct tw_texts exclude;	/* patterns of names */
};

/* Run @argv and record its profile to @path. Return: an enum tw_exit, after a message if it
 * failed. */
int tw_profile_run(char **argv, const char *path, const char *filter,
		   const struct profile_want *want);

/* Handle signals between these two calls. Files that have to be removed are made and removed
 * between them. */
void tw_profile_signals_take(void);
void tw_profile_signals_give_back(void);

/* ---- output, to stdout ---- */

typedef void tw_profile_printer(const struct profile_result *result);

tw_profile_printer tw_profile_print_flat, tw_profile_print_callers, tw_profile_print_csv,
		   tw_profile_print_folded, tw_profile_print_flame, tw_profile_print_json,
		   tw_profile_print_trace;

#endif
