/* SPDX-License-Identifier: MIT */
/*
 * Functions' names, from the symbol tables of the objects they are in.
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
	const char *file;		/* mapped; NULL */
	size_t file_size;
	struct profile_symbol *symbols;	/* functions, by address */
	size_t count;
	struct profile_segment *segments;
	size_t segment_count;
};

/* Reads .symtab, which has static functions too, else .dynsym. 0; -errno;
 * -ENOEXEC if it is not an ELF file of 64 bits and this byte order. */
int tw_profile_symbols_read(struct profile_symbols *symbols, const char *path);
void tw_profile_symbols_free(struct profile_symbols *symbols);

/* The function that the byte at @offset of the file belongs to; NULL. */
const struct profile_symbol *
tw_profile_symbol_at(const struct profile_symbols *symbols, uint64_t offset);

/* Where in the file @symbol's code is; UINT64_MAX: nowhere. */
uint64_t tw_profile_symbol_offset(const struct profile_symbols *symbols,
				  const struct profile_symbol *symbol);

/* @name as in the source if it is a C++ or Rust one and libstdc++ is there;
 * else a copy. To be freed; NULL: no memory. */
char *tw_profile_demangle(const char *name);

struct profile_file;
struct profile_result;

/* Names all functions of @result. 0; -ENOMEM. */
int tw_profile_name(struct profile_result *result,
		    const struct profile_file *file);

#endif
