/* SPDX-License-Identifier: MIT */
/*
 * Reports inside of other text: see sent.h. Reads and writes no file.
 */
#include "report/sent.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <zlib.h>

#include "base/base64.h"

#define MARK_LENGTH	(sizeof(TW_SENT_MARK) - 1)
/* Of a line: the mark, the token, 6 and 8 digits, three colons, BASE64 and the newline. */
#define LONGEST		(MARK_LENGTH + TW_SENT_TOKEN + 6 + 8 + 3 + \
			 TW_BASE64_LENGTH(TW_SENT_COMPRESSED) + 1)
/* A report is seldom more than this times its compressed bytes. */
#define USUALLY		32
/* fio's "<HOST> ". A host's name has 64 bytes at most. */
#define PREFIX		(64 + 3)

#define TOKEN_BYTES \
	"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
#define FIELD_BYTES	TOKEN_BYTES "+/=:"

int tw_sent_is_token(const char *text)
{
	const size_t length = strlen(text);

	return length && length <= TW_SENT_TOKEN && strspn(text, TOKEN_BYTES) == length;
}

/* ---- writing --------------------------------------------------------------- */

int tw_sent_encode(const char *token, const char *json, size_t length, char **line)
{
	uLongf size = compressBound(length);
	unsigned char *bytes;
	char *text;
	int error = 0;

	if (!tw_sent_is_token(token))
		return -EINVAL;
	if (length > TW_SENT_JSON)
		return -E2BIG;
	bytes = malloc(size);
	text = malloc(LONGEST + 1);
	if (!bytes || !text ||
	    compress2(bytes, &size, (const Bytef *)json, length, Z_DEFAULT_COMPRESSION) != Z_OK) {
		error = -ENOMEM;
	} else if (size > TW_SENT_COMPRESSED) {
		error = -E2BIG;
	} else {
		char *at = text + sprintf(text, TW_SENT_MARK "%s:%lu:%08lx:", token, size,
					  crc32_z(0, bytes, size));

		at += tw_base64_put(at, bytes, size);
		strcpy(at, "\n");
		*line = text;
	}
	free(bytes);
	if (error)
		free(text);
	return error;
}

/* ---- reading --------------------------------------------------------------- */

/* A 0 follows what a stream holds, so functions of strings can read it. */

/* Read a number of up to 8 digits and its colon. Return 0: there is other text. */
static int get_number(const char **at, const char *end, int base, unsigned long *value)
{
	const char *const begin = *at;
	char *behind;

	*value = strtoul(begin, &behind, base);
	*at = behind + 1;
	return *begin != '+' && behind > begin && behind <= begin + 8 && behind < end &&
	       *behind == ':';
}

/* Return the JSON of @size compressed bytes, to be freed; NULL with @problem set, or without
 * memory. @most: room for the JSON; if it has more, the bound on all reports counts. */
static char *inflate_text(const unsigned char *bytes, uLong size, size_t most, size_t *length,
			  const char **problem)
{
	char *json = malloc(most + 1);
	uLongf made = most;
	uLong used = size;
	const int ret = json ? uncompress2((Bytef *)json, &made, bytes, &used) : Z_MEM_ERROR;

	if (ret == Z_OK && used == size) {
		json[made] = '\0';
		*length = made;
		return json;
	}
	free(json);
	if (ret == Z_BUF_ERROR && most < TW_SENT_JSON)
		return inflate_text(bytes, size, TW_SENT_JSON, length, problem);
	if (ret != Z_MEM_ERROR)
		*problem = "it is too large, or not compressed by zlib";
	return NULL;
}

/* Read LENGTH:CRC32:BASE64. The rest is as in inflate_text(). */
static char *read_fields(const char *at, size_t size, size_t *length, const char **problem)
{
	const char *const end = at + size;
	unsigned long count, sum;
	unsigned char *bytes;
	char *json = NULL;

	if (!get_number(&at, end, 10, &count) || !get_number(&at, end, 16, &sum) || !count ||
	    count > TW_SENT_COMPRESSED) {
		*problem = "its length or its sum is wrong";
		return NULL;
	}
	size = (size_t)(end - at);
	if (size != TW_BASE64_LENGTH(count)) {
		*problem = size < TW_BASE64_LENGTH(count) ? "it is cut off" :
			"it is longer than what was sent";
		return NULL;
	}
	bytes = malloc(size);
	if (bytes && (tw_base64_get(bytes, at, size) != count || crc32_z(0, bytes, count) != sum))
		*problem = "its bytes are not those that were sent";
	else if (bytes)
		json = inflate_text(bytes, count, USUALLY * count, length, problem);
	free(bytes);
	return json;
}

static const char *find_mark(const char *text, size_t size)
{
	return memmem(text, size, TW_SENT_MARK, MARK_LENGTH);
}

/* Return the length of fio's "<HOST> " directly before @at, of which the last @have bytes that
 * are there are of "> ". 0: there is none. */
static size_t prefix_before(const char *text, const char *at, size_t have)
{
	const char *begin = at - have;

	if ((size_t)(at - text) < have || memcmp(begin, "> ", have) != 0)
		return 0;
	while (begin > text && at - begin < PREFIX && !memchr("<>\n", begin[-1], 3))
		begin--;
	return begin > text && begin[-1] == '<' ? (size_t)(at - begin) + 1 : 0;
}

/* Return how many bytes at the end of @text, which has no mark, may be the beginning of a
 * report. */
static size_t open_end(const char *text, size_t size)
{
	const char *const end = text + size;
	size_t part = size < MARK_LENGTH ? size : MARK_LENGTH - 1, prefix;

	while (part && memcmp(end - part, TW_SENT_MARK, part) != 0)
		part--;
	prefix = prefix_before(text, end - part, 2);
	if (prefix)
		return prefix + part;
	prefix = prefix_before(text, end, 1);
	if (!prefix)
		prefix = prefix_before(text, end, 0);
	return prefix > part ? prefix : part;
}

/*
 * Return how many bytes belong to the fields at @fields: all that fields may have, up to another
 * mark. SIZE_MAX: the end is not there yet.
 */
static size_t fields_length(const char *fields, size_t size, int is_end)
{
	const size_t all = strspn(fields, FIELD_BYTES), length = all < LONGEST ? all : LONGEST;
	const char *other;

	/* Another mark begins with bytes that a field may have, too. */
	if (!is_end && length < LONGEST && size - length < MARK_LENGTH &&
	    (length == size || fields[length] != '\n'))
		return SIZE_MAX;
	other = find_mark(fields, size);
	return other && (size_t)(other - fields) < length ? (size_t)(other - fields) : length;
}

/* Take the report whose fields are @fields. Return 0 or -ENOMEM. */
static int take(const struct tw_sent_sink *sink, const char *token, const char *fields,
		size_t size)
{
	const char *problem = NULL;
	size_t length = 0;
	char *json = read_fields(fields, size, &length, &problem);

	if (!json && !problem)
		return -ENOMEM;
	sink->take(sink->context, token, json, length, problem);
	free(json);
	return 0;
}

/* Pass or take what @text begins with. Return how many bytes that was; 0: more is needed;
 * -ENOMEM. */
static ssize_t go_on(const struct tw_sent_sink *sink, const char *text, size_t size, int is_end)
{
	const char *const end = text + size, *mark = find_mark(text, size), *at;
	char token[TW_SENT_TOKEN + 1];
	size_t length;
	int error;

	if (!mark || mark > text + prefix_before(text, mark, 2)) {
		length = mark ? (size_t)(mark - text) - prefix_before(text, mark, 2) :
			 size - (is_end ? 0 : open_end(text, size));
		if (length && sink->pass)
			sink->pass(sink->context, text, length);
		return (ssize_t)length;
	}
	at = mark + MARK_LENGTH;
	length = strspn(at, TOKEN_BYTES);
	if (at + length == end && length <= TW_SENT_TOKEN && !is_end)
		return 0;
	snprintf(token, sizeof(token), "%.*s", (int)length, at);
	if (length && length <= TW_SENT_TOKEN && at[length] == ':' &&
	    (!sink->is_wanted || sink->is_wanted(sink->context, token))) {
		const char *const fields = at + length + 1;

		length = fields_length(fields, (size_t)(end - fields), is_end);
		if (length == SIZE_MAX)
			return 0;
		error = length ? take(sink, token, fields, length) : 0;
		if (error)
			return error;
		if (length) {
			at = fields + length;
			return at - text + (at < end && *at == '\n');
		}
	}
	/* The mark was of other text. */
	if (sink->pass)
		sink->pass(sink->context, text, (size_t)(at - text));
	return at - text;
}

static int read_held(struct tw_sent_stream *stream, int is_end)
{
	size_t at = 0;
	ssize_t used;

	while ((used = go_on(stream->sink, &stream->held[at], stream->length - at, is_end)) > 0)
		at += (size_t)used;
	stream->length -= at;
	memmove(stream->held, &stream->held[at], stream->length + 1);
	stream->has_mark = find_mark(stream->held, stream->length) != NULL;
	return (int)used;
}

int tw_sent_feed(struct tw_sent_stream *stream, const char *bytes, size_t count)
{
	const size_t before = stream->length;

	if (before + count >= stream->room) {
		const size_t room = 2 * before + count + 1;
		char *held = realloc(stream->held, room);

		if (!held)
			return -ENOMEM;
		stream->held = held;
		stream->room = room;
	}
	if (!count)
		return 0;
	memcpy(&stream->held[before], bytes, count);
	stream->length += count;
	stream->held[stream->length] = '\0';
	/* More of a report that has no end yet. Else small pieces would read it many times. */
	if (stream->has_mark && stream->length < LONGEST &&
	    strspn(&stream->held[before], FIELD_BYTES) == count)
		return 0;
	return read_held(stream, 0);
}

int tw_sent_end(struct tw_sent_stream *stream)
{
	const int error = stream->length ? read_held(stream, 1) : 0;

	free(stream->held);
	*stream = (struct tw_sent_stream) { .sink = stream->sink };
	return error;
}
