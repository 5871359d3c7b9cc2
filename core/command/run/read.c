/* SPDX-License-Identifier: MIT */
/*
 * Reads a job file as fio reads it: sections, options with ${VARIABLES} from
 * the environment, comments after ; and #, other files by "include". A line
 * that fio would read in another way than it is written is refused.
 *
 * An included file replaces the line that includes it. fio searches it next to
 * the job file, and the copy of a job file is in another folder.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/command.h"
#include "base/write_file.h"
#include "command/run/run.h"

#define MOST_LINES	1000000
#define LONGEST_LINE	8190	/* fio reads 8192 bytes, with newline and 0 */
#define LONGEST_NAME	255
#define DEEPEST_INCLUDE	16

struct place {
	struct tw_run_jobs *jobs;
	const char *path;
	unsigned number;		/* number of the line */
	int depth;			/* 0: the job file itself */
};

/* ---- lines ---- */

static int refuse(const struct place *place, const char *what)
{
	return tw_command_fail(TW_RUN_NAME, TW_EXIT_DATA, "%s:%u: %s",
			       place->path, place->number, what);
}

struct tw_run_line *tw_run_add_line(struct tw_run_jobs *jobs)
{
	struct tw_run_line *line;

	jobs->lines = tw_grow(jobs->lines, jobs->line_count,
			      sizeof(*jobs->lines));
	line = &jobs->lines[jobs->line_count++];
	*line = (struct tw_run_line) {
		.section = jobs->section_count ? jobs->section_count - 1 : 0,
	};
	return line;
}

/* Add a section. fio treats every name that begins with "global" as
 * [global]. */
struct tw_run_section *tw_run_add_section(struct tw_run_jobs *jobs, char *name)
{
	struct tw_run_section *section;

	jobs->sections = tw_grow(jobs->sections, jobs->section_count,
				 sizeof(*jobs->sections));
	section = &jobs->sections[jobs->section_count++];
	*section = (struct tw_run_section) {
		.name = name,
		.is_global = strncmp(name, "global", 6) == 0,
	};
	return section;
}

/* Return a new string: @text without a comment and without blanks around it. */
static char *bare(const char *text)
{
	size_t length;

	while (isspace((unsigned char)*text))
		text++;
	length = strcspn(text, ";#");
	while (length && (isspace((unsigned char)text[length - 1]) ||
			  iscntrl((unsigned char)text[length - 1])))
		length--;
	return tw_format("%.*s", (int)length, text);
}

/* Replace ${NAME} by its value in the environment, or by nothing. */
static char *with_environment(const char *text)
{
	struct tw_growing_text result = { NULL, 0 };

	tw_append(&result, "", 0);
	while (*text) {
		const char *end = strncmp(text, "${", 2) == 0 ?
			strchr(text, '}') : NULL;
		const char *value;

		if (!end) {
			tw_append(&result, text++, 1);
			continue;
		}
		value = getenv(tw_format("%.*s", (int)(end - text) - 2,
					 text + 2));
		if (value)
			tw_append(&result, value, strlen(value));
		text = end + 1;
	}
	return result.bytes;
}

void tw_run_split(struct tw_run_line *line, char *option)
{
	char *equals = strchr(option, '=');

	line->name = option;
	line->value = equals ? equals + 1 : option + strlen(option);
	if (!equals)
		return;
	*equals = '\0';
	while (equals > option && isspace((unsigned char)equals[-1]))
		*--equals = '\0';
}

static int is_wanted(const char *name, const char *const *only, size_t count)
{
	if (!count || strncmp(name, "global", 6) == 0)
		return 1;
	for (size_t i = 0; i < count; i++)
		if (strcmp(only[i], name) == 0)
			return 1;
	return 0;
}

/* ---- a file ---- */

static int read_stream(struct place *place, FILE *file);

/* Open an included file as fio does: from the current directory, else from the
 * directory of the file that includes it. */
static FILE *open_included(struct place *inner, const struct place *outer,
			   const char *name)
{
	const char *slash = strrchr(outer->path, '/');

	inner->path = name;
	if (access(name, F_OK) && slash)
		inner->path = tw_format("%.*s%s",
					(int)(slash - outer->path) + 1,
					outer->path, name);
	return tw_input_stream(inner->path);
}

static int include(struct place *place, const char *option)
{
	struct place inner = { place->jobs, NULL, 0, place->depth + 1 };
	const char *name = option + strlen("include");
	FILE *file;
	int code;

	if (!*name || !*++name)
		return refuse(place, "include without a file");
	if (inner.depth > DEEPEST_INCLUDE)
		return refuse(place, "files that include each other too deep");
	file = open_included(&inner, place, name);
	if (!file)
		return tw_command_fail(TW_RUN_NAME, TW_EXIT_NO_INPUT,
				       "%s:%u: include %s: %s", place->path,
				       place->number, name, tw_file_error(errno));
	code = read_stream(&inner, file);
	fclose(file);
	return code;
}

/* Read "[NAME]". fio drops the last character, whatever it is. */
static int read_section(struct place *place, const char *header)
{
	size_t length = strlen(header + 1);

	if (place->depth)
		return refuse(place, "a section in a file that is included");
	if (!length)
		return refuse(place, "a section without a name");
	if (length > LONGEST_NAME)
		length = LONGEST_NAME;
	tw_run_add_section(place->jobs, tw_format("%.*s", (int)length - 1,
						  header + 1));
	return TW_EXIT_GOOD;
}

static int read_line(struct place *place, const char *text)
{
	struct tw_run_line *line;
	char *option = bare(text);
	int code = TW_EXIT_GOOD;
	int is_include = 0;

	if (*option == '[')
		code = read_section(place, option);
	else if (*option && !place->jobs->section_count)
		code = refuse(place, "an option before the first [section]");
	else
		is_include = strncmp(option, "include", 7) == 0;
	if (code != TW_EXIT_GOOD)
		return code;
	line = tw_run_add_line(place->jobs);
	line->file = place->path;
	line->number = place->number;
	if (is_include) {
		line->text = tw_format("# %s:", option);
		return include(place, option);
	}
	line->text = tw_format("%s", text);
	line->is_header = *option == '[';
	if (*option && !line->is_header)
		tw_run_split(line, with_environment(option));
	return TW_EXIT_GOOD;
}

/* Read a line without its newline. @text has room for a line that is too long. Return:
 * its length, bytes of 0 included; -1 at the end of the file. */
static ssize_t next_line(FILE *file, char *text, size_t size)
{
	const char *end;

	memset(text, 1, size);
	if (!fgets(text, (int)size, file))
		return -1;
	/* fgets() does not tell where its own byte of 0 is: it is the last one. */
	end = memrchr(text, '\0', size);
	if (end > text && end[-1] == '\n')
		text[--end - text] = '\0';
	return end - text;
}

/* A pipe may have no end, and no end of its first line. */
static int read_stream(struct place *place, FILE *file)
{
	char text[LONGEST_LINE + 3];
	ssize_t length;
	int code = TW_EXIT_GOOD;

	while (code == TW_EXIT_GOOD &&
	       (length = next_line(file, text, sizeof(text))) >= 0) {
		place->number++;
		if (strlen(text) != (size_t)length)
			code = refuse(place, "not a job file: a byte of 0");
		else if (length > LONGEST_LINE)
			code = refuse(place, "fio would cut this line in two");
		else if (place->number > MOST_LINES)
			code = refuse(place, "not a job file: too many lines");
		else
			code = read_line(place, text);
	}
	if (code == TW_EXIT_GOOD && ferror(file))
		code = tw_command_fail(TW_RUN_NAME, TW_EXIT_NO_INPUT, "%s: %s",
				       place->path, strerror(errno));
	return code;
}

int tw_run_read(struct tw_run_jobs *jobs, const char *path,
		const char *const *only, size_t only_count)
{
	struct place place = { jobs, path, 0, 0 };
	int is_stdin = strcmp(path, "-") == 0;
	FILE *file = is_stdin ? stdin : tw_input_stream(path);
	int code;

	jobs->path = path;
	if (!file)
		return tw_command_fail(TW_RUN_NAME, TW_EXIT_NO_INPUT, "%s: %s",
				       path, tw_file_error(errno));
	code = read_stream(&place, file);
	if (!is_stdin)
		fclose(file);
	if (code == TW_EXIT_GOOD && !jobs->section_count)
		code = tw_command_fail(TW_RUN_NAME, TW_EXIT_DATA, "%s: not a job "
				       "file: no [section]", path);
	for (size_t i = 0; i < jobs->section_count; i++)
		jobs->sections[i].is_skipped =
			!is_wanted(jobs->sections[i].name, only, only_count);
	return code;
}

/* ---- what holds for a job ---- */

static const struct tw_run_line *last_in(const struct tw_run_jobs *jobs,
					 size_t section, const char *name)
{
	for (size_t i = jobs->line_count; i-- > 0;) {
		const struct tw_run_line *line = &jobs->lines[i];

		if (line->section == section && line->name &&
		    strcmp(line->name, name) == 0)
			return line;
	}
	return NULL;
}

const struct tw_run_line *tw_run_setting(const struct tw_run_jobs *jobs,
					 size_t section, const char *name)
{
	const struct tw_run_line *line = jobs->section_count ?
		last_in(jobs, section, name) : NULL;

	while (!line && section-- > 0)
		if (jobs->sections[section].is_global)
			line = last_in(jobs, section, name);
	if (line || !jobs->before)
		return line;
	for (size_t i = jobs->before->section_count; !line && i-- > 0;)
		if (jobs->before->sections[i].is_global)
			line = last_in(jobs->before, i, name);
	return line;
}

const char *tw_run_job_name(const struct tw_run_jobs *jobs, size_t section)
{
	const struct tw_run_line *line = last_in(jobs, section, "name");

	return line && *line->value ? line->value :
		jobs->sections[section].name;
}
