/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: /proc and the message on the socket decide who may ask the kernel
 * helper, and for what. Defect: a process of another user, a program that changes
 * its user, a stranger's child, or a namespace of another process is taken for a
 * job; more entries than a connection has; a size that is no power of two; a text
 * that is cut off is read. A user outside of the group is let in; a place is given
 * away while its memory is in use, or one user gets all; the log has no limit.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "helper/helper.h"
#include "tap.h"

#define TEXT(pids, users) "Name:\tfio\nUmask:\t0022\nTgid:\t100\nNgid:\t0\n" \
	"Pid:\t101\nPPid:\t50\nTracerPid:\t0\nUid:\t" users "\n" \
	"Gid:\t7\t7\t7\t7\nGroups:\t7 8 \n" pids "NSsid:\t1\n"

static void texts(void)
{
	static const char *const bad[] = {
		"", "\n", "Tgid:", "Tgid:\t100\nPPid:\t50\nUid:\t1\t1\t1\t1\n",
		"Tgid:\t100\nPPid:\t50\nUid:\t1\t1\t1\nNSpid:\t1\n",
		"Tgid:\t100\nUid:\t1\t1\t1\t1\nNSpid:\t1\n",
		"Tgid:\t-1\nPPid:\t50\nUid:\t1\t1\t1\t1\nNSpid:\t1\n",
		/* A process may give itself any name. */
		"Name:\tUid:\t0\t0\t0\t0\nTgid:\t100\nPPid:\t50\nNSpid:\t1\n",
	};
	struct tw_helper_status status;

	tap_ok(!tw_helper_read_status(TEXT("NSpid:\t101\n", "1\t2\t3\t4"),
				      &status) &&
	       status.process == 100 && status.parent == 50 &&
	       status.users[0] == 1 && status.users[1] == 2 &&
	       status.users[2] == 3 && status.users[3] == 4 &&
	       status.levels == 1 && status.own_number == 101, "a thread");
	tap_ok(!tw_helper_read_status(TEXT("NSpid:\t101\t12\t3\n", "1\t1\t1\t1"),
				      &status) &&
	       status.levels == 3 && status.own_number == 3,
	       "one in a namespace of a namespace");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		tap_ok(tw_helper_read_status(bad[i], &status) == -EINVAL,
		       "no status: %zu", i + 1);
}

static void who(void)
{
	static const struct {
		pid_t process, parent;
		uid_t user, sender;
		unsigned levels;
		bool is_peer, may_ask;
		const char *what;
	} cases[] = {
		{ 100, 50, 7, 7, 2, true, true, "the peer" },
		{ 200, 100, 7, 7, 2, false, true, "its child" },
		{ 200, 100, 7, 8, 2, false, false, "in the name of another user" },
		{ 200, 100, 7, 7, 3, false, false, "from a namespace of its own" },
		{ 200, 100, 7, 7, 1, false, false, "from a namespace above" },
		{ 200, 50, 7, 7, 2, false, false, "its brother" },
		{ 200, 100, 8, 8, 2, false, false, "another user's child" },
		{ 100, 50, 8, 7, 2, false, false, "another user" },
	};
	const struct tw_helper_peer peer = { .process = 100, .user = 7, .levels = 2 };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const uid_t user = cases[i].user;
		struct tw_helper_status status = {
			.process = cases[i].process, .parent = cases[i].parent,
			.levels = cases[i].levels, .users = { user, user, user, user },
		};

		tap_ok(!tw_helper_check_peer(&peer, &status) == cases[i].is_peer &&
		       !tw_helper_check_sender(&peer, cases[i].sender, &status) ==
		       cases[i].may_ask, "%s", cases[i].what);
		for (unsigned j = 0; j < 4 && cases[i].is_peer; j++) {
			status.users[j] = 0;
			tap_ok(tw_helper_check_peer(&peer, &status) &&
			       tw_helper_check_sender(&peer, 7, &status),
			       "not if it is root by its user %u", j);
			status.users[j] = user;
		}
	}
}

static void what(void)
{
	static const struct {
		uint32_t what, asked, entries, given;
		bool good;
	} questions[] = {
		{ TW_HELPER_LOAD, 1, 0, 0, true },
		{ TW_HELPER_LOAD, 3, 0, 0, true },
		{ TW_HELPER_LOAD, TW_HELPER_MAX_ENTRIES, 0, 0, true },
		{ TW_HELPER_LOAD, TW_HELPER_MAX_ENTRIES + 1, 0, 0, false },
		{ TW_HELPER_LOAD, UINT32_MAX, 0, 0, false },
		{ TW_HELPER_LOAD, 0, 0, 0, false },
		{ TW_HELPER_LOAD, 1, 1, 0, false },
		{ TW_HELPER_EXPECT, 1, 0, 0, false },
		{ TW_HELPER_EXPECT, 64, 64, 0, true },
		{ TW_HELPER_EXPECT, 64, 127, 63, true },
		{ TW_HELPER_EXPECT, 64, 127, 64, false },
		{ TW_HELPER_EXPECT, 1, 64, 64, false },
		{ TW_HELPER_EXPECT, 0, 64, 0, false },
		{ TW_HELPER_EXPECT, 3, 64, 0, false },
		{ TW_HELPER_EXPECT, 1U << 31, 64, 0, false },
		{ TW_HELPER_EXPECT, UINT32_MAX, 64, 0, false },
		{ TW_HELPER_MADE, 0, 64, 64, true },
		{ TW_HELPER_MADE, 0, 0, 0, false },
		{ 0, 1, 64, 0, false },
		{ 4, 1, 64, 0, false },
		{ UINT32_MAX, 1, 64, 0, false },
	};
	struct tw_helper_question question = { .version = TW_HELPER_VERSION };
	const struct tw_helper_room none = { 0, 0 };

	for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++) {
		const struct tw_helper_room room = {
			questions[i].entries, questions[i].given,
		};

		question.what = questions[i].what;
		question.entries = questions[i].asked;
		tap_ok(!tw_helper_check_question(&question, sizeof(question),
						 &room) == questions[i].good,
		       "question %u of %u with %u of %u given: %s", question.what,
		       question.entries, room.given, room.entries,
		       questions[i].good ? "good" : "refused");
	}
	question.what = TW_HELPER_LOAD;
	question.entries = 1;
	for (size_t size = 0; size < sizeof(question) + 3; size++)
		tap_ok(!tw_helper_check_question(&question, size, &none) ==
		       (size == sizeof(question)), "of %zu bytes", size);
	question.version++;
	tap_ok(tw_helper_check_question(&question, sizeof(question), &none) != NULL,
	       "of another version");
}

static void guests(void)
{
	const struct tw_helper_guests user = { .self = 5, .user = 7 };
	const struct tw_helper_guests group = {
		.self = 5, .user = 7, .group = 70, .has_group = true,
	};
	const gid_t none[] = { 7, 71 }, member[] = { 7, 71, 70 };

	tap_ok(tw_helper_is_guest(&user, 7, none, 2) &&
	       tw_helper_is_guest(&user, 0, none, 2) &&
	       tw_helper_is_guest(&user, 5, none, 2), "the user, root and the helper's own");
	tap_ok(!tw_helper_is_guest(&user, 8, member, 3), "no other user");
	tap_ok(tw_helper_is_guest(&group, 8, member, 3) &&
	       tw_helper_is_guest(&group, 0, none, 2), "a member of the group, and root");
	tap_ok(!tw_helper_is_guest(&group, 8, none, 2) &&
	       !tw_helper_is_guest(&group, 8, NULL, 0), "nobody else");
	tap_ok(!tw_helper_is_guest(&group, 7, none, 2), "with a group no user");
}

/* Give places to @count fios of a user. Return how many got one. */
static unsigned take(struct tw_helper_place *places, uid_t user, unsigned count)
{
	unsigned taken = 0;

	for (; count; count--) {
		const int place = tw_helper_find_place(places, user);

		if (place >= 0) {
			places[place].process = 1;
			places[place].user = user;
			taken++;
		}
	}
	return taken;
}

static void places(void)
{
	struct tw_helper_place places[TW_HELPER_PLACES] = { { 0 } };
	int place, other;

	tap_ok(take(places, 7, 9) == 4, "4 places of 8 for a user");
	tap_ok(take(places, 8, 3) == 3 && take(places, 9, 2) == 1, "the rest for others");
	tap_ok(tw_helper_find_place(places, 10) == -1, "and no more");
	for (place = 0; places[place].user != 7; place++)
		;
	places[place].process = 0;
	places[place].old_map = 100;
	tap_ok(tw_helper_find_place(places, 10) == -1,
	       "a place whose memory is in use is not for others");
	tap_ok(tw_helper_find_place(places, 7) == place, "its user may wait for it");
	tap_ok(take(places, 7, 9) == 1, "but once");
	places[place].process = 0;
	for (other = 0; places[other].user != 8; other++)
		;
	places[other] = (struct tw_helper_place) { .process = 0 };
	tap_ok(tw_helper_find_place(places, 7) == place,
	       "and gets no other place before it is gone");
	places[place].old_map = 0;
	tap_ok(take(places, 10, 9) == 2, "then it is free");
}

static void lines(void)
{
	struct tw_helper_lines lines = { .begin_s = 0 };
	unsigned printed = 0, left_out, i;

	for (i = 0; i < 1000; i++) {
		printed += tw_helper_may_print(&lines, 5000, &left_out);
		if (left_out)
			break;
	}
	tap_ok(printed == TW_HELPER_LOG_LINES && i == 1000, "1000 lines: %u", printed);
	tap_ok(!tw_helper_may_print(&lines, 5000 + TW_HELPER_LOG_S - 1, &left_out),
	       "none until the time is over");
	tap_ok(tw_helper_may_print(&lines, 5000 + TW_HELPER_LOG_S, &left_out) &&
	       left_out == 1001 - TW_HELPER_LOG_LINES, "then %u are left out", left_out);
	tap_ok(tw_helper_may_print(&lines, 5000 + TW_HELPER_LOG_S, &left_out) &&
	       !left_out, "which is told once");
}

int main(void)
{
	texts();
	who();
	what();
	guests();
	places();
	lines();
	return tap_done();
}
