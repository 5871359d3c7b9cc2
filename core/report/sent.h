/* SPDX-License-Identifier: MIT */
/*
 * A report as one line of text, so that the report of a job under a fio server reaches fio's
 * client in what fio prints:
 *
 *	tickwise-report:TOKEN:LENGTH:CRC32:BASE64
 *
 * TOKEN is the value of the job's tw_send=. BASE64 is the report, compressed with zlib. LENGTH is
 * the number of compressed bytes, in decimal digits, and CRC32 their sum, in 8 hexadecimal digits.
 *
 * The mark may stand anywhere in a line: fio puts "<HOST> " before a text, and other text without
 * a newline may come first. Whoever reads such a line got it from another machine, so it can be
 * anything.
 */
#ifndef TW_REPORT_SENT_H
#define TW_REPORT_SENT_H

#include <stddef.h>

#define TW_SENT_MARK		"tickwise-report:"
#define TW_SENT_TOKEN		64		/* letters and digits, at most */
#define TW_SENT_COMPRESSED	(256U << 10)	/* bytes of a compressed report, at most */
#define TW_SENT_JSON		(4U << 20)	/* bytes of a report, at most */

/* Return 1 if @text can be a token: 1 to TW_SENT_TOKEN letters and digits of ASCII. */
int tw_sent_is_token(const char *text);

/**
 * tw_sent_encode - make the line of a report
 * @json: the report, of @length bytes
 * @line: out, to be freed: the line with its newline and a 0 behind it
 *
 * Return: 0; -EINVAL: @token is none; -E2BIG: the report has more than TW_SENT_JSON bytes, or
 * more than TW_SENT_COMPRESSED when it is compressed; -ENOMEM.
 */
int tw_sent_encode(const char *token, const char *json, size_t length, char **line);

/* What becomes of a stream. */
struct tw_sent_sink {
	/* Gets all bytes, in order, that are not part of a wanted report. NULL: nothing does. */
	void (*pass)(void *context, const char *bytes, size_t count);
	/* Returns 1 if reports with this token are wanted. NULL: all are. The line of a report
	 * that is not wanted is passed as it is. */
	int (*is_wanted)(void *context, const char *token);
	/* Gets each wanted report: @json with @length bytes and a 0 behind them. @json is NULL if
	 * the line is broken; then @problem tells how: a constant text. */
	void (*take)(void *context, const char *token, const char *json, size_t length,
		     const char *problem);
	void *context;
};

/* Begin with { .sink = ... }. */
struct tw_sent_stream {
	const struct tw_sent_sink *sink;
	char *held;		/* bytes that may be part of a report */
	size_t length, room;
	int has_mark;		/* they are, if no other text follows */
};

/**
 * tw_sent_feed - read the next bytes of a stream
 *
 * What fio printed passes at once, unless it may be the beginning of a report. A report is taken
 * out from its mark to its newline, with the "<HOST> " directly before it. The stream holds no
 * more than the longest line, whatever it reads.
 *
 * Return: 0; -ENOMEM, and the bytes that were held are lost.
 */
int tw_sent_feed(struct tw_sent_stream *stream, const char *bytes, size_t count);

/* End the stream: pass or take what was held, and free it. Return: 0; -ENOMEM. */
int tw_sent_end(struct tw_sent_stream *stream);

#endif
