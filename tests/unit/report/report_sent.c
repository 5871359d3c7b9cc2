/* SPDX-License-Identifier: MIT */
/*
 * A report that was sent as a line of fio's output is found again, whole, wherever the line is
 * and however the stream is cut into pieces, and all other bytes pass in order. Fails if a byte
 * of the rest is lost, added or moved, if a damaged line becomes a report, if damage hides
 * the next report, or if a hostile stream makes the reader hold or inflate more than its bounds.
 */
#include <errno.h>
#include <string.h>
#include <zlib.h>

#include "base/base64.h"
#include "report/sent.h"
#include "tap.h"

#define STREAMS		300
#define DAMAGED		1000
#define NOISE		2000
#define MOST_HELD	(800U << 10)

static uint64_t state;

static uint64_t random_below(uint64_t limit)
{
	return tap_random(&state) % limit;
}

/* A text that grows. */
struct text {
	char *bytes;
	size_t length, room;
};

static void add(struct text *text, const char *bytes, size_t count)
{
	if (text->length + count >= text->room) {
		text->room = 2 * (text->length + count + 1);
		text->bytes = realloc(text->bytes, text->room);
	}
	memcpy(&text->bytes[text->length], bytes, count);
	text->length += count;
	text->bytes[text->length] = '\0';
}

static int are_same(const struct text *a, const struct text *b)
{
	return a->length == b->length && (!a->length || !memcmp(a->bytes, b->bytes, a->length));
}

/* What came out of a stream: what passed, and "TOKEN=JSON;" of each report. */
struct out {
	struct text passed, reports;
	unsigned broken;
	const char *wanted;		/* NULL: all */
	const char *problem;		/* the last */
};

static void pass(void *context, const char *bytes, size_t count)
{
	add(&((struct out *)context)->passed, bytes, count);
}

static int is_wanted(void *context, const char *token)
{
	const struct out *out = context;

	return !out->wanted || !strcmp(out->wanted, token);
}

static void note(struct out *out, const char *token, const char *json, size_t length)
{
	add(&out->reports, token, strlen(token));
	add(&out->reports, "=", 1);
	add(&out->reports, json, length);
	add(&out->reports, ";", 1);
}

static void take(void *context, const char *token, const char *json, size_t length,
		 const char *problem)
{
	struct out *out = context;

	if (json && !json[length] && !problem)
		note(out, token, json, length);
	else if (!json && problem)
		out->broken++;
	else
		abort();
	out->problem = problem;
}

/* Read a stream in pieces of at most @piece bytes, each in memory of its own. Return the most
 * that was held. */
static size_t feed(const struct text *in, struct out *out, size_t piece)
{
	const struct tw_sent_sink sink = { pass, is_wanted, take, out };
	struct tw_sent_stream stream = { .sink = &sink };
	size_t most = 0;

	for (size_t at = 0, count; at < in->length; at += count) {
		char *copy;

		count = 1 + random_below(piece);
		if (count > in->length - at)
			count = in->length - at;
		copy = malloc(count);
		memcpy(copy, &in->bytes[at], count);
		if (tw_sent_feed(&stream, copy, count))
			abort();
		free(copy);
		most = stream.room > most ? stream.room : most;
	}
	if (tw_sent_end(&stream) || stream.held)
		abort();
	return most;
}

static void empty(struct out *out)
{
	free(out->passed.bytes);
	free(out->reports.bytes);
	*out = (struct out) { .wanted = out->wanted };
}

/* Return the line of a report; @json may be random. */
static struct text line_of(const char *token, const char *json, size_t length)
{
	struct text line = { 0 };

	if (tw_sent_encode(token, json, length, &line.bytes))
		abort();
	line.length = strlen(line.bytes);
	return line;
}

/* Make a JSON of up to @most bytes, half of which are random. */
static char *random_json(size_t most, size_t *length)
{
	char *json = malloc(most + 1);

	*length = random_below(most + 1);
	for (size_t i = 0; i < *length; i++)
		json[i] = (char)(i & 1 ? random_below(256) : 'a');
	return json;
}

/* Make a line with these fields. */
static struct text line_by_hand(const char *length_and_sum, const void *bytes, size_t size)
{
	char *text = malloc(TW_BASE64_LENGTH(size) + 200);
	struct text line = { .bytes = text };

	line.length = (size_t)sprintf(text, TW_SENT_MARK "t:%s:", length_and_sum);
	line.length += tw_base64_put(&text[line.length], bytes, size);
	text[line.length++] = '\n';
	return line;
}

/* ---- tests ------------------------------------------------------------------- */

static void test_format(void)
{
	static const char json[] = "{\"schema\": \"tickwise-report\"}";
	struct text line = line_of("Ab9", json, strlen(json));
	unsigned long length = 0, sum = 0;
	unsigned char bytes[256], made[256];
	char base64[256] = "";
	uLongf size = sizeof(made);

	sscanf(line.bytes, "tickwise-report:Ab9:%lu:%8lx:%255s", &length, &sum, base64);
	tap_ok(tw_base64_get(bytes, base64, strlen(base64)) == length &&
	       crc32(0, bytes, (uInt)length) == sum &&
	       uncompress(made, &size, bytes, length) == Z_OK && size == strlen(json) &&
	       !memcmp(made, json, size), "the line is the documented one");
	tap_ok(strchr(line.bytes, '\n') == line.bytes + line.length - 1,
	       "with one newline, at its end");
	free(line.bytes);
}

static void test_tokens(void)
{
	char longest[TW_SENT_TOKEN + 2], *line = NULL;

	memset(longest, 'x', sizeof(longest));
	longest[TW_SENT_TOKEN + 1] = '\0';
	tap_ok(!tw_sent_is_token(longest) && !tw_sent_is_token("") && !tw_sent_is_token("a b") &&
	       !tw_sent_is_token("a:") && !tw_sent_is_token("\xc3\xa4"), "what is no token");
	longest[TW_SENT_TOKEN] = '\0';
	tap_ok(tw_sent_is_token(longest) && tw_sent_is_token("1"), "what is one");
	tap_ok(tw_sent_encode("a-b", "{}", 2, &line) == -EINVAL && !line,
	       "no line is made without one");
}

static void test_streams(void)
{
	/* Some look like the beginning of a report. */
	static const char *const others[] = {
		"<host> ", "fio-3.33\n", "Jobs: 1 (f=1)\r", "{\n  \"jobs\" : [\n", "\n", "<", "> ",
		"tickwise-report:", "tickwise-report: (groupid=0)\n",
		"<a> <b> ", "tickwise-repor", "t", "<host>", "a long text without a newline ",
	};
	unsigned wrong = 0;

	for (unsigned i = 0; i < STREAMS; i++) {
		struct text in = { 0 }, rest = { 0 };
		struct out out = { 0 }, should = { 0 };

		for (uint64_t parts = random_below(12); parts--;) {
			const char *other = others[random_below(sizeof(others) /
								sizeof(*others))];
			char token[8], *json;
			struct text line;
			size_t length;

			add(&in, other, strlen(other));
			add(&rest, other, strlen(other));
			if (random_below(2))
				continue;
			/* What is no report before this one must not become one with it. */
			add(&in, "\n", 1);
			add(&rest, "\n", 1);
			snprintf(token, sizeof(token), "t%u", (unsigned)random_below(9));
			json = random_json(random_below(9) ? 300 : 200000, &length);
			line = line_of(token, json, length);
			note(&should, token, json, length);
			if (random_below(2))
				add(&in, "<host.example> ", 15);
			else if (random_below(2)) {
				add(&in, "text", 4);
				add(&rest, "text", 4);
			}
			add(&in, line.bytes, line.length);
			free(line.bytes);
			free(json);
		}
		feed(&in, &out, random_below(2) ? 7 : 5000);
		if (!are_same(&out.passed, &rest) || !are_same(&out.reports, &should.reports) ||
		    out.broken) {
			tap_note("stream %u: %zu of %zu bytes passed, %u broken", i,
				 out.passed.length, rest.length, out.broken);
			wrong++;
		}
		free(in.bytes);
		free(rest.bytes);
		empty(&out);
		empty(&should);
	}
	tap_is_u64(wrong, 0, "streams: each report is found, and all else passes");
}

/* Change, remove or add bytes of the line, anywhere. */
static void damage(struct text *line)
{
	const size_t at = random_below(line->length);
	size_t count = 1 + random_below(line->length - at);

	switch (random_below(4)) {
	case 0:
		line->bytes[at] ^= (char)(1 + random_below(255));
		break;
	case 1:
		line->bytes[at] = (char)(33 + random_below(94));
		break;
	case 2:
		count = random_below(2) ? 1 : count;
		memmove(&line->bytes[at], &line->bytes[at + count], line->length - at - count);
		line->length -= count;
		break;
	default:
		line->bytes = realloc(line->bytes, line->length + count);
		memmove(&line->bytes[at + count], &line->bytes[at], line->length - at);
		line->length += count;
	}
}

static void test_damaged(void)
{
	unsigned wrong = 0, broken = 0, whole = 0;

	for (unsigned i = 0; i < DAMAGED; i++) {
		size_t length;
		char *json = random_json(2000, &length);
		struct text line = line_of("one", json, length), next = line_of("two", "{}", 2);
		struct text in = { 0 };
		struct out out = { 0 }, good = { 0 };
		struct text both = { 0 };

		note(&good, "two", "{}", 2);
		add(&both, "=", 1);
		add(&both, json, length);
		add(&both, ";two={};", 8);
		damage(&line);
		add(&in, line.bytes, line.length);
		add(&in, next.bytes, next.length);
		feed(&in, &out, 100);
		/* A byte before the mark, or a token that became another, is no damage to the
		 * report, whose sum is of its bytes. */
		if (are_same(&out.reports, &good.reports))
			broken += out.broken != 0;
		else if (out.reports.length > both.length &&
			 !memcmp(&out.reports.bytes[out.reports.length - both.length], both.bytes,
				 both.length))
			whole++;
		else
			wrong++;
		free(json);
		free(line.bytes);
		free(next.bytes);
		free(in.bytes);
		free(both.bytes);
		empty(&out);
		empty(&good);
	}
	tap_note("of %d damaged lines %u are known as broken, %u are whole", DAMAGED, broken,
		 whole);
	tap_is_u64(wrong, 0, "damaged lines: the next report is always found");
	tap_ok(broken > DAMAGED * 8 / 10, "and most are known as broken");
}

static void test_bounds(void)
{
	char *json = calloc(1, TW_SENT_JSON + 1), *line = NULL, fields[64];
	uLongf size = compressBound(TW_SENT_JSON + 1);
	unsigned char *bytes = malloc(size);
	struct out out = { 0 };
	struct text in, endless = { 0 };
	size_t held;

	tap_ok(tw_sent_encode("t", json, TW_SENT_JSON + 1, &line) == -E2BIG && !line,
	       "a report above the bound is not sent");
	in = line_of("t", json, TW_SENT_JSON);
	feed(&in, &out, 4096);
	tap_is_u64(out.reports.length, TW_SENT_JSON + 3, "the largest one is");
	free(in.bytes);
	empty(&out);

	compress(bytes, &size, (const Bytef *)json, TW_SENT_JSON + 1);
	snprintf(fields, sizeof(fields), "%lu:%08lx", size, crc32_z(0, bytes, size));
	in = line_by_hand(fields, bytes, size);
	feed(&in, &out, 4096);
	tap_ok(out.broken == 1 && !out.reports.length, "one byte more is not inflated");
	free(in.bytes);
	empty(&out);

	for (size_t i = 0; i < TW_SENT_JSON; i++)
		json[i] = (char)tap_random(&state);
	tap_ok(tw_sent_encode("t", json, TW_SENT_COMPRESSED, &line) == -E2BIG && !line,
	       "what can't be compressed is not sent");
	in = line_of("t", json, TW_SENT_COMPRESSED - 200);
	feed(&in, &out, 4096);
	tap_is_u64(out.reports.length, TW_SENT_COMPRESSED - 200 + 3, "up to that bound it is");
	free(in.bytes);
	empty(&out);

	add(&endless, TW_SENT_MARK "t:1", sizeof(TW_SENT_MARK) + 2);
	memset(json, '1', TW_SENT_JSON);
	add(&endless, json, TW_SENT_JSON);
	held = feed(&endless, &out, 4096);
	tap_ok(held < MOST_HELD && out.broken == 1 && !out.reports.length,
	       "of an endless line %zu bytes are held at most", held);
	empty(&out);
	free(endless.bytes);
	free(json);
	free(bytes);
}

static void test_hostile_fields(void)
{
	static const char *const fields[] = {
		"0:00000000", "-1:00000000", "99999999:00000000", "262145:00000000", ":", "12",
		"18446744073709551615:0", "4:", "4:zzzzzzzz", "4:00000000", " 4:00000000",
	};
	unsigned reports = 0;

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		struct text in = line_by_hand(fields[i], "abcd", 4);
		struct out out = { 0 };

		feed(&in, &out, 10);
		reports += out.reports.length != 0;
		free(in.bytes);
		empty(&out);
	}
	tap_is_u64(reports, 0, "wrong fields give no report");
}

/* Noise of what the reader searches. Under ASan this finds a read beyond the stream. */
static void test_noise(void)
{
	static const char *const words[] = {
		"tickwise-report:", "tickwise", "-report:", "t:", "1:", "<", "> ", "<h> ", "\n",
		"4:00000000:", "AAAA", "==", "\033[2J", "8:", "a", "\r",
	};
	unsigned wrong = 0, held_too_much = 0;

	for (unsigned i = 0; i < NOISE; i++) {
		struct text in = { 0 };
		struct out all = { .wanted = "none" }, some = { 0 };

		for (uint64_t count = random_below(60); count--;) {
			const char *word = words[random_below(sizeof(words) / sizeof(*words))];

			add(&in, word, random_below(30) ? strlen(word) : strlen(word) + 1);
		}
		held_too_much += feed(&in, &all, 1 + random_below(40)) > 2000;
		feed(&in, &some, 1 + random_below(40));
		wrong += !are_same(&all.passed, &in) || all.broken || some.reports.length ||
			 some.passed.length > in.length;
		free(in.bytes);
		empty(&all);
		empty(&some);
	}
	tap_is_u64(wrong, 0, "noise: what is not wanted passes byte for byte");
	tap_is_u64(held_too_much, 0, "and little of it is held");
}

int main(void)
{
	state = tap_seed();
	test_format();
	test_tokens();
	test_streams();
	test_damaged();
	test_bounds();
	test_hostile_fields();
	test_noise();
	return tap_done();
}
