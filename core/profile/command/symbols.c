/* SPDX-License-Identifier: MIT */
/*
 * Reads the function symbols of an ELF file. Every offset in the file is
 * checked against its size.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/allocate.h"
#include "profile/command/symbols.h"

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define OUR_ORDER	ELFDATA2LSB
#else
#define OUR_ORDER	ELFDATA2MSB
#endif

/* Return @count elements of @size at @offset of the file; NULL if they don't
 * fit or are not aligned. */
static const void *part(const struct profile_symbols *symbols, uint64_t offset,
			uint64_t count, size_t size)
{
	if (offset > symbols->file_size || offset % 8 ||
	    count > (symbols->file_size - offset) / size)
		return NULL;
	return symbols->file + offset;
}

static int map_file(struct profile_symbols *symbols, const char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;
	void *mapped;
	int result = 0;

	if (file < 0)
		return -errno;
	if (fstat(file, &status))
		result = -errno;
	else if (!S_ISREG(status.st_mode) ||
		 (size_t)status.st_size < sizeof(Elf64_Ehdr))
		result = -ENOEXEC;
	if (!result) {
		mapped = mmap(NULL, (size_t)status.st_size, PROT_READ,
			      MAP_PRIVATE, file, 0);
		if (mapped == MAP_FAILED)
			result = -errno;
		else
			symbols->file = mapped;
		symbols->file_size = (size_t)status.st_size;
	}
	close(file);
	return result;
}

static int read_segments(struct profile_symbols *symbols)
{
	const Elf64_Ehdr *header = (const void *)symbols->file;
	const Elf64_Phdr *programs;

	programs = part(symbols, header->e_phoff, header->e_phnum,
			sizeof(*programs));
	if (!programs)
		return -ENOEXEC;
	symbols->segments = tw_zalloc(header->e_phnum, sizeof(*symbols->segments));
	for (unsigned i = 0; i < header->e_phnum; i++)
		if (programs[i].p_type == PT_LOAD)
			symbols->segments[symbols->segment_count++] =
				(struct profile_segment) {
					programs[i].p_offset,
					programs[i].p_vaddr,
					programs[i].p_filesz,
				};
	return 0;
}

/* Of two symbols at one address, the one with a size comes first, then the one
 * with a global name. */
static int by_address(const void *a, const void *b)
{
	const struct profile_symbol *left = a, *right = b;

	if (left->address != right->address)
		return left->address < right->address ? -1 : 1;
	if (left->size != right->size)
		return left->size > right->size ? -1 : 1;
	return strcmp(left->name, right->name);
}

static int read_table(struct profile_symbols *symbols, const Elf64_Shdr *table,
		      const Elf64_Shdr *strings)
{
	uint64_t count = table->sh_size / sizeof(Elf64_Sym);
	const Elf64_Sym *entries = part(symbols, table->sh_offset, count,
					sizeof(*entries));

	/* The table of names must end with a 0, so that each name ends inside
	 * the file. */
	if (!entries || strings->sh_offset > symbols->file_size ||
	    strings->sh_size > symbols->file_size - strings->sh_offset ||
	    !strings->sh_size || symbols->file[strings->sh_offset +
					       strings->sh_size - 1])
		return -ENOEXEC;
	symbols->symbols = tw_zalloc(count, sizeof(*symbols->symbols));
	for (uint64_t i = 0; i < count; i++) {
		const Elf64_Sym *entry = &entries[i];
		unsigned type = ELF64_ST_TYPE(entry->st_info);

		if ((type != STT_FUNC && type != STT_GNU_IFUNC) ||
		    entry->st_shndx == SHN_UNDEF ||
		    entry->st_name >= strings->sh_size)
			continue;
		symbols->symbols[symbols->count++] = (struct profile_symbol) {
			entry->st_value, entry->st_size,
			symbols->file + strings->sh_offset + entry->st_name,
		};
	}
	qsort(symbols->symbols, symbols->count, sizeof(*symbols->symbols),
	      by_address);
	return 0;
}

static int read_symbols(struct profile_symbols *symbols)
{
	const Elf64_Ehdr *header = (const void *)symbols->file;
	const Elf64_Shdr *sections, *table = NULL;

	sections = part(symbols, header->e_shoff, header->e_shnum,
			sizeof(*sections));
	if (!sections)
		return -ENOEXEC;
	for (unsigned i = 0; i < header->e_shnum; i++)
		if (sections[i].sh_type == SHT_SYMTAB ||
		    (sections[i].sh_type == SHT_DYNSYM && !table))
			table = &sections[i];
	if (!table)
		return 0;
	if (table->sh_link >= header->e_shnum)
		return -ENOEXEC;
	return read_table(symbols, table, &sections[table->sh_link]);
}

int tw_profile_symbols_read(struct profile_symbols *symbols, const char *path)
{
	int result;

	*symbols = (struct profile_symbols) { 0 };
	result = map_file(symbols, path);
	if (result == 0 && (memcmp(symbols->file, ELFMAG, SELFMAG) ||
			    symbols->file[EI_CLASS] != ELFCLASS64 ||
			    symbols->file[EI_DATA] != OUR_ORDER))
		result = -ENOEXEC;
	if (result == 0)
		result = read_segments(symbols);
	if (result == 0)
		result = read_symbols(symbols);
	if (result)
		tw_profile_symbols_free(symbols);
	return result;
}

void tw_profile_symbols_free(struct profile_symbols *symbols)
{
	if (symbols->file)
		munmap((void *)(uintptr_t)symbols->file, symbols->file_size);
	free(symbols->symbols);
	free(symbols->segments);
	*symbols = (struct profile_symbols) { 0 };
}

static uint64_t address_of(const struct profile_symbols *symbols,
			   uint64_t offset)
{
	for (size_t i = 0; i < symbols->segment_count; i++) {
		const struct profile_segment *segment = &symbols->segments[i];

		if (offset >= segment->offset &&
		    offset - segment->offset < segment->size)
			return offset - segment->offset + segment->address;
	}
	return UINT64_MAX;
}

uint64_t tw_profile_symbol_offset(const struct profile_symbols *symbols,
				  const struct profile_symbol *symbol)
{
	for (size_t i = 0; i < symbols->segment_count; i++) {
		const struct profile_segment *segment = &symbols->segments[i];

		if (symbol->address >= segment->address &&
		    symbol->address - segment->address < segment->size)
			return symbol->address - segment->address +
			       segment->offset;
	}
	return UINT64_MAX;
}

const struct profile_symbol *
tw_profile_symbol_at(const struct profile_symbols *symbols, uint64_t offset)
{
	uint64_t address = address_of(symbols, offset);
	size_t low = 0, high = symbols->count;
	const struct profile_symbol *found;

	if (address == UINT64_MAX)
		return NULL;
	/* Find the first symbol above the address; the symbol searched for is
	 * before it. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symbols->symbols[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	found = &symbols->symbols[low - 1];
	while (found > symbols->symbols &&
	       found[-1].address == found->address)
		found--;
	return found->size && address - found->address >= found->size ?
	       NULL : found;
}
