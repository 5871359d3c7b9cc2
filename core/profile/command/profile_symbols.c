/* SPDX-License-Identifier: MIT */
/*
 * Finds names for the addresses of a run: the object mapped there, the symbol at this place in
 * its file, and the name as in the source. Reads the function symbols of ELF files; every
 * offset in a file is checked against its size. Files are read, not mapped, since they may
 * become shorter.
 *
 * The C++ runtime can demangle names. It is used if it is installed, so the program does not
 * depend on it.
 */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/allocate.h"
#include "base/open_file.h"
#include "base/plain_text.h"
#include "profile/command/profiles.h"
#include "text_file.h"

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define OUR_ORDER	ELFDATA2LSB
#else
#define OUR_ORDER	ELFDATA2MSB
#endif

struct symbol {
	uint64_t offset;		/* in the file; UINT64_MAX: it is not there */
	uint64_t size;
	const char *name;
};

struct object {
	char *names;
	struct symbol *symbols;		/* functions, sorted by offset */
	size_t count;
};

/* Return @count elements of @size at @offset of the file, to be freed; NULL if the file does not
 * have all of them. */
static void *part(int file, uint64_t offset, uint64_t count, size_t size)
{
	const uint64_t bytes = count <= TW_TEXT_MAX / size ? count * size : UINT64_MAX;
	struct stat status;
	char *elements;

	if (fstat(file, &status) || bytes > (uint64_t)status.st_size ||
	    offset > (uint64_t)status.st_size - bytes)
		return NULL;
	elements = tw_malloc(bytes + 1);
	if (pread(file, elements, bytes, (off_t)offset) == (ssize_t)bytes)
		return elements;
	free(elements);
	return NULL;
}

static uint64_t offset_of(const Elf64_Phdr *segments, unsigned count, uint64_t address)
{
	for (const Elf64_Phdr *segment = segments; segment < segments + count; segment++)
		if (segment->p_type == PT_LOAD && address >= segment->p_vaddr &&
		    address - segment->p_vaddr < segment->p_filesz)
			return address - segment->p_vaddr + segment->p_offset;
	return UINT64_MAX;
}

/* Of two symbols at one place, the one with a size comes first, then the one with a global
 * name. */
static int by_offset(const void *a, const void *b)
{
	const struct symbol *left = a, *right = b;

	return tw_compare(left->offset, right->offset) ?: tw_compare(right->size, left->size) ?:
	       strcmp(left->name, right->name);
}

/* Add the functions of a table. Its names must end with a 0, so that each name ends inside. */
static int add_functions(struct object *object, int file, const Elf64_Shdr *table,
			 const Elf64_Shdr *strings, const Elf64_Phdr *segments, unsigned count)
{
	const uint64_t entry_count = table->sh_size / sizeof(Elf64_Sym);
	Elf64_Sym *entries = part(file, table->sh_offset, entry_count, sizeof(*entries));

	object->names = part(file, strings->sh_offset, strings->sh_size, 1);
	if (!entries || !object->names || !strings->sh_size ||
	    object->names[strings->sh_size - 1]) {
		free(entries);
		return -ENOEXEC;
	}
	object->symbols = tw_zalloc(entry_count, sizeof(*object->symbols));
	for (const Elf64_Sym *entry = entries; entry < entries + entry_count; entry++) {
		unsigned type = ELF64_ST_TYPE(entry->st_info);

		if ((type == STT_FUNC || type == STT_GNU_IFUNC) &&
		    entry->st_shndx != SHN_UNDEF && entry->st_name < strings->sh_size)
			object->symbols[object->count++] = (struct symbol) {
				offset_of(segments, count, entry->st_value),
				entry->st_size, object->names + entry->st_name,
			};
	}
	free(entries);
	qsort(object->symbols, object->count, sizeof(*object->symbols), by_offset);
	return 0;
}

/* Read .symtab, which has static functions too, else .dynsym. */
static int read_symbols(struct object *object, int file, const Elf64_Ehdr *header)
{
	Elf64_Phdr *segments = part(file, header->e_phoff, header->e_phnum, sizeof(*segments));
	Elf64_Shdr *sections = part(file, header->e_shoff, header->e_shnum, sizeof(*sections));
	const Elf64_Shdr *table = NULL;
	int result = segments && sections ? 0 : -ENOEXEC;

	for (unsigned i = 0; !result && i < header->e_shnum; i++)
		if (sections[i].sh_type == SHT_SYMTAB ||
		    (sections[i].sh_type == SHT_DYNSYM && !table))
			table = &sections[i];
	if (table)
		result = table->sh_link >= header->e_shnum ? -ENOEXEC :
			 add_functions(object, file, table, &sections[table->sh_link], segments,
				       header->e_phnum);
	free(segments);
	free(sections);
	return result;
}

static void free_object(struct object *object)
{
	free(object->names);
	free(object->symbols);
	*object = (struct object) { 0 };
}

static int read_object(struct object *object, const char *path)
{
	int file = tw_input_open(path, 0), result = file < 0 ? file : -ENOEXEC;
	Elf64_Ehdr *header = file < 0 ? NULL : part(file, 0, 1, sizeof(*header));

	*object = (struct object) { 0 };
	if (header && !memcmp(header->e_ident, ELFMAG, SELFMAG) &&
	    header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_ident[EI_DATA] == OUR_ORDER)
		result = read_symbols(object, file, header);
	if (result)
		free_object(object);
	free(header);
	if (file >= 0)
		close(file);
	return result;
}

int tw_profile_each_symbol(const char *path, void *context,
			   void (*take)(void *context, const char *name, uint64_t offset))
{
	struct object object;
	int result = read_object(&object, path);

	for (size_t i = 0; i < object.count; i++)
		take(context, object.symbols[i].name, object.symbols[i].offset);
	free_object(&object);
	return result;
}

/* Return the function that contains the byte at @offset of the file; NULL: none. */
static const struct symbol *symbol_at(const struct object *object, uint64_t offset)
{
	size_t low = 0, high = object->count;
	const struct symbol *found;

	/* Find the first symbol above; the symbol searched for is before it. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (object->symbols[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	found = &object->symbols[low - 1];
	while (found > object->symbols && found[-1].offset == found->offset)
		found--;
	return found->size && offset - found->offset >= found->size ? NULL : found;
}

char *tw_profile_demangle(const char *name)
{
	static char *(*demangler)(const char *name, char *buffer, size_t *length, int *status);
	static int looked;
	int status = -1;
	char *text = NULL;
	void *library = looked++ ? NULL : dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);

	if (library)
		*(void **)&demangler = dlsym(library, "__cxa_demangle");
	if (strncmp(name, "_Z", 2) == 0 && demangler)
		text = demangler(name, NULL, NULL, &status);
	if (!text)
		text = strcpy(tw_malloc(strlen(name) + 1), name);
	/* A symbol's name can have any bytes, and is printed to terminals and in JSON and
	 * XML. */
	return tw_plain_text(text);
}

void tw_profile_name(struct profile_result *result)
{
	const struct profile_file *file = result->file;
	/* The last object read, since functions come sorted by address. */
	struct object object = { 0 };
	const char *path = NULL;

	for (size_t i = 0; i < result->function_count; i++) {
		struct profile_function *function = &result->functions[i];
		const struct profile_map *map = NULL;
		const struct symbol *symbol;
		uint64_t offset;
		char *name;

		for (size_t j = 0; j < file->map_count && !map; j++)
			if (function->address >= file->maps[j].begin &&
			    function->address < file->maps[j].end)
				map = &file->maps[j];
		if (map && (!path || strcmp(path, map->path) != 0)) {
			free_object(&object);
			read_object(&object, map->path);
			path = map->path;
		}
		function->object = map ? map->object : "";
		if (!map) {
			function->name = tw_format("0x%lx", function->address);
			continue;
		}
		offset = function->address - map->begin + map->offset;
		symbol = symbol_at(&object, offset);
		if (!symbol) {
			function->name = tw_format("%s+0x%lx", map->object, offset);
			continue;
		}
		name = tw_profile_demangle(symbol->name);
		function->name = tw_copy_text(name);
		free(name);
	}
	free_object(&object);
}
