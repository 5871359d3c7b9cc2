/* SPDX-License-Identifier: MIT */
/*
 * Names of functions, from the symbol tables of the objects that contain them.
 */
#ifndef TW_PROFILE_SYMBOLS_H
#define TW_PROFILE_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

struct profile_symbol {
	uint64_t address, size;		/* as linked */
	const char *name;		/* in the mapped file */
};

struct profile_segment {
	uint64_t offset, address, size;
};

struct profile_symbols {
	const char *file;		/* mapped; or NULL */
	size_t file_size;
	struct profile_symbol *symbols;	/* functions, sorted by address */
	size_t count;
	struct profile_segment *segments;
	size_t segment_count;
};

/* Read .symtab, which has static functions too, else .dynsym. Return: 0;
 * -errno; -ENOEXEC if this is not a 64-bit ELF file of this byte order. */
int tw_profile_symbols_read(struct profile_symbols *symbols, const char *path);
void tw_profile_symbols_free(struct profile_symbols *symbols);

/* Return the function that contains the byte at @offset of the file; NULL:
 * none. */
const struct profile_symbol *
tw_profile_symbol_at(const struct profile_symbols *symbols, uint64_t offset);

/* Return the offset of @symbol's code in the file; UINT64_MAX: it is not in the
 * file. */
uint64_t tw_profile_symbol_offset(const struct profile_symbols *symbols,
				  const struct profile_symbol *symbol);

/* Return the name as in the source, if it is a C++ or Rust name and libstdc++
 * is installed; else a copy. To be freed. */
char *tw_profile_demangle(const char *name);

struct profile_file;
struct profile_result;

/* Name all functions of @result. */
void tw_profile_name(struct profile_result *result,
		     const struct profile_file *file);

#endif
