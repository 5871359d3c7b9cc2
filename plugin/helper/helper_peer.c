/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The helper's checks: see helper_peer.h. Arithmetic and text only.
 */
#include "helper_peer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Read up to @count decimal numbers of one line. Return how many there are. */
static unsigned numbers(const char *text, unsigned long *found, unsigned count)
{
	unsigned seen = 0;
	char *end;

	for (;; text = end) {
		unsigned long number;

		text += strspn(text, " \t");
		if (*text < '0' || *text > '9')
			return seen;
		number = strtoul(text, &end, 10);
		/* If there are more numbers, the last place gets the last number. */
		found[seen < count ? seen : count - 1] = number;
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
	unsigned i;

	if (!numbers(line_of(text, "Tgid"), &process, 1) ||
	    !numbers(line_of(text, "PPid"), &parent, 1) ||
	    numbers(line_of(text, "Uid"), users, 4) != 4)
		return -EINVAL;
	status->levels = numbers(line_of(text, "NSpid"), &own, 1);
	if (!status->levels)
		return -EINVAL;
	status->process = (pid_t)process;
	status->parent = (pid_t)parent;
	status->own_number = (pid_t)own;
	for (i = 0; i < 4; i++)
		status->users[i] = (uid_t)users[i];
	return 0;
}

/* True if all ids of a process are @user. A process that changes its user may act for
 * another user, too. */
static bool is_of_user(const struct tw_helper_status *status, uid_t user)
{
	unsigned i;

	for (i = 0; i < 4; i++)
		if (status->users[i] != user)
			return false;
	return true;
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

static bool is_power_of_two(uint32_t number)
{
	return number && !(number & (number - 1));
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
		if (room->slots)
			return "the program is loaded already";
		if (!question->entries || question->entries > TW_HELPER_MAX_SLOTS)
			return "no room for that many I/Os in flight (65536)";
		return NULL;
	case TW_HELPER_EXPECT:
		if (!room->slots || !is_power_of_two(question->entries) ||
		    question->entries > room->slots - room->given)
			return "more jobs than there is room for";
		return NULL;
	case TW_HELPER_MADE:
		return room->slots ? NULL : "the program is not loaded";
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
