/* SPDX-License-Identifier: MIT */
/*
 * Reads what the device tree tells about the counter.
 */
#include "device_tree.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>

#include "text_file.h"

uint64_t tw_device_tree_number(const char *path)
{
	char bytes[10];
	uint64_t number = 0;
	ssize_t length, i;

	length = tw_text_file_begin(path, bytes, sizeof(bytes));
	if (length != 4 && length != 8)
		return 0;
	for (i = 0; i < length; i++)
		number = number << 8 | (unsigned char)bytes[i];
	return number;
}

static uint64_t number_below(const char *base, const char *node,
			     const char *property)
{
	char path[PATH_MAX];
	int length = snprintf(path, sizeof(path), "%s/cpus/%s/%s", base, node,
			      property);

	if (length < 0 || (size_t)length >= sizeof(path))
		return 0;
	return tw_device_tree_number(path);
}

static uint64_t hz_of_node(const char *base, const char *node)
{
	uint64_t hz = number_below(base, node, "ibm,extended-timebase-frequency");

	return hz ? hz : number_below(base, node, "timebase-frequency");
}

uint64_t tw_device_tree_hz(const char *base)
{
	uint64_t hz = hz_of_node(base, ".");
	struct dirent *entry;
	char path[PATH_MAX];
	DIR *cpus;
	int length;

	length = snprintf(path, sizeof(path), "%s/cpus", base);
	if (hz || length < 0 || (size_t)length >= sizeof(path))
		return hz;
	cpus = opendir(path);
	if (!cpus)
		return 0;
	while (!hz && (entry = readdir(cpus)))
		if (entry->d_name[0] != '.')
			hz = hz_of_node(base, entry->d_name);
	closedir(cpus);
	return hz;
}
