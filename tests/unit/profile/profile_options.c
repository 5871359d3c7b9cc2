/* SPDX-License-Identifier: MIT */
/*
 * The words of TICKWISE_PROFILE: each is read, a wrong one is named and the others
 * still count. Fails if a number wraps, if a unit is taken for another, or if a
 * value is taken that is none.
 */
#include <errno.h>
#include <string.h>

#include "profile/profile.h"
#include "tap.h"

static struct tw_profile_options options;
static const char *wrong;

static int parse(const char *text)
{
	wrong = NULL;
	return tw_profile_options_parse(&options, text, &wrong);
}

static void understood(void)
{
	tap_ok(parse(NULL) == 0 && parse("") == 0 && parse(",,") == 0 &&
	       options.fence == TW_PROFILE_FENCE_FULL && options.depth == 65536 &&
	       options.memory_bytes == 512 << 20 && !options.off && !options.events &&
	       !options.histogram_digits && !options.throttle_calls && !options.file[0] &&
	       !options.filter[0], "nothing: all is as the manual has it");
	tap_ok(parse("fence=rdtscp,depth=12,memory=3M,events=5K,events-above=700,histogram=3,"
		     "throttle=100:2K,file=/a b,filter=c") == 0 &&
	       options.fence == TW_PROFILE_FENCE_RDTSCP && options.depth == 12 &&
	       options.memory_bytes == 3 << 20 && options.events == 5 << 10 &&
	       options.event_min_ns == 700 && options.histogram_digits == 3 &&
	       options.throttle_calls == 100 && options.throttle_ns == 2048 &&
	       !strcmp(options.file, "/a b") && !strcmp(options.filter, "c"),
	       "every word has its value");
	tap_ok(parse("histogram,events,fence=none") == 0 && options.histogram_digits == 2 &&
	       options.events == 1000000 && options.fence == TW_PROFILE_FENCE_NONE,
	       "and its default");
	tap_ok(parse("events-above=3,memory=1G") == 0 && options.events == 1000000 &&
	       options.memory_bytes == 1 << 30, "events above a length are events");
	tap_ok(parse("off,depth=7") == 0 && options.off && options.depth == 7, "off");
}

static void refused(void)
{
	static const char *const texts[] = {
		"x", "=", "off=1", "fence", "fence=", "fence=ful", "fence=fullx",
		"depth", "depth=", "depth=0", "depth=-1", "depth=1x", "depth=x",
		"depth=100000001", "depth=18446744073709551617", "depth=1KK",
		"memory=1", "memory=17179869185G", "memory=9223372036854775808",
		"histogram=", "histogram=0", "histogram=4", "events=0",
		"throttle=", "throttle=1", "throttle=1:", "throttle=:1",
		"throttle=0:1", "throttle=1:2:3", "file=", "filter=", "Off",
	};
	char text[64];

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		snprintf(text, sizeof(text), "depth=9,%s,fence=none", texts[i]);
		tap_ok(parse(text) == -EINVAL && wrong == text + 8 &&
		       options.depth == 9 &&
		       options.fence == TW_PROFILE_FENCE_NONE,
		       "'%s' alone is left out", texts[i]);
	}
	parse("bad=1,worse=2");
	tap_ok(wrong && !strncmp(wrong, "bad", 3), "the first is shown");
}

static void too_long(void)
{
	static char text[PATH_MAX + 16] = "file=";

	memset(text + 5, 'x', PATH_MAX);
	tap_ok(parse(text) == -EINVAL && !options.file[0], "a path too long");
	text[5 + PATH_MAX - 1] = 0;
	tap_ok(parse(text) == 0 && strlen(options.file) == PATH_MAX - 1,
	       "and the longest");
}

int main(void)
{
	understood();
	refused();
	too_long();
	return tap_done();
}
