/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The guards of guards.h: how fio gets an engine, and when it does not.
 */
#include <stdio.h>
#include <string.h>

#include "guards.h"
#include "run_end.h"

int tw_check_layout(const struct thread_data *td)
{
	if (tw_has_our_layout(td))
		return 0;
	fprintf(stderr, "tickwise: built for the structures of %s, which are "
		"not those of this %s: build it again with FIO_SRC= naming "
		"this fio's own source\n", TW_FIO_VERSION, fio_version_string);
	return 1;
}

/*
 * What fio calls when a library has no symbol `ioengine`. The detour is the
 * point: here the version can be compared while fio holds nothing of ours, and
 * a refusal is an engine that is not there.
 */
__attribute__((visibility("default")))
void get_ioengine(struct ioengine_ops **ops);

void get_ioengine(struct ioengine_ops **ops)
{
	if (strcmp(fio_version_string, TW_FIO_VERSION) != 0) {
		fprintf(stderr, "tickwise: built for %s, loaded into %s: "
			"refused. Build it for this one with make FIO=... or "
			"FIO_SRC=...\n", TW_FIO_VERSION, fio_version_string);
		*ops = NULL;
		return;
	}
	tw_run_begin();
	*ops = &tw_engine;
}
