/* SPDX-License-Identifier: GPL-2.0 */
/* The helper's checks: see helper.h. Arithmetic and text only. */
#include "helper.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Read up to @count decimal numbers of one line. Return how many there are. */
static unsigned numbers(const char *text, unsigned long *found, unsigned count)
{
	unsigned seen = 0;
	char *end;

	for (;; text = end) {
		text += strspn(text, " \t");
		if (*text < '0' || *text > '9')
			return seen;
		/* If there are more numbers, the last place gets the last number. */
		found[seen < count ? seen : count - 1] = strtoul(text, &end, 10);
		seen++;
	}
}

/* Return the text after "NAME:"; "" if there is no such line. */
static const char *line_of(const char *text, const char *name)
{
	const size_t length = strlen(name);

	for (; text; text = strchr(text, '\n')) {
		text += *text == '\n';
		if (strncmp(text, name, length) == 0 && text[length] == ':')
			return text + length + 1;
	}
	return "";
}

int tw_helper_read_status(const char *text, struct tw_helper_status *status)
{
	unsigned long process, parent, users[4], own;
	const unsigned levels = numbers(line_of(text, "NSpid"), &own, 1);

	if (!levels || !numbers(line_of(text, "Tgid"), &process, 1) ||
	    !numbers(line_of(text, "PPid"), &parent, 1) ||
	    numbers(line_of(text, "Uid"), users, 4) != 4)
		return -EINVAL;
	*status = (struct tw_helper_status) {
		.process = (pid_t)process, .parent = (pid_t)parent, .levels = levels,
		.own_number = (pid_t)own, .users = { (uid_t)users[0], (uid_t)users[1],
						     (uid_t)users[2], (uid_t)users[3] },
	};
	return 0;
}

/* True if all ids of a process are @user. A process that changes its user may act for
 * another user, too. */
static bool is_of_user(const struct tw_helper_status *status, uid_t user)
{
	return status->users[0] == user && status->users[1] == user &&
	       status->users[2] == user && status->users[3] == user;
}

const char *tw_helper_check_peer(const struct tw_helper_peer *peer,
				 const struct tw_helper_status *status)
{
	if (status->process != peer->process)
		return "the process that asks is gone";
	if (!is_of_user(status, peer->user))
		return "the process that asks changes its user";
	return NULL;
}

const char *tw_helper_check_sender(const struct tw_helper_peer *peer, uid_t user,
				   const struct tw_helper_status *status)
{
	if (user != peer->user || !is_of_user(status, peer->user))
		return "the job is another user's";
	if (status->process != peer->process && status->parent != peer->process)
		return "the job is no child of the fio that asked";
	if (status->levels != peer->levels)
		return "the job is in another namespace of processes";
	return NULL;
}

const char *tw_helper_check_question(const struct tw_helper_question *question,
				     size_t size, const struct tw_helper_room *room)
{
	if (size < sizeof(question->version) ||
	    question->version != TW_HELPER_VERSION)
		return "it is of another version of tickwise";
	if (size != sizeof(*question))
		return "the question is no question";
	switch (question->what) {
	case TW_HELPER_LOAD:
		if (room->entries)
			return "the program is loaded already";
		if (!question->entries || question->entries > TW_HELPER_MAX_ENTRIES)
			return "no room for that many I/Os in flight (65536)";
		return NULL;
	case TW_HELPER_EXPECT:
		/* A power of two. */
		if (!room->entries || __builtin_popcount(question->entries) != 1 ||
		    question->entries > room->entries - room->given)
			return "more jobs than there is room for";
		return NULL;
	case TW_HELPER_MADE:
		return room->entries ? NULL : "the program is not loaded";
	default:
		return "the question is no question";
	}
}

bool tw_helper_is_guest(const struct tw_helper_guests *guests, uid_t user,
			const gid_t *groups, size_t count)
{
	size_t i;

	if (user == 0 || user == guests->self)
		return true;
	if (!guests->has_group)
		return user == guests->user;
	for (i = 0; i < count; i++)
		if (groups[i] == guests->group)
			return true;
	return false;
}

int tw_helper_find_place(const struct tw_helper_place places[TW_HELPER_PLACES],
			 uid_t user)
{
	int free = -1, own = -1, i;
	unsigned of_user = 0;

	for (i = 0; i < TW_HELPER_PLACES; i++) {
		const bool is_free = !places[i].process && !places[i].old_map;

		if (is_free)
			free = i;
		else if (places[i].user == user && !places[i].process)
			own = i;
		of_user += !is_free && places[i].user == user;
	}
	return of_user < TW_HELPER_PLACES_OF_USER && free >= 0 ? free : own;
}

bool tw_helper_may_print(struct tw_helper_lines *lines, uint64_t now_s,
			 unsigned *left_out)
{
	*left_out = 0;
	if (now_s - lines->begin_s >= TW_HELPER_LOG_S) {
		*left_out = lines->left_out;
		*lines = (struct tw_helper_lines) { .begin_s = now_s };
	}
	if (lines->printed >= TW_HELPER_LOG_LINES) {
		lines->left_out++;
		return false;
	}
	lines->printed++;
	return true;
}
