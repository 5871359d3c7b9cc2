/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The guards of guards.h: when fio gets the engine, and when it is refused.
 */
#include <string.h>

#include "fio_run.h"
#include "guards.h"

/*
 * Options whose places are compared. fio's own table tells the offset of each option
 * in struct thread_options. These options are spread over the whole structure, and
 * every fio since 3.33 has them. They find a field more or less that the padding at the
 * end of the structure hides; the place of io_ops does not change then.
 */
static const struct {
	const char *name;
	size_t offset;
} known_options[] = {
	{ "iodepth", offsetof(struct thread_options, iodepth) },
	{ "direct", offsetof(struct thread_options, odirect) },
	{ "verify", offsetof(struct thread_options, verify) },
	{ "thread", offsetof(struct thread_options, use_thread) },
	{ "ramp_time", offsetof(struct thread_options, ramp_time) },
	{ "rate_process", offsetof(struct thread_options, rate_process) },
	{ "log_offset", offsetof(struct thread_options, log_offset) },
};

/* Return the name of the first option that this fio has at another place, or NULL. */
static const char *keeps_elsewhere(void)
{
	const struct fio_option *option;
	size_t i;

	for (option = fio_options; option->name; option++)
		for (i = 0; i < FIO_ARRAY_SIZE(known_options); i++)
			if (strcmp(option->name, known_options[i].name) == 0 &&
			    option->off1 != known_options[i].offset)
				return option->name;
	return NULL;
}

int tw_check_layout(const struct thread_data *td)
{
	if (tw_has_our_layout(td))
		return 0;
	tw_message("tickwise: built for the structures of %s, which are "
		"not those of this %s: type `tickwise build-engine` to build one "
		"for this fio\n", TW_FIO_VERSION, fio_version_string);
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
	const char *option = is_same ? keeps_elsewhere() : NULL;

	*ops = is_same && !option ? &tw_engine : NULL;
	if (*ops)
		tw_run_begin();
	else if (option)
		tw_message("tickwise: built with the source of another %s: this one keeps "
			   "option %s elsewhere: refused. Type `tickwise build-engine` to "
			   "build one for this fio\n", TW_FIO_VERSION, option);
	else
		tw_message("tickwise: built for %s, loaded into %s: refused. Type `tickwise "
			   "build-engine` to build one for this fio\n", TW_FIO_VERSION,
			   fio_version_string);
}
