/* SPDX-License-Identifier: MIT */
/*
 * The parts of tickwise run. run_jobs.c and run_arguments.c read jobs as fio reads them,
 * run_change.c changes them, run_engines.c knows fio and its engines. run_fio.c runs fio
 * on copies, and run_settings.c puts back what it changed. run_reports.c finds the reports,
 * run_json.c adds them to fio's JSON. run_hosts.c gets those of other hosts. run_target.c and
 * run_path.c are for a path instead of a job.
 *
 * All memory lives until tw_release_texts(). Functions that return an enum tw_exit print
 * a message unless it is TW_EXIT_GOOD.
 */
#ifndef TW_RUN_PARTS_H
#define TW_RUN_PARTS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include <time.h>

#include "base/allocate.h"
#include "base/write_file.h"
#include "report/sent.h"

/* The name of the subcommand, for messages: "run", or another that runs jobs. */
extern const char *tw_run_name;

/* The first descriptor that fio inherits: its own are below. */
#define TW_RUN_FIRST_FD	10

/* Characters that need no quoting, wherever a name stands. */
#define TW_RUN_PLAIN	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_."

/* Print "tickwise run: ..." on stderr, one line. The second: but not with --quiet. */
#define tw_run_say(...)		tw_command_fail(tw_run_name, TW_EXIT_GOOD, __VA_ARGS__)
#define tw_run_remark(...)	tw_command_remark(tw_run_name, __VA_ARGS__)
#define tw_run_fail(code, ...)	tw_command_fail(tw_run_name, code, __VA_ARGS__)

/* ---- jobs ---- */

/* A line of a job file, or an argument of fio that is an option of a job. */
struct tw_run_line {
	char *text;		/* as fio is to read it; NULL: left out */
	char *name;		/* an option's name; NULL: this is no option */
	char *value;		/* as fio takes it; "": no value */
	const char *file;	/* the line's file; NULL: command line */
	unsigned number;
	size_t section;
	int is_header;		/* 1: this is the section's "[NAME]" */
};

struct tw_run_section {
	char *name;
	char *first;		/* lines to add at its beginning, or NULL */
	char **last;		/* options to add at its end, with NULL at the end; or NULL */
	int is_global;
	int is_skipped;		/* by fio's --section */
	int owes_report;	/* 1: its job runs on a tickwise engine that does I/O */
};

/* A job file with the files it includes, or the jobs on fio's command line. */
struct tw_run_jobs {
	const char *path;	/* NULL: the command line */
	const struct tw_run_jobs *before;	/* its [global] holds here, too */
	struct tw_run_line *lines;
	size_t line_count;
	struct tw_run_section *sections;
	size_t section_count;
	char *front;		/* lines to add before the first section */
	int is_changed;
	int copy;		/* the descriptor of the changed copy; 0: there is none */
};

/* Read a job file and the files it includes; "-" is standard input. @only: the names of
 * fio's --section; without any, all sections are read. Return: an enum tw_exit. */
int tw_run_read(struct tw_run_jobs *jobs, const char *path,
		const char *const *only, size_t only_count);

/* Split "name=value" into a line's name and value. Changes @option. */
void tw_run_split(struct tw_run_line *line, char *option);

struct tw_run_line *tw_run_add_line(struct tw_run_jobs *jobs);
void tw_run_add_section(struct tw_run_jobs *jobs, char *name);

/* Return the line that sets option @name for the jobs of a section: the
 * section's last one, else one of a [global] before it; NULL: none. */
const struct tw_run_line *tw_run_setting(const struct tw_run_jobs *jobs,
					 size_t section, const char *name);
/* Return the name of a section's job. */
const char *tw_run_job_name(const struct tw_run_jobs *jobs, size_t section);
/* Return the options to be added after a line, with NULL at the end; NULL: none. */
char **tw_run_last(const struct tw_run_jobs *jobs, size_t line);
/* Write the jobs as fio is to read them. */
void tw_run_print(const struct tw_run_jobs *jobs, FILE *file);

/* ---- engines ---- */

/* The names of options, as fio lists them. */
struct tw_run_options {
	char *asked;			/* the argument that makes fio list them */
	char **names;
	size_t count;
};

struct tw_run_engines {
	const char *fio;
	int is_given;			/* 1: by --engine */
	char *path;			/* tickwise.so */
	char *command_path;		/* tickwise-cmd.so, or NULL */
	char *memory_path;		/* tickwise-memory.so, or NULL */
	struct tw_run_options *known;
	size_t known_count;
	int convert;			/* --convert: change other engines than io_uring */
	int by_name;			/* 1: jobs name an engine's file, not its path */
	int for_hosts;			/* 1: the jobs run on other hosts */
	char **added;			/* options for each job on them, with NULL at the end */
};

enum tw_run_kind {
	TW_RUN_OTHER,			/* I/O that the tickwise engine can't do */
	TW_RUN_OURS,
	TW_RUN_RING,			/* io_uring */
	TW_RUN_COMMAND,			/* io_uring_cmd */
	TW_RUN_ONE_AT_A_TIME,		/* sync, psync and others; with --convert */
	TW_RUN_QUEUED,			/* libaio and others; with --convert */
	TW_RUN_MEMORY,			/* "tickwise-memory", without a path */
	TW_RUN_OUR_MEMORY,		/* a path of its file; no I/O, so no report */
};

/* Find the engines at @path; with NULL, next to that of tw_run_find_engine(). */
int tw_run_find_engines(struct tw_run_engines *engines, const char *path);

/* Return where `tickwise build-engine` puts the engines for this fio; NULL: this is no
 * fio. */
char *tw_run_built_folder(const char *fio);
/* Find the engine: the installed one, unless this fio loads only another one: a ready-made one,
 * or one that was put into that folder or into the system's. Return: its path; NULL: none. */
char *tw_run_find_engine(struct tw_run_engines *engines);

/* For jobs on other hosts: if this fio finds the installed engines by the names of their files,
 * as where packages were installed, let jobs name them so. A path may be of this machine alone. */
void tw_run_name_engines(struct tw_run_engines *engines);
/* Return the ioengine= that names the engine at @path. */
char *tw_run_named(const struct tw_run_engines *engines, const char *path);

/* Try whether fio can load the engine at @path. Return: NULL: it can; the engine's reason; "":
 * it told none. The second function prints the reason and what to do. */
const char *tw_run_try_quietly(struct tw_run_engines *engines, const char *path);
int tw_run_try_engine(struct tw_run_engines *engines, const char *path);

enum tw_run_kind tw_run_kind(const char *engine);
/* Return the path of the tickwise engine that replaces an engine of this kind;
 * NULL: it does not exist. The second function returns the name of its file. */
const char *tw_run_engine_for(const struct tw_run_engines *engines,
			      enum tw_run_kind kind);
const char *tw_run_file_for(enum tw_run_kind kind);

/* Return the options that fio lists if its argument is @asked. Asks fio, once for each. The
 * second function tells whether an engine has an option. */
const struct tw_run_options *tw_run_options_of(struct tw_run_engines *engines, char *asked);
int tw_run_has_option(struct tw_run_engines *engines, const char *engine,
		      const char *option);

/* Does an option of a job take the next argument? Others have a value only after a '='. Asks
 * fio. */
int tw_run_takes_next(struct tw_run_engines *engines, const char *option);

/* ---- reports ---- */

struct tw_run_reports {
	struct tw_run_report {
		char *path;
		char *job;
		long long thread_number;
		int is_first;		/* of its section */
		dev_t device;
		ino_t inode;
		size_t host;		/* number of the host that sent it */
	} *list;
	size_t count;
	int has_io;			/* 1: a job did an I/O, or tried to */
	int are_of_hosts;		/* 1: hosts sent them */
};

/* ---- other hosts: --client (run_hosts.c) ---- */

#define TW_RUN_TOKEN	33		/* bytes of random hexadecimal digits */

struct tw_run_host {
	const char *name;		/* as it was typed */
	char token[TW_RUN_TOKEN];	/* tw_send= of its copies: no other host knows it */
	int is_listed;			/* 1: in the file of --client=FILE */
	size_t first_file, file_count;
	int *copies;			/* descriptors of the copies of these */
	size_t copy_count;		/* 0: they are not made */
	size_t sent, received;		/* numbers of reports */
	size_t bytes;			/* of their files */
	uint64_t largest;		/* sum of the largest number of each */
	const char *problem;		/* of the last one that was not good; or NULL */
};

struct tw_run_hosts {
	struct tw_run_host *list;
	size_t count;
	char run[TW_RUN_TOKEN];		/* that of all reports. Others may read their files */
	char *option;			/* tw_send=, to which a host's token is copied */
	int out_fd;			/* for fio's --output; 0: fio prints to standard output */
	struct tw_sent_sink sink;
	struct tw_sent_stream stream;
	struct tw_output output;	/* the file of --output */
	FILE *out;			/* that file, or standard output */
	int out_error;			/* -errno of the first write to it that failed; 0 */
	struct tw_run_reports reports;
};

/* ---- arguments ---- */

/* One argument of fio, or an option and its value. */
struct tw_run_argument {
	char **argv;
	int count;
	ptrdiff_t line;		/* number in the command line's jobs; -1: none */
	ptrdiff_t file;		/* number in the job files; -1: none */
	size_t host, host_count;	/* of --client: its hosts */
	int is_output;			/* 1: --output */
	char *before;			/* options in the same argument: "-m" of -moFILE; or NULL */
};

struct tw_run_arguments {
	struct tw_run_argument *list;
	size_t count;
	struct tw_run_jobs jobs;	/* those that options give */
	struct tw_run_jobs *files;
	size_t file_count;
	const char **only;		/* --section */
	size_t only_count;
	const char *aux_path;		/* NULL: the current directory */
	int runs_nothing;		/* 1: --parse-only or the like */
	int is_quiet;			/* 1: fio's output is not printed, its errors are */
	uint64_t whole_ns;		/* how long fio will take; 0: not known */
	struct tw_progress *progress;	/* of all runs, which take whole_ns together; or NULL */
	int was_interrupted;		/* a signal came while fio ran */
	struct tw_run_settings *settings;	/* to be put back after fio; or NULL */
	struct tw_run_hosts hosts;	/* none: the jobs run here */
	int has_trigger;		/* 1: --trigger-file or the like, which ends all jobs */
	int is_json;			/* 1: --output-format has JSON in it */
	int is_no_text;			/* 1: --output-format is not "normal" */
	const char *output;		/* --output; NULL: standard output */
	int kept;			/* fio's standard output goes to here; 0: it is not kept */
};

/* Read fio's arguments. Job files are listed, not yet read. */
int tw_run_read_arguments(struct tw_run_arguments *arguments, char **argv,
			  struct tw_run_engines *engines);

/* Return fio's arguments, with the copies in place of changed job files; NULL
 * at the end. */
char **tw_run_fio_arguments(const struct tw_run_arguments *arguments,
			    const char *fio);

/* ---- changes ---- */

/* The outcome for all jobs. */
struct tw_run_outcome {
	size_t on_tickwise;		/* number of jobs on tickwise's engines */
	struct tw_run_left {		/* the jobs that stay on one of fio's engines */
		const char *engine;	/* "": the jobs name no engine */
		const char *place, *job;	/* of the first job */
		size_t jobs;
		int can_convert;	/* 1: --convert would change them */
	} *left;
	size_t left_count;
};

/* Point the jobs at the tickwise engine, and print each change. The numbers of these jobs
 * are added to @outcome. Return: an enum tw_exit. */
int tw_run_change(struct tw_run_jobs *jobs, struct tw_run_engines *engines,
		  struct tw_run_outcome *outcome);

/* Print a line for each engine that jobs stay on. */
void tw_run_report_left(const struct tw_run_outcome *outcome);

/* ---- fio ---- */

/* Run fio to its end, with copies of the changed job files, which are then removed, and find the
 * reports that its jobs wrote here, if it could be run. Signals that this process gets are sent on to fio. @code: is
 * set to fio's exit code, or 128 plus the signal that ended it. Return: an enum tw_exit. */
int tw_run_fio(struct tw_run_arguments *arguments, const char *fio,
	       struct tw_run_reports *reports, int *code);

/* What runs may change of their devices (run_settings.c). */
struct tw_run_settings {
	const char *sys;		/* "/sys" */
	struct tw_run_setting {
		const char *device;
		const char *name;	/* in the folder of its queue */
		const char *was;
		int is_told;
	} *list;
	size_t count;
};

/* Remember the settings of the devices that jobs name. The second function puts back those that
 * changed since, and tells each once. */
void tw_run_remember(struct tw_run_settings *settings, const struct tw_run_jobs *jobs);
void tw_run_put_back(struct tw_run_settings *settings);

/* Print @program and @argv, which has NULL at its end, quoted for a shell. */
void tw_run_print_command(const char *program, char *const *argv, FILE *file);

/* ---- reports that are found ---- */

/* Find the reports that the jobs of fio's process @pid wrote since @since, in the order
 * of the jobs. */
void tw_run_find_reports(struct tw_run_reports *reports,
			 const struct tw_run_arguments *arguments, pid_t pid,
			 time_t since);

/* Is @name, as fio has it, what a report has as its job's name? */
int tw_run_is_name(const char *name, const char *of_report);

/* Did every job leave a report that should have run on a tickwise engine? */
int tw_run_check_reports(const struct tw_run_reports *reports,
			 const struct tw_run_arguments *arguments);

/* Return their paths. */
char **tw_run_paths(const struct tw_run_reports *reports);

/* Return how many reports these jobs should send. */
size_t tw_run_owed(const struct tw_run_jobs *jobs);

/* Return the arguments of `tickwise report` for these reports, beginning with its name.
 * @all: for the whole page. The second function prints its command line, unless --quiet is
 * given. @is_shown: the page was printed. */
char **tw_run_report_arguments(const struct tw_run_reports *reports, int all);
void tw_run_say_reports(const struct tw_run_reports *reports, int is_shown);

/* ---- reports that are sent ---- */

/* Note a host of --client, or those that a file lists, as fio reads it. Return 0: it is refused,
 * after a message. */
int tw_run_add_hosts(struct tw_run_hosts *hosts, const char *value);

/* Find each host's job files, and let the copies have tw_send, and tw_report=none, so that no file
 * stays on the hosts. Return: an enum tw_exit. */
int tw_run_prepare_hosts(struct tw_run_arguments *arguments, struct tw_run_engines *engines);

/* Begin to read what fio prints. Return: an enum tw_exit. */
int tw_run_begin_to_receive(struct tw_run_arguments *arguments);
/* Read what is there, print it without reports, and keep these as files. Return 0: there will be
 * no more. */
int tw_run_receive(struct tw_run_arguments *arguments, int from);
/* Return: an enum tw_exit. */
int tw_run_end_receiving(struct tw_run_arguments *arguments);

/* Print a line for each host that lacks reports, and how many reports came. @is_shown: around the
 * page; else on stderr. */
void tw_run_say_lacks(const struct tw_run_arguments *arguments, int is_shown);
void tw_run_say_numbers(const struct tw_run_arguments *arguments, int is_shown);

/* ---- fio's JSON ---- */

/* Prepare to keep fio's output, if it will be JSON. Call this before fio runs. */
void tw_run_keep_output(struct tw_run_arguments *arguments);

/* Add the reports to fio's JSON: in its file, or in the kept output, which is
 * then printed. Output that is no JSON is printed unchanged. Return: an enum
 * tw_exit. */
int tw_run_add_to_json(const struct tw_run_arguments *arguments,
		       const struct tw_run_reports *reports);

/* ---- all of that ---- */

/* Read fio's arguments and the job files, and point the jobs at the engine. @options: those of
 * a side of --ab; or NULL. Return: an enum tw_exit. */
int tw_run_prepare(struct tw_run_arguments *arguments, struct tw_run_engines *engines,
		   const char *options, char **argv);

/* ---- a path instead of jobs ---- */

/* A folder, a file or a block device that is to be read (run_target.c). */
struct tw_run_target {
	const char *path;		/* as given */
	const char *name;		/* as fio opens it */
	int fd;				/* fio inherits it */
	int is_made;			/* 1: a file without a name, in the folder @path */
	int is_direct;			/* 0: only the page cache can be read */
	unsigned block_bytes;
	uint64_t bytes;
};

/* Return 0 for a job file, and for what can't be read: that is told where it is read. */
int tw_run_is_target(const char *path);
/* Open it, and make the file in a folder. Return: an enum tw_exit. */
int tw_run_open_target(struct tw_run_target *target, const char *path);

/* Add lines to jobs that have no file: an option, or "[NAME]", which begins a job. @lines: of
 * tw_format(); is changed. */
void tw_run_add(struct tw_run_jobs *jobs, char *lines);
/* Begin with what all jobs that read a target have. */
void tw_run_add_target(struct tw_run_jobs *jobs, const struct tw_run_engines *engines,
		       const struct tw_run_target *target);

enum tw_run_page { TW_RUN_ANSWERS, TW_RUN_WHOLE_PAGE, TW_RUN_NO_PAGE };

/* Read a path at two depths, each for @each_ns, and print what was found. Return: as
 * `tickwise run`. */
int tw_run_path(const char *path, struct tw_run_engines *engines, uint64_t each_ns,
		enum tw_run_page page);

#endif
