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

#include "base/write_file.h"
#include "command/command.h"
#include "command/run/run_parts.h"

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
	return tw_run_fail(TW_EXIT_DATA, "%s:%u: %s", place->path, place->number, what);
}

struct tw_run_line *tw_run_add_line(struct tw_run_jobs *jobs)
{
	struct tw_run_line *line = tw_grow_by_one(jobs->lines, jobs->line_count);

	line->section = jobs->section_count ? jobs->section_count - 1 : 0;
	return line;
}

/* fio treats every name that begins with "global" as [global]. */
static int is_global(const char *name)
{
	return strncmp(name, "global", 6) == 0;
}

void tw_run_add_section(struct tw_run_jobs *jobs, char *name)
{
	struct tw_run_section *section = tw_grow_by_one(jobs->sections, jobs->section_count);

	section->name = name;
	section->is_global = is_global(name);
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
	if (!count || is_global(name))
		return 1;
	for (size_t i = 0; i < count; i++)
		if (strcmp(only[i], name) == 0)
			return 1;
	return 0;
}

/* ---- a file ---- */

static int read_stream(struct place *place, FILE *file);

/* Read an included file, which fio opens from the current directory, else from the
 * directory of the file that includes it. */
static int include(struct place *place, const char *option)
{
	struct place inner = { place->jobs, option + strlen("include"), 0, place->depth + 1 };
	const char *name = inner.path + (*inner.path != '\0');
	const char *slash = strrchr(place->path, '/');
	FILE *file;
	int code;

	if (!*name)
		return refuse(place, "include without a file");
	if (inner.depth > DEEPEST_INCLUDE)
		return refuse(place, "files that include each other too deep");
	inner.path = access(name, F_OK) == 0 || !slash ? name :
		tw_format("%.*s%s", (int)(slash - place->path) + 1, place->path, name);
	file = tw_input_stream(inner.path, TW_INPUT_PIPE);
	if (!file)
		return tw_run_fail(TW_EXIT_NO_INPUT, "%s:%u: include %s: %s", place->path,
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
	tw_run_add_section(place->jobs, tw_format("%.*s", (int)length - 1, header + 1));
	return TW_EXIT_GOOD;
}

static int read_line(struct place *place, const char *text)
{
	struct tw_run_line *line;
	char *option = bare(text);
	int code = TW_EXIT_GOOD;

	if (*option == '[')
		code = read_section(place, option);
	else if (*option && !place->jobs->section_count)
		code = refuse(place, "an option before the first [section]");
	if (code != TW_EXIT_GOOD)
		return code;
	line = tw_run_add_line(place->jobs);
	line->file = place->path;
	line->number = place->number;
	line->is_header = *option == '[';
	if (strncmp(option, "include", 7) == 0) {
		line->text = tw_format("# %s:", option);
		return include(place, option);
	}
	line->text = tw_format("%s", text);
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
		code = tw_run_fail(TW_EXIT_NO_INPUT, "%s: %s", place->path, strerror(errno));
	return code;
}

/* Leave out what is not in @only, as fio does. It is silent about a name that is not there. */
static int skip_sections(struct tw_run_jobs *jobs, const char *const *only, size_t count)
{
	size_t missing = 0;

	for (size_t i = 0; i < jobs->section_count; i++)
		jobs->sections[i].is_skipped = !is_wanted(jobs->sections[i].name, only, count);
	for (size_t i = 0; i < count; i++) {
		size_t at = 0;

		while (at < jobs->section_count && strcmp(jobs->sections[at].name, only[i]) != 0)
			at++;
		if (at < jobs->section_count || is_global(only[i]))
			continue;
		missing++;
		tw_run_say("--section=%s: %s has no such section", only[i], jobs->path);
	}
	return count && missing == count ? TW_EXIT_DATA : TW_EXIT_GOOD;
}

int tw_run_read(struct tw_run_jobs *jobs, const char *path,
		const char *const *only, size_t only_count)
{
	struct place place = { jobs, path, 0, 0 };
	int is_stdin = strcmp(path, "-") == 0;
	FILE *file = is_stdin ? stdin : tw_input_stream(path, TW_INPUT_PIPE);
	int code;

	jobs->path = path;
	if (!file)
		return tw_run_fail(TW_EXIT_NO_INPUT, "%s: %s", path, tw_file_error(errno));
	code = read_stream(&place, file);
	if (!is_stdin)
		fclose(file);
	if (code == TW_EXIT_GOOD && !jobs->section_count)
		code = tw_run_fail(TW_EXIT_DATA, "%s: not a job file: no [section]", path);
	return code == TW_EXIT_GOOD ? skip_sections(jobs, only, only_count) : code;
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

static const struct tw_run_line *last_global(const struct tw_run_jobs *jobs,
					     size_t before, const char *name)
{
	const struct tw_run_line *line = NULL;

	while (!line && before-- > 0)
		if (jobs->sections[before].is_global)
			line = last_in(jobs, before, name);
	return line;
}

const struct tw_run_line *tw_run_setting(const struct tw_run_jobs *jobs,
					 size_t section, const char *name)
{
	const struct tw_run_line *line = last_in(jobs, section, name);

	if (!line)
		line = last_global(jobs, section, name);
	return line || !jobs->before ? line :
		last_global(jobs->before, jobs->before->section_count, name);
}

const char *tw_run_job_name(const struct tw_run_jobs *jobs, size_t section)
{
	const struct tw_run_line *line = last_in(jobs, section, "name");

	return line && *line->value ? line->value :
		jobs->sections[section].name;
}

/* ---- as fio is to read it ---- */

char **tw_run_last(const struct tw_run_jobs *jobs, size_t line)
{
	const size_t section = jobs->lines[line].section;
	const int is_end = line + 1 == jobs->line_count ||
			   jobs->lines[line + 1].section != section;

	return is_end ? jobs->sections[section].last : NULL;
}

void tw_run_print(const struct tw_run_jobs *jobs, FILE *file)
{
	if (jobs->front)
		fprintf(file, "%s\n", jobs->front);
	for (size_t i = 0; i < jobs->line_count; i++) {
		const struct tw_run_line *line = &jobs->lines[i];
		const char *first = jobs->sections[line->section].first;

		if (line->text)
			fprintf(file, "%s\n", line->text);
		if (line->is_header && first)
			fprintf(file, "%s\n", first);
		for (char **last = tw_run_last(jobs, i); last && *last; last++)
			fprintf(file, "%s\n", *last);
	}
}
