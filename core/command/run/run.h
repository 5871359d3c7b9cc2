/* SPDX-License-Identifier: MIT */
/*
 * tickwise run, its parts: jobs as fio reads them (read.c, arguments.c), what
 * is changed in them (change.c), what fio and its engines are (engines.c), the
 * copies that fio is given (copy.c), fio itself (fio.c), the reports that it left
 * behind (reports.c), and fio's JSON with them in it (output.c).
 *
 * All of it lives until tw_run_release(). Functions that return an enum tw_exit
 * have said what is wrong.
 */
#ifndef TW_RUN_H
#define TW_RUN_H

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>
#include <time.h>

#define TW_RUN_NAME	"run"

/* A line of a job file, or an argument of fio's that is an option of a job. */
struct tw_run_line {
	char *text;		/* as fio shall read it; NULL: not at all */
	char *name;		/* of an option; NULL: it is none */
	char *value;		/* as fio takes it, "" without */
	const char *file;	/* where it stands; NULL: command line */
	unsigned number;
	size_t section;
	int is_header;		/* its "[NAME]" */
};

struct tw_run_section {
	char *name;
	char *first;		/* lines to be put at its beginning, or NULL */
	int is_global;
	int is_skipped;		/* by fio's --section */
	int owes_report;	/* its job runs on our engine for I/O */
};

/* A job file with what it includes, or the jobs on fio's command line. */
struct tw_run_jobs {
	const char *path;	/* NULL: the command line */
	const struct tw_run_jobs *before;	/* whose [global] holds here */
	struct tw_run_line *lines;
	size_t line_count;
	struct tw_run_section *sections;
	size_t section_count;
	char *front;		/* lines to be put before the first section */
	int is_changed;
	char *copy;		/* the path of the changed copy, or NULL */
};

/* One argument of fio's, or an option and its value. */
struct tw_run_argument {
	char **argv;
	int count;
	ptrdiff_t line;		/* in the command line's jobs; -1: none */
	ptrdiff_t file;		/* in the job files; -1: none */
};

struct tw_run_arguments {
	struct tw_run_argument *list;
	size_t count;
	struct tw_run_jobs jobs;	/* those given by options */
	struct tw_run_jobs *files;
	size_t file_count;
	const char **only;		/* --section */
	size_t only_count;
	const char *aux_path;		/* NULL: the current directory */
	int runs_nothing;		/* --parse-only and the like */
	int is_quiet;			/* what fio prints is not wanted, but errors are */
	int was_interrupted;		/* a signal came while fio ran */
	int is_json;			/* --output-format has JSON in it, */
	int is_no_text;			/* or anything but fio's text */
	const char *output;		/* --output; NULL: standard output */
	int is_kept;			/* fio's standard output goes to: */
	int kept;
};

/* The names of an engine's options, as fio lists them. */
struct tw_run_options {
	char *engine;
	char **names;
	size_t count;
};

struct tw_run_engines {
	const char *name;		/* of the subcommand, for messages */
	const char *fio;
	char *path;			/* tickwise.so */
	char *command_path;		/* tickwise-cmd.so; NULL: none there */
	char *memory_path;		/* tickwise-memory.so, likewise */
	struct tw_run_options *known;
	size_t known_count;
	int convert;			/* --convert: engines unlike ours, too */
};

enum tw_run_kind {
	TW_RUN_OTHER,			/* no I/O that ours could do */
	TW_RUN_OURS,
	TW_RUN_RING,			/* io_uring */
	TW_RUN_COMMAND,			/* io_uring_cmd */
	TW_RUN_ONE_AT_A_TIME,		/* sync, psync ...: with --convert */
	TW_RUN_QUEUED,			/* libaio ...: with --convert */
	TW_RUN_MEMORY,			/* tickwise-memory, by its name alone */
	TW_RUN_OUR_MEMORY,		/* and its file: no I/O, nothing owed */
};

struct tw_run_report {
	char *path;
	char *job;
	long long thread_number;
};

struct tw_run_reports {
	struct tw_run_report *list;
	size_t count;
};

/* ---- memory: the program ends where there is none ---- */

/* @array with room for one more than @count elements of @size bytes. */
void *tw_run_grow(void *array, size_t count, size_t size);

/* @text behind the @count of @list. Returns how many there are then. */
size_t tw_run_push(char ***list, size_t count, char *text);

/* A text that grows, with a 0 byte at its end once something was appended. */
struct tw_run_text {
	char *bytes;
	size_t length;
};

void tw_run_append(struct tw_run_text *text, const char *more, size_t count);
char *tw_run_format(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
void tw_run_release(void);

/* "tickwise run: ..." on stderr, one line. */
void tw_run_say(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/* The same for what --quiet leaves out. */
#define tw_run_remark(...)	tw_command_remark(TW_RUN_NAME, __VA_ARGS__)

/* ---- jobs ---- */

/**
 * tw_run_read - a job file, with what it includes
 * @path: "-" is standard input
 * @only: fio's --section; @only_count of 0: all
 *
 * Return: an enum tw_exit.
 */
int tw_run_read(struct tw_run_jobs *jobs, const char *path,
		const char *const *only, size_t only_count);

/* "name=value" into a line's name and value; @option is changed. */
void tw_run_split(struct tw_run_line *line, char *option);

/* What fio's arguments say. The job files are named, not yet read. */
int tw_run_read_arguments(struct tw_run_arguments *arguments, char **argv,
			  struct tw_run_engines *engines);

struct tw_run_line *tw_run_add_line(struct tw_run_jobs *jobs);
struct tw_run_section *tw_run_add_section(struct tw_run_jobs *jobs,
					  char *name);

/* The line that sets option @name for the jobs of a section: its own last one,
 * or one of a [global] before it; NULL: none. */
const struct tw_run_line *tw_run_setting(const struct tw_run_jobs *jobs,
					 size_t section, const char *name);

/* What the job of a section is called. */
const char *tw_run_job_name(const struct tw_run_jobs *jobs, size_t section);

/* ---- engines ---- */

/*
 * Where the engines are: at @path; NULL: where they are built or installed. If this fio
 * can't load those: where `tickwise build-engine` put some for it.
 */
int tw_run_find_engines(struct tw_run_engines *engines, const char *path);

/* Where `tickwise build-engine` puts the engines for this fio; NULL: it is none. */
char *tw_run_built_folder(const char *fio);

/* One that it put there, or in the system's folder; NULL: there is none. */
char *tw_run_built_engine(const char *fio, const char *file);

/* Can fio load ours? Says why not, and what to do. */
int tw_run_try_engine(struct tw_run_engines *engines, const char *path);

enum tw_run_kind tw_run_kind(const char *engine);
/* What takes the place of such an engine: a path, NULL where it is not there;
 * and the name of its file. */
const char *tw_run_engine_for(const struct tw_run_engines *engines,
			      enum tw_run_kind kind);
const char *tw_run_file_for(enum tw_run_kind kind);

/* Is @option one of this engine's own? Asks fio, once for each engine. */
int tw_run_has_option(struct tw_run_engines *engines, const char *engine,
		      const char *option);

/* Does an option of a job stand alone, its value only ever behind a '='? */
int tw_run_is_flag(struct tw_run_engines *engines, const char *option);

/* The jobs on one engine of fio's that stay there. */
struct tw_run_left {
	const char *engine;		/* NULL: they name none */
	const char *place, *job;	/* of the first one */
	size_t jobs;
	int can_convert;		/* --convert would change them */
};

/* What became of all jobs. */
struct tw_run_outcome {
	size_t ours;			/* jobs that run on our engines */
	struct tw_run_left *left;
	size_t left_count;
};

/**
 * tw_run_change - point the jobs at our engine, and report each change
 * @outcome: its numbers are added to
 *
 * Return: an enum tw_exit.
 */
int tw_run_change(struct tw_run_jobs *jobs, struct tw_run_engines *engines,
		  struct tw_run_outcome *outcome);

/* Reports the engines whose jobs were left, one line each. */
void tw_run_report_left(const struct tw_run_outcome *outcome);

/* ---- fio ---- */

/* What @argv prints, both of its streams; NULL: can't be run, and why. */
char *tw_run_output_of(char *const *argv);

/* fio's arguments with what was changed, NULL at the end. */
char **tw_run_fio_arguments(const struct tw_run_arguments *arguments,
			    const char *fio);

/**
 * tw_run_fio - run it to its end, with copies of the changed job files
 * @pid: its process
 * @status: of waitpid()
 *
 * The copies are gone when this returns. Signals that this process gets go on
 * to fio.
 *
 * Return: an enum tw_exit.
 */
int tw_run_fio(struct tw_run_arguments *arguments, const char *fio, pid_t *pid,
	       int *status);

/* Copies of the files that were changed, in a new directory that @directory is
 * set to. To be removed also after a failure. */
int tw_run_copy(struct tw_run_arguments *arguments, char **directory);
void tw_run_remove_copies(const struct tw_run_arguments *arguments,
			  const char *directory);
void tw_run_print(const struct tw_run_jobs *jobs, FILE *file);

/* ---- reports ---- */

/* The reports that the jobs of fio's process @pid wrote since @since, in the
 * order of their jobs. */
void tw_run_find_reports(struct tw_run_reports *reports,
			 const struct tw_run_arguments *arguments, pid_t pid,
			 time_t since);

int tw_run_has_report(const struct tw_run_reports *reports, const char *path);

/* Did every job that should have run on our engine leave a report? */
int tw_run_check_reports(const struct tw_run_reports *reports,
			 const struct tw_run_arguments *arguments);

/* ---- fio's JSON ---- */

/* Before fio: keep what it will print, if that is JSON. */
void tw_run_keep_output(struct tw_run_arguments *arguments);

/* After it: add the reports to its JSON, in its file or in what was kept, and print
 * that. Where there is no JSON, it stays as it is. Returns an enum tw_exit. */
int tw_run_add_to_json(const struct tw_run_arguments *arguments,
		       const struct tw_run_reports *reports);

/* ---- in turn: --ab ---- */

/* Can these jobs be run with other options, and several times? An enum tw_exit. */
int tw_run_check_sides(const struct tw_run_arguments *arguments);
/* Options, with blanks between, for each job of the files. */
void tw_run_add_options(struct tw_run_arguments *arguments, const char *options);

/* Run both sides @rounds times each, and compare their reports: the exit code. */
int tw_run_in_turn(struct tw_run_arguments sides[2], const char *fio, int rounds);

/* fio's, or 128 and the signal that it died of. */
int tw_run_exit_code(int status);

/* @argv, NULL at its end, behind @program: so that a shell reads it as it is. */
void tw_run_print_command(const char *program, char *const *argv, FILE *file);

#endif
