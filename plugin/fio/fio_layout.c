/* SPDX-License-Identifier: GPL-2.0 */
/* The guards of fio_layout.h: when fio gets the engine, and when it is refused. */
#include <string.h>

#include "fio_layout.h"
#include "message.h"
#include "run_shared.h"

/*
 * The options of the source that this was built with, and their places in struct
 * thread_options. fio's own table has the same of the fio that runs. They differ if fio
 * has one option more or less, even where padding hides the field.
 */
static const struct {
	const char *name;
	size_t offset;
	bool is_optional;	/* some fios of this source lack it */
} known_options[] = {
#include "fio_options.h"
};
#define KNOWN_COUNT	FIO_ARRAY_SIZE(known_options)

/* Return the index of an option, or KNOWN_COUNT. Both tables have the same order, so the
 * search begins at @index. */
static size_t find_known(const char *name, size_t index)
{
	for (size_t i = 0; i < KNOWN_COUNT; i++, index++)
		if (strcmp(known_options[index % KNOWN_COUNT].name, name) == 0)
			return index % KNOWN_COUNT;
	return KNOWN_COUNT;
}

/* Return how this fio differs from the source, with the name of the first such option; NULL:
 * it does not. Options of a profile set another structure. */
static const char *differs_in(const char **name)
{
	bool is_seen[KNOWN_COUNT] = { false };
	const struct fio_option *option;
	size_t i = 0;

	for (option = fio_options; (*name = option->name); option++) {
		size_t found = find_known(option->name, i);

		if (option->prof_name || option->type == FIO_OPT_UNSUPPORTED)
			continue;
		if (found == KNOWN_COUNT && option->off1)
			return "this one has one more option:";
		if (found == KNOWN_COUNT)
			continue;
		if (option->off1 != known_options[found].offset)
			return "this one has another place for option";
		is_seen[found] = true;
		i = found + 1;
	}
	for (i = 0; i < KNOWN_COUNT; i++) {
		*name = known_options[i].name;
		if (!is_seen[i] && !known_options[i].is_optional)
			return "this one lacks option";
	}
	return NULL;
}

int tw_check_layout(const struct thread_data *td)
{
	if (tw_has_our_layout(td))
		return 0;
	tw_message("tickwise: built for the structures of %s, which are "
		"not those of this %s: refused. Type `tickwise build-engine` to build "
		"one for this fio\n", TW_FIO_VERSION, fio_version_string);
	return 1;
}

/*
 * Give fio the engine, or NULL. fio calls this function if a library has no symbol
 * `ioengine`. The library has none on purpose: the function compares versions before
 * fio gets any structure of the engine. After a refusal fio reports a missing engine.
 */
__attribute__((visibility("default")))
void get_ioengine(struct ioengine_ops **ops);

void get_ioengine(struct ioengine_ops **ops)
{
	const bool is_same = !strcmp(fio_version_string, TW_FIO_VERSION);
	const char *option = NULL, *differs = is_same ? differs_in(&option) : NULL;

	*ops = is_same && !differs ? &tw_engine : NULL;
	if (*ops)
		tw_run_begin();
	else if (differs)
		tw_message("tickwise: built with the source of another %s: %s %s: refused. "
			   "Type `tickwise build-engine` to build one for this fio\n",
			   TW_FIO_VERSION, differs, option);
	else
		tw_message("tickwise: built for %s, loaded into %s: refused. Type `tickwise "
			   "build-engine` to build one for this fio\n", TW_FIO_VERSION,
			   fio_version_string);
}
