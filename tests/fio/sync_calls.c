/* SPDX-License-Identifier: MIT */
/*
 * sync_calls FILE COUNT THREADS: each thread writes a file of its own, FILE and its number
 * from 0, and calls fsync(2) and fdatasync(2) COUNT times each.
 * sync_calls -: calls both where they fail.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST	8

static const char *path;
static int count;

static void *sync_file(void *number)
{
	char name[4096];
	int file;

	snprintf(name, sizeof(name), "%s%ld", path, (long)number);
	file = open(name, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	for (int i = 0; i < 2 * count; i++) {
		if (write(file, name, sizeof(name)) != sizeof(name) ||
		    (i % 2 ? fsync(file) : fdatasync(file))) {
			fprintf(stderr, "%s: %s\n", name, strerror(errno));
			exit(1);
		}
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[MOST];
	long i, number;
	int ends[2];

	if (argc == 2)
		return pipe(ends) || fsync(ends[1]) != -1 || fdatasync(1000) != -1;
	if (argc != 4 || (number = strtol(argv[3], NULL, 10)) > MOST)
		return 64;
	path = argv[1];
	count = (int)strtol(argv[2], NULL, 10);
	for (i = 0; i < number; i++)
		if (pthread_create(&threads[i], NULL, sync_file, (void *)i))
			return 1;
	for (i = 0; i < number; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
