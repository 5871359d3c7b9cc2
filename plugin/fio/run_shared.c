/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The memory that the jobs of one fio share: see run_shared.h.
 *
 * fio may load two or more of Tickwise's engines. Each is a library of its own, with
 * variables of its own. So the memory begins with a name, and the kernel's list of the
 * mappings of a process shows where shared memory is. The engine that fio loads first makes
 * the memory. The next one finds it, as fio loads all engines in the process that starts
 * the jobs. Jobs inherit the mapping, and programs that jobs start do not. The version is
 * part of the name, since another version has another layout.
 *
 * A file in memory would have a name by itself, but it is subject to ulimit -f, whose
 * signal ends fio. Without /proc each engine has memory of its own. Then the last job of
 * one engine does not wait until those of the other have cleaned up.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "run_shared.h"

#define NAME	"tickwise-run-" TW_VERSION

static struct tw_run *run;

/* A line of shared memory is "FROM-TO rw-s OFFSET DEVICE INODE /dev/zero (deleted)". */
static struct tw_run *find(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	struct tw_run *found = NULL;
	void *from, *to;
	char *line = NULL;
	size_t size = 0;

	while (maps && !found && getline(&line, &size, maps) > 0)
		if (strstr(line, " rw-s ") && strstr(line, " /dev/zero ") &&
		    sscanf(line, "%p-%p", &from, &to) == 2 &&
		    (size_t) ((char *) to - (char *) from) >= sizeof(*found) &&
		    !strncmp(from, NAME, sizeof(NAME)))
			found = from;
	free(line);
	if (maps)
		fclose(maps);
	return found;
}

void tw_run_begin(void)
{
	pthread_mutexattr_t shared;
	struct tw_run *made;

	if (!run)
		run = find();
	if (run)
		return;
	made = mmap(NULL, sizeof(*made), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (made == MAP_FAILED)
		return;
	strcpy(made->name, NAME);
	pthread_mutexattr_init(&shared);
	pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&shared, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&made->lock, &shared);
	pthread_mutexattr_destroy(&shared);
	run = made;
}

struct tw_run *tw_run_lock(void)
{
	if (run && pthread_mutex_lock(&run->lock) == EOWNERDEAD)
		pthread_mutex_consistent(&run->lock);
	return run;
}

void tw_run_unlock(struct tw_run *locked)
{
	if (locked)
		pthread_mutex_unlock(&locked->lock);
}
