/* SPDX-License-Identifier: MIT */
/*
 * Finds names for the addresses of a run: the object mapped there, the symbol at this place in
 * its file, and the name as in the source. Reads the function symbols of ELF files; every
 * offset in a file is checked against its size.
 *
 * The C++ runtime can demangle names. It is used if it is installed, so the program does not
 * depend on it.
 */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/allocate.h"
#include "base/plain_text.h"
#include "profile/command/profiles.h"

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define OUR_ORDER	ELFDATA2LSB
#else
#define OUR_ORDER	ELFDATA2MSB
#endif

struct symbol {
	uint64_t offset;		/* in the file; UINT64_MAX: it is not there */
	uint64_t size;
	const char *name;		/* in the mapped file */
};

struct object {
	const char *file;		/* mapped; or NULL */
	size_t file_size;
	struct symbol *symbols;		/* functions, sorted by offset */
	size_t count;
};

/* Return @count elements of @size at @offset of the file; NULL if they don't fit or are not
 * aligned. */
static const void *part(const struct object *object, uint64_t offset, uint64_t count,
			size_t size)
{
	if (offset > object->file_size || offset % 8 ||
	    count > (object->file_size - offset) / size)
		return NULL;
	return object->file + offset;
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

	if (left->offset != right->offset)
		return left->offset < right->offset ? -1 : 1;
	if (left->size != right->size)
		return left->size > right->size ? -1 : 1;
	return strcmp(left->name, right->name);
}

/* Read .symtab, which has static functions too, else .dynsym. */
static int read_symbols(struct object *object)
{
	const Elf64_Ehdr *header = (const void *)object->file;
	const Elf64_Phdr *segments = part(object, header->e_phoff, header->e_phnum,
					  sizeof(*segments));
	const Elf64_Shdr *sections = part(object, header->e_shoff, header->e_shnum,
					  sizeof(*sections));
	const Elf64_Shdr *table = NULL, *strings;
	const Elf64_Sym *entries;
	uint64_t count;

	if (!segments || !sections)
		return -ENOEXEC;
	for (unsigned i = 0; i < header->e_shnum; i++)
		if (sections[i].sh_type == SHT_SYMTAB ||
		    (sections[i].sh_type == SHT_DYNSYM && !table))
			table = &sections[i];
	if (!table)
		return 0;
	if (table->sh_link >= header->e_shnum)
		return -ENOEXEC;
	strings = &sections[table->sh_link];
	count = table->sh_size / sizeof(*entries);
	entries = part(object, table->sh_offset, count, sizeof(*entries));
	/* The table of names must end with a 0, so that each name ends inside the file. */
	if (!entries || strings->sh_offset > object->file_size || !strings->sh_size ||
	    strings->sh_size > object->file_size - strings->sh_offset ||
	    object->file[strings->sh_offset + strings->sh_size - 1])
		return -ENOEXEC;
	object->symbols = tw_zalloc(count, sizeof(*object->symbols));
	for (uint64_t i = 0; i < count; i++) {
		const Elf64_Sym *entry = &entries[i];
		unsigned type = ELF64_ST_TYPE(entry->st_info);

		if ((type == STT_FUNC || type == STT_GNU_IFUNC) &&
		    entry->st_shndx != SHN_UNDEF && entry->st_name < strings->sh_size)
			object->symbols[object->count++] = (struct symbol) {
				offset_of(segments, header->e_phnum, entry->st_value),
				entry->st_size,
				object->file + strings->sh_offset + entry->st_name,
			};
	}
	qsort(object->symbols, object->count, sizeof(*object->symbols), by_offset);
	return 0;
}

static void free_object(struct object *object)
{
	if (object->file)
		munmap((void *)(uintptr_t)object->file, object->file_size);
	free(object->symbols);
	*object = (struct object) { 0 };
}

static int read_object(struct object *object, const char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC), result = 0;
	struct stat status;
	void *mapped;

	*object = (struct object) { 0 };
	if (file < 0)
		return -errno;
	if (fstat(file, &status)) {
		result = -errno;
	} else if (!S_ISREG(status.st_mode) || (size_t)status.st_size < sizeof(Elf64_Ehdr)) {
		result = -ENOEXEC;
	} else {
		object->file_size = (size_t)status.st_size;
		mapped = mmap(NULL, object->file_size, PROT_READ, MAP_PRIVATE, file, 0);
		if (mapped == MAP_FAILED)
			result = -errno;
		else
			object->file = mapped;
	}
	close(file);
	if (!result && (memcmp(object->file, ELFMAG, SELFMAG) ||
			object->file[EI_CLASS] != ELFCLASS64 ||
			object->file[EI_DATA] != OUR_ORDER))
		result = -ENOEXEC;
	if (!result)
		result = read_symbols(object);
	if (result)
		free_object(object);
	return result;
}

int tw_profile_each_symbol(const char *path, void *context,
			   void (*take)(void *context, const char *name, uint64_t offset))
{
	struct object object;
	int result = read_object(&object, path);

	for (size_t i = 0; i < object.count; i++)
		take(context, object.symbols[i].name, object.symbols[i].offset);
	if (!result)
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
