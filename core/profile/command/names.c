/* SPDX-License-Identifier: MIT */
/*
 * Finds names for the addresses of a run: the object mapped there, the symbol
 * at this place in its file, and the name as in the source.
 *
 * The C++ runtime can demangle names. It is used if it is installed, so the
 * program does not depend on it.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "base/plain_text.h"
#include "profile/command/functions.h"
#include "profile/command/symbols.h"

typedef char *demangle_function(const char *name, char *buffer, size_t *length,
				int *status);

static demangle_function *demangler(void)
{
	static demangle_function *found;
	static int looked;
	void *library;

	if (looked++)
		return found;
	library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
	if (library)
		*(void **)&found = dlsym(library, "__cxa_demangle");
	return found;
}

char *tw_profile_demangle(const char *name)
{
	int status = -1;
	char *text = NULL;

	if (strncmp(name, "_Z", 2) == 0 && demangler())
		text = demangler()(name, NULL, NULL, &status);
	if (!text)
		text = strcpy(tw_malloc(strlen(name) + 1), name);
	/* A symbol's name can have any bytes, and is printed to terminals and
	 * in JSON and XML. */
	return tw_plain_text(text);
}

static const struct profile_map *map_of(const struct profile_file *file,
					uint64_t address)
{
	for (size_t i = 0; i < file->map_count; i++)
		if (address >= file->maps[i].begin &&
		    address < file->maps[i].end)
			return &file->maps[i];
	return NULL;
}

/* Keeps one object, the last one read, since functions come sorted by
 * address. */
struct objects {
	const char *path;
	struct profile_symbols symbols;
	int usable;
};

static const struct profile_symbol *
symbol_of(struct objects *objects, const struct profile_map *map,
	  uint64_t address)
{
	if (!objects->path || strcmp(objects->path, map->path) != 0) {
		if (objects->usable)
			tw_profile_symbols_free(&objects->symbols);
		objects->path = map->path;
		objects->usable = tw_profile_symbols_read(&objects->symbols,
							  map->path) == 0;
	}
	return objects->usable ?
	       tw_profile_symbol_at(&objects->symbols, address - map->begin +
				    map->offset) : NULL;
}

static const char *name_of(uint64_t address, const struct profile_map *map,
			   const struct profile_symbol *symbol)
{
	char *demangled;
	const char *name;

	if (!map)
		return tw_format("0x%lx", address);
	if (!symbol)
		return tw_format("%s+0x%lx", map->object,
				 address - map->begin + map->offset);
	demangled = tw_profile_demangle(symbol->name);
	name = tw_copy_text(demangled);
	free(demangled);
	return name;
}

void tw_profile_name(struct profile_result *result,
		     const struct profile_file *file)
{
	struct objects objects = { 0 };

	for (size_t i = 0; i < result->function_count; i++) {
		struct profile_function *function = result->by_address[i];
		const struct profile_map *map = map_of(file, function->address);

		function->object = map ? map->object : "";
		function->name = name_of(function->address, map, map ?
					 symbol_of(&objects, map, function->address) :
					 NULL);
	}
	if (objects.usable)
		tw_profile_symbols_free(&objects.symbols);
}
