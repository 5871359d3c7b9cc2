/* SPDX-License-Identifier: MIT */
/*
 * Reads the text of `perf script`, and runs perf to get this text.
 */
#include <ctype.h>
#include <errno.h>
#include <search.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/child.h"
#include "base/allocate.h"
#include "base/write_file.h"
#include "base/plain_text.h"
#include "profile/command/profiles.h"

/* The first bytes of a file of perf record, also of one that it wrote to a
 * pipe. */
#define MAGIC	"PERFILE2"

static int by_name(const void *a, const void *b)
{
	const struct perf_symbol *left = a, *right = b;

	return strcmp(left->name, right->name);
}

static struct perf_symbol *symbol_named(struct perf_samples *samples, const char *name)
{
	size_t size = strlen(name) + 1;
	struct perf_symbol *symbol = tw_malloc(sizeof(*symbol) + size), **found;

	symbol->row = TW_ROW_UNKNOWN;
	memcpy(symbol->name, name, size);
	found = tsearch(symbol, &samples->symbols, by_name);
	if (!found)
		tw_no_memory();
	if (*found != symbol)
		free(symbol);
	return *found;
}

/* Add "ADDRESS SYMBOL+OFFSET (OBJECT)" to the last sample. Return: 0; -EINVAL:
 * the text is of another form. */
static int add_frame(struct perf_samples *samples, char *text)
{
	struct perf_sample *sample = &samples->samples[samples->sample_count - 1];
	uint64_t address;
	char *end, *offset;

	text += strspn(text, " \t");
	if (!isxdigit((unsigned char)*text))
		return -EINVAL;
	address = strtoull(text, &end, 16);
	if (*end != ' ')
		return -EINVAL;
	/* The upper half of the address space belongs to the kernel. */
	if (address >> 63) {
		sample->in_kernel |= !sample->frames;
		return 0;
	}
	text = end + 1;
	end = strstr(text, " (");
	if (end)
		*end = 0;
	offset = strrchr(text, '+');
	if (offset && strncmp(offset, "+0x", 3) == 0)
		*offset = 0;
	*tw_another(&samples->frames, &samples->frame_count) = symbol_named(samples, text);
	sample->frames++;
	return 0;
}

/* Return where the event's word begins; NULL: there is none. @weight is set to
 * the number before it, or to 1. */
static char *find_event(char *line, double *weight)
{
	const char *before = "";
	size_t length;

	for (char *word = line + strspn(line, " "); *word;
	     word += length + strspn(word + length, " ")) {
		length = strcspn(word, " ");
		/* A time, such as "910.236892:", is no event. */
		if (word[length - 1] == ':' &&
		    strspn(word, "0123456789.") != length - 1) {
			length = strspn(before, "0123456789");
			*weight = length && before[length] == ' ' ?
				  strtod(before, NULL) : 1;
			return word;
		}
		before = word;
	}
	return NULL;
}

static int is_time_event(const char *event)
{
	return strstr(event, "clock") || strstr(event, "cycles");
}

static void drop_samples(struct perf_samples *samples)
{
	free(samples->samples);
	free(samples->frames);
	samples->samples = NULL;
	samples->frames = NULL;
	samples->sample_count = samples->frame_count = 0;
}

/* Add a sample. Sets @skip if the sample is of an event that is not used. Used is the first event
 * that measures time, else the first event. */
static int add_sample(struct perf_samples *samples, char *line, int *skip)
{
	struct perf_sample *sample;
	double weight;
	char *event = find_event(line, &weight), *rest;
	size_t length;

	if (!event)
		return -EINVAL;
	length = strcspn(event, " ");
	rest = event + length + strspn(event + length, " ");
	event[length - 1] = 0;
	if (length > sizeof(samples->event))
		event[sizeof(samples->event) - 1] = 0;
	tw_plain_text(event);
	if (strcmp(event, samples->event)) {
		samples->other_events = samples->event[0] != 0;
		*skip = samples->event[0] &&
			(is_time_event(samples->event) || !is_time_event(event));
		if (*skip)
			return 0;
		snprintf(samples->event, sizeof(samples->event), "%s", event);
		drop_samples(samples);
	}
	*skip = 0;
	sample = tw_another(&samples->samples, &samples->sample_count);
	sample->weight = weight;
	sample->first_frame = samples->frame_count;
	/* The text of a tracepoint is no address. */
	if (*rest)
		add_frame(samples, rest);
	return 0;
}

int tw_perf_script_parse(struct perf_samples *samples, FILE *stream,
			 unsigned *line_number)
{
	size_t size = 0;
	char *line = NULL;
	int failed = 0, skip = 1, begun = 0;

	*samples = (struct perf_samples) { 0 };
	*line_number = 0;
	errno = 0;
	while (!failed && getline(&line, &size, stream) > 0) {
		++*line_number;
		line[strcspn(line, "\n")] = 0;
		if (!*line || *line == '#')
			continue;
		if (*line != '\t') {
			failed = add_sample(samples, line, &skip);
			begun = 1;
		} else if (!begun) {
			failed = -EINVAL;
		} else if (!skip) {
			samples->has_chains = 1;
			failed = add_frame(samples, line);
		}
	}
	if (!failed && ferror(stream))
		failed = errno ? -errno : -EIO;
	free(line);
	if (failed)
		tw_perf_samples_free(samples);
	return failed;
}

void tw_perf_samples_free(struct perf_samples *samples)
{
	tdestroy(samples->symbols, free);
	drop_samples(samples);
	*samples = (struct perf_samples) { 0 };
}

static void to_stdout(void *context, int fd)
{
	(void)context;
	dup2(fd, STDOUT_FILENO);
}

static int run_perf(struct perf_samples *samples, const char *path,
		    unsigned *line)
{
	const char *const argv[] = {
		"perf", "script", "--no-demangle", "--no-inline",
		"-F", "-comm,-tid,-time,-cpu", "-i", path, NULL
	};
	int from, failed;
	FILE *stream;
	pid_t pid = tw_child_start((char *const *)(uintptr_t)argv, SIGTERM, to_stdout, NULL,
				   &from);

	if (pid < 0)
		return pid == -ENOENT || pid == -EACCES ? -ENOEXEC : pid;
	stream = fdopen(from, "r");
	if (!stream)
		tw_no_memory();
	failed = tw_perf_script_parse(samples, stream, line);
	fclose(stream);
	if (tw_child_wait(pid) == 0 || failed)
		return failed;
	tw_perf_samples_free(samples);
	return -EPROTO;
}

int tw_perf_script_read(struct perf_samples *samples, const char *path,
			unsigned *line)
{
	FILE *stream = tw_input_stream(path, TW_INPUT_PIPE);
	char begin[sizeof(MAGIC) - 1];
	int failed;

	if (!stream)
		return -errno;
	if (pread(fileno(stream), begin, sizeof(begin), 0) == sizeof(begin) &&
	    memcmp(begin, MAGIC, sizeof(begin)) == 0)
		failed = run_perf(samples, path, line);
	else
		failed = tw_perf_script_parse(samples, stream, line);
	fclose(stream);
	return failed;
}
