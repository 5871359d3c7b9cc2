// SPDX-License-Identifier: GPL-2.0
/*
 * Paths of files: see attach_files.h.
 */
#include "attach/attach_files.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define DELETED		" (deleted)"	/* as in /proc/PID/fd */

static bool is_same(const struct tw_attach_inode *a, const struct tw_attach_inode *b)
{
	return a->number == b->number && a->device == b->device &&
	       a->mode == b->mode;
}

/* Return the file's place, or the free place where it belongs. */
static struct tw_attach_path *place_of(const struct tw_attach_files *files,
				       const struct tw_attach_inode *inode)
{
	const uint64_t mixed = (inode->number ^ (uint64_t)inode->device << 40) *
			       0x9e3779b97f4a7c15ULL;
	uint32_t at = (uint32_t)(mixed >> 32);

	for (;; at++) {
		struct tw_attach_path *place =
			&files->places[at & (files->place_count - 1)];

		if (!place->path || is_same(&place->inode, inode))
			return place;
	}
}

/* Let at most half of the places be taken. */
static int make_room(struct tw_attach_files *files)
{
	struct tw_attach_files more = { .place_count = 64, .count = files->count };

	if (files->count < files->place_count / 2)
		return 0;
	if (files->place_count)
		more.place_count = 2 * files->place_count;
	more.places = calloc(more.place_count, sizeof(*more.places));
	if (!more.places)
		return -ENOMEM;
	for (uint32_t i = 0; i < files->place_count; i++)
		if (files->places[i].path)
			*place_of(&more, &files->places[i].inode) = files->places[i];
	free(files->places);
	*files = more;
	return 0;
}

/* Put the names of a record together. @size: of its names. */
static char *path_of(const struct tw_attach_file *file, size_t size)
{
	const bool cut = file->flags & TW_ATTACH_CUT;
	char *path = malloc(size + sizeof("..." "/" DELETED));
	char *end = path;

	if (!path)
		return NULL;
	if (cut)
		end = stpcpy(end, "...");
	if (!size && !cut)
		end = stpcpy(end, "/");
	while (size) {
		size_t from = size - 1;		/* the 0 of the name before it */

		while (from && file->names[from - 1])
			from--;
		*end++ = '/';
		memcpy(end, &file->names[from], size - 1 - from);
		end += size - 1 - from;
		size = from;
	}
	strcpy(end, file->flags & TW_ATTACH_DELETED ? DELETED : "");
	return path;
}

int tw_attach_add_file(struct tw_attach_files *files,
		       const struct tw_attach_file *file, size_t size)
{
	struct tw_attach_path *place;
	int error = make_room(files);

	if (error)
		return error;
	place = place_of(files, &file->inode);
	if (place->path)
		return 0;
	size -= offsetof(struct tw_attach_file, names);
	place->path = path_of(file, file->size < size ? file->size : size);
	if (!place->path)
		return -ENOMEM;
	place->inode = file->inode;
	files->count++;
	return 0;
}

const char *tw_attach_file_name(const struct tw_attach_files *files,
				const struct tw_attach_inode *inode)
{
	const char *path = files->count ? place_of(files, inode)->path : NULL;

	return path ? path : inode->mode ? "?" : "-";
}

void tw_attach_files_free(struct tw_attach_files *files)
{
	for (uint32_t i = 0; i < files->place_count; i++)
		free(files->places[i].path);
	free(files->places);
}
