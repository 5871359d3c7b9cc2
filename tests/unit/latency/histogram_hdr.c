/* SPDX-License-Identifier: MIT */
/*
 * HdrHistogram's text of a histogram: with all digits, random histograms come back bin by
 * bin, our bins have HdrHistogram's indices, and texts that HdrHistogram wrote are read
 * rightly. Texts that it would not write are refused. Fails if a bin moves, a check is
 * missing, or a changed text makes the reader read or write where it must not.
 */
#include <errno.h>
#include <string.h>
#include <zlib.h>

#include "latency/histogram.h"
#include "latency/histogram_hdr.h"
#include "tap.h"

#define MUTATED		20000
#define MOST		4096

struct text {
	char *text;
	size_t length;
};

/* Return the problem; "": the text was read into @into; "?": the test is wrong. */
static const char *read_text(struct tw_histogram *into, const char *text, size_t length)
{
	const char *problem = "";
	struct tw_hdr hdr;
	uint64_t count;
	uint32_t bin;
	int ret = tw_hdr_open(&hdr, text, length, into, &problem);

	if (ret)
		return ret == -EINVAL && *problem ? problem : "?";
	while ((ret = tw_hdr_next(&hdr, &bin, &count, &problem)) > 0)
		if (count == 0 || count > INT64_MAX ||
		    tw_histogram_add_bin(into, bin, count) == -EINVAL)
			problem = "?";
	tw_hdr_close(&hdr);
	return ret && !*problem ? "?" : problem;
}

static struct text write_text(const struct tw_histogram *histogram)
{
	struct text text = { .text = malloc(tw_hdr_room(histogram)) };

	text.length = tw_hdr_encode(histogram, text.text);
	return text;
}

/* ---- back and forth ------------------------------------------------------ */

static void check_back(const struct tw_histogram *histogram, const char *what)
{
	const struct text text = write_text(histogram);
	struct tw_histogram back;
	const char *problem;

	tw_histogram_init(&back, histogram->digits);
	problem = read_text(&back, text.text, text.length);
	tap_ok(!*problem && back.count == histogram->count &&
	       !memcmp(back.bins, histogram->bins,
		       back.bin_count * sizeof(*back.bins)),
	       "%u digits, %s: read back: %s", histogram->digits, what, problem);
	tw_histogram_free(&back);
	free(text.text);
}

/* HdrHistogram refuses a largest value below 2. It is in bytes 39 to 46 of the text. */
static void check_least(void)
{
	struct tw_histogram histogram;
	struct text text;

	tw_histogram_init(&histogram, 3);
	tw_histogram_add(&histogram, 1);
	text = write_text(&histogram);
	tap_ok(!strncmp(&text.text[52], "AAAAAAAAAAI/", 12),
	       "of a value of 1 the largest that is tracked is 2");
	free(text.text);
	tw_histogram_free(&histogram);
}

static void check_digits(unsigned digits, uint64_t *state)
{
	struct tw_histogram histogram;

	tw_histogram_init(&histogram, digits);
	check_back(&histogram, "empty");
	for (unsigned i = 0; i < 20000; i++) {
		const uint64_t random = tap_random(state);

		tw_histogram_add(&histogram, random >> (1 + random % 63));
		if (i == 0 || i == 1 || i == 100)
			check_back(&histogram, "some values");
	}
	check_back(&histogram, "20000 values");
	tw_histogram_clear_used(&histogram);
	tw_histogram_add(&histogram, INT64_MAX);
	check_back(&histogram, "the largest value");
	tap_ok(tw_hdr_can(&histogram), "which it can have");
	histogram.count = INT64_MAX;
	histogram.bins[tw__histogram_bin(&histogram, INT64_MAX)] = histogram.count;
	check_back(&histogram, "as often as possible");
	tw_histogram_add(&histogram, 1);
	tap_ok(!tw_hdr_can(&histogram), "one more can not be written");
	tw_histogram_clear_used(&histogram);
	tw_histogram_add(&histogram, 1ULL << 63);
	tap_ok(!tw_hdr_can(&histogram), "nor 2^63");
	tw_histogram_free(&histogram);
}

/* Return the index of HdrHistogram's bin, by its definition: a bucket has as many bins as
 * the first power of two at or above 2 x 10^digits. The first bucket has one for each
 * value. Each further one covers twice the values, and of its bins only the upper half
 * are new. */
static uint64_t hdr_index(unsigned digits, uint64_t value)
{
	uint64_t wanted = 2, bins = 1, width = 1, before = 0;

	while (digits--)
		wanted *= 10;
	while (bins < wanted)
		bins *= 2;
	for (; value / width >= bins; width *= 2)
		before += bins / 2;
	return before + value / width;
}

static void check_index(unsigned digits, uint64_t *state)
{
	struct tw_histogram histogram;
	unsigned wrong = 0;

	tw_histogram_init(&histogram, digits);
	for (uint64_t i = 0; i < 200000; i++) {
		const uint64_t far = tap_random(state) >> (1 + i % 63);

		wrong += tw__histogram_bin(&histogram, i) != hdr_index(digits, i);
		wrong += tw__histogram_bin(&histogram, far) != hdr_index(digits, far);
	}
	tap_ok(!wrong, "%u digits: HdrHistogram's indices", digits);
	tw_histogram_free(&histogram);
}

/* ---- texts of others ----------------------------------------------------- */

/* Written by HdrHistogram 2.1.11 for Java: 0, 5, 1001000 and a third of 2^63 - 1 once,
 * 1000 300 times, 3 as often as 2^40. */
static const char *const of_java[] = {
	"HISTFAAAAC94nJNpmSzMwMAgwgABjDDa/j8E2H+ACDAxN4CAAwPTRcYbLLuZmFZzMQEAmMcPrw==",
	"HISTFAAAAC94nJNpmSzMwMAgwgABTFCa0f4/BNh/gEowN4CAAwPTc/YbLB+FmV4GMQEAnOkQmQ==",
	"HISTFAAAADJ4nJNpmSzMwMAgxgABzFCa0f4/BNh/gAgwMTeAgAMD02H+Gyyf5zEyPZzGygQAwLgRTw==",
	"HISTFAAAADJ4nJNpmSzMwMAgxgABLFCa0f4/BNh/gAgwMTeAgAMD02H+Gyz9N3mZjr4JYgIAwNgRug==",
	"HISTFAAAADN4nJNpmSzMwMAgzgABrFCa0f4/BNh/gAgwMTeAgAMD02H+GywHt9kx7X0yjZUJANWHEjU=",
};

/* From a log of jHiccup 2.0.7, among HdrHistogram's tests: 20 us is its narrowest bin. */
static const char of_jhiccup[] =
	"HISTFAAAAEV42pNpmSzMwMCgyAABTBDKT4GBgdnNYMcCBvsPEBEJISEuATEZMQ4uASkhIR4nrxg9v2lMaxhv"
	"MekILGZkKmcCAEf2CsI=";

static void check_java(unsigned digits)
{
	static const struct {
		uint64_t value, count;
	} has[] = {
		{ 0, 1 }, { 3, 1ULL << 40 }, { 5, 1 }, { 1000, 300 }, { 1001000, 1 },
		{ INT64_MAX / 3, 1 },
	};
	const char *text = of_java[digits - 1];
	struct tw_histogram histogram;
	const char *problem;
	unsigned wrong = 0;

	tw_histogram_init(&histogram, digits);
	problem = read_text(&histogram, text, strlen(text));
	for (unsigned i = 0; i < sizeof(has) / sizeof(*has); i++)
		wrong += histogram.bins[tw__histogram_bin(&histogram, has[i].value)] !=
			 has[i].count;
	tap_ok(!*problem && !wrong && histogram.count == (1ULL << 40) + 304,
	       "%u digits: what HdrHistogram wrote: %s", digits, problem);
	tw_histogram_free(&histogram);
}

/* ---- hostile texts ------------------------------------------------------- */

static size_t to_base64(char *text, const unsigned char *bytes, size_t size)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t length = 0;

	for (size_t i = 0; i < 8 * size; i += 6) {
		unsigned six = 0;

		for (size_t bit = i; bit < i + 6; bit++)
			six = six << 1 | (bit < 8 * size &&
					  bytes[bit / 8] >> (7 - bit % 8) & 1);
		text[length++] = digits[six];
	}
	while (length % 4)
		text[length++] = '=';
	text[length] = '\0';
	return length;
}

/* The parts of a text, with lengths that a test may set otherwise. */
struct parts {
	unsigned char inner[MOST];
	size_t size;
	int more;		/* to the stated lengths */
	int inner_more;
	size_t trailing;	/* bytes after the zlib stream */
	uint32_t cookie;
};

static struct parts good_parts(void)
{
	/* 3 digits: 2 values of 0, none of 1 to 8, 3 of 9. */
	static const unsigned char inner[] = {
		0x1c, 0x84, 0x93, 0x13, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 3,
		0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 9,
		0x3f, 0xf0, 0, 0, 0, 0, 0, 0, 4, 15, 6,
	};
	struct parts parts = { .size = sizeof(inner), .cookie = 0x1c849314 };

	memcpy(parts.inner, inner, sizeof(inner));
	return parts;
}

static size_t put_parts(char *text, const struct parts *parts)
{
	unsigned char outer[2 * MOST] = { 0 }, inner[MOST];
	uLongf size = sizeof(outer) - 8;
	uint32_t stated;

	memcpy(inner, parts->inner, sizeof(inner));
	inner[7] = (unsigned char)(inner[7] + parts->inner_more);
	compress2(&outer[8], &size, inner, parts->size, 6);
	stated = (uint32_t)(size + parts->trailing) + (uint32_t)parts->more;
	for (int i = 0; i < 4; i++) {
		outer[i] = (unsigned char)(parts->cookie >> (24 - 8 * i));
		outer[4 + i] = (unsigned char)(stated >> (24 - 8 * i));
	}
	return to_base64(text, outer, 8 + size + parts->trailing);
}

/* @reason: NULL: it is taken. */
static void check_text(const char *text, const char *reason, const char *what)
{
	struct tw_histogram histogram;
	const char *problem;

	tw_histogram_init(&histogram, 3);
	problem = read_text(&histogram, text, strlen(text));
	tap_ok(reason ? strstr(problem, reason) != NULL : !*problem, "%s: %s", what,
	       problem);
	tw_histogram_free(&histogram);
}

static void check_parts(const struct parts *parts, const char *reason, const char *what)
{
	char text[4 * MOST];

	put_parts(text, parts);
	check_text(text, reason, what);
}

/* Change one byte of the inner part. */
static void check_inner(unsigned at, unsigned char value, const char *reason,
			const char *what)
{
	struct parts parts = good_parts();

	parts.inner[at] = value;
	check_parts(&parts, reason, what);
}

static void check_lengths(void)
{
	struct parts parts = good_parts();

	check_parts(&parts, NULL, "the good one");
	parts.more = 1;
	check_parts(&parts, "another length", "one byte less than stated");
	parts.more = -1;
	check_parts(&parts, "another length", "one byte more than stated");
	parts.more = 0;
	parts.trailing = 1;
	check_parts(&parts, "or more than that", "one byte after the stream");
	parts.trailing = 0;
	parts.inner_more = 1;
	check_parts(&parts, "another length", "one byte of counts less");
	parts.inner_more = -1;
	check_parts(&parts, "another length", "one byte of counts more");
	parts.inner_more = 0;
	parts.cookie ^= 7;
	check_parts(&parts, "not the base64 of", "another version");
	parts = good_parts();
	parts.size = 39;
	check_parts(&parts, "does not hold", "no counts, and half a header");
	parts.size = 0;
	check_parts(&parts, "does not hold", "nothing");
}

static void check_headers(void)
{
	check_inner(3, 0x03, "does not hold", "another inner version");
	check_inner(11, 1, "other bins", "an offset");
	check_inner(15, 4, "other bins", "other digits");
	check_inner(15, 0, "other bins", "no digits");
	check_inner(23, 2, "other bins", "wider bins");
	check_inner(24, 0x80, "other bins", "a highest value that is negative");
	check_inner(33, 0xf1, "other bins", "values that are multiplied");
	check_inner(31, 8, "more bins", "a bin above the highest value");
	check_inner(31, 10, NULL, "a highest value that is higher");
	check_inner(41, 0x7f, "more bins", "empty bins above the highest value");
	check_inner(42, 0x86, "within a number", "a number without an end");
	check_inner(42, 0, NULL, "0 for one empty bin, as Java writes it");
}

static void check_numbers(void)
{
	struct parts parts = good_parts();

	/* The largest negative number, in 9 bytes. */
	memset(&parts.inner[40], 0xff, 9);
	parts.size = 49;
	parts.inner[7] = 9;
	check_parts(&parts, "more bins", "2^63 empty bins");
	parts.inner[40] = 0xfe;
	check_parts(&parts, NULL, "2^63 - 1 values");
	memset(&parts.inner[40], 1, 2000);
	parts.size = 2040;
	parts.inner[6] = 7;
	parts.inner[7] = 0xd0;
	check_parts(&parts, "more bins", "2000 numbers for 10 bins");
}

static void check_base64(void)
{
	char text[4 * MOST];
	const struct parts parts = good_parts();
	size_t length = put_parts(text, &parts), end = strcspn(text, "=");

	check_text("", "not the base64 of", "no text");
	check_text("HISTFAAAAAA=", "or more than that", "no stream");
	check_text("====", "not the base64 of", "only padding");
	check_text(of_jhiccup, "other bins", "a text of jHiccup");
	tap_ok(end < length, "the good one has padding");
	text[end - 1]++;
	check_text(text, "not the base64 of", "a bit of the last digit that no byte has");
	text[end - 1]--;
	text[end] = '\0';
	check_text(text, "not the base64 of", "no padding");
	put_parts(text, &parts);
	for (const char *bad = " \n-_=.\x7f\xff"; *bad; bad++) {
		text[20] = *bad;
		check_text(text, "not the base64 of", "a character that is no digit");
	}
}

/* A short text of many bytes. */
static void check_bomb(void)
{
	const size_t size = 64 << 20;
	unsigned char *zeros = calloc(1, size), *outer = malloc(1 << 20);
	char *text = malloc(1 << 20);
	uLongf stream = (1 << 20) - 8;

	compress2(&outer[8], &stream, zeros, size, 9);
	memcpy(outer, (const unsigned char[]) {
		0x1c, 0x84, 0x93, 0x14, 0, (unsigned char)(stream >> 16),
		(unsigned char)(stream >> 8), (unsigned char)stream }, 8);
	to_base64(text, outer, 8 + stream);
	check_text(text, "no zlib stream", "64 MiB of zeros");
	free(text);
	free(outer);
	free(zeros);
}

static size_t mutate(unsigned char *bytes, size_t size, uint64_t *state)
{
	for (uint64_t n = 1 + tap_random(state) % 4; n; n--) {
		const size_t at = tap_random(state) % size;
		const uint64_t how = tap_random(state) % 8;

		if (how == 0)
			size = at + 1;
		else
			bytes[at] = (unsigned char)(how < 5 ? tap_random(state) :
				bytes[at] ^ 1U << tap_random(state) % 8);
	}
	return size;
}

/* Half of the texts are changed as texts, half below the zlib stream and its sum, with
 * right lengths. */
static void check_mutated(uint64_t *state)
{
	unsigned taken = 0, wrong = 0;
	struct tw_histogram into;

	tw_histogram_init(&into, 3);
	for (unsigned i = 0; i < MUTATED; i++) {
		struct parts parts = good_parts();
		char text[4 * MOST];
		const char *problem;
		size_t length;

		if (i % 2) {
			parts.size = 40 + mutate(&parts.inner[40], 60, state);
			parts.inner[7] = (unsigned char)(parts.size - 40);
			if (i % 4 == 1)
				mutate(parts.inner, 40, state);
			else
				parts.inner[24] = 0x7f;
		}
		length = put_parts(text, &parts);
		if (i % 2 == 0)
			length = mutate((unsigned char *)text, length, state);
		problem = read_text(&into, text, length);
		taken += !*problem;
		wrong += !strcmp(problem, "?");
		tw_histogram_clear_all(&into);
	}
	tap_ok(!wrong && taken && taken < MUTATED, "%u texts with changes, of which %u are "
	       "taken", MUTATED, taken);
	tw_histogram_free(&into);
}

int main(void)
{
	uint64_t state = tap_seed();

	for (unsigned digits = 1; digits <= 5; digits++) {
		check_digits(digits, &state);
		check_index(digits, &state);
		check_java(digits);
	}
	check_least();
	check_lengths();
	check_headers();
	check_numbers();
	check_base64();
	check_bomb();
	check_mutated(&state);
	return tap_done();
}
