/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tell which I/Os can be split on this kernel: see helper_found.h.
 */
#include "helper/helper_found.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/program.h"

struct kind {
	const char *name;
	const char *function;
	const char *type;	/* or NULL: no offset is necessary */
};

static const struct kind kinds[] = {
	{ "reads and writes", "io_complete_rw", NULL },
	{ "polled reads and writes", "io_complete_rw_iopoll", NULL },
	{ "files", "iomap_dio_bio_end_io", NULL },
	{ "block devices", "blkdev_bio_end_io_async", NULL },	/* Linux 5.16 */
	{ "large I/Os of block devices", "blkdev_bio_end_io", NULL },
	{ "I/Os of several requests", "bio_chain_endio", NULL },
	{ "NVMe commands", "nvme_uring_cmd_end_io", NULL },
	{ "LVM", "clone_endio", "dm_io" },
	{ "dm-crypt", "crypt_endio", "dm_crypt_io" },
};

#define KINDS	(sizeof(kinds) / sizeof(kinds[0]))

/* Find the names in lines such as "0000000000000000 t clone_endio	[dm_mod]". */
static void find(FILE *symbols, bool *has)
{
	char *line = NULL, *name;
	size_t size = 0, i;

	while (getline(&line, &size, symbols) > 0) {
		name = strchr(line, ' ');
		if (!name || strlen(name) < 3)
			continue;
		name += 3;
		name[strcspn(name, "\t\n")] = '\0';
		for (i = 0; i < KINDS; i++)
			has[i] |= !strcmp(name, kinds[i].function);
	}
	free(line);
}

static bool has_offset(const struct kind *kind, const struct tw_above *above)
{
	return !kind->type ||
	       (!strcmp(kind->type, "dm_io") ? above->original : above->crypt);
}

void tw_helper_print_found_in(FILE *symbols, const struct tw_above *above, FILE *out)
{
	bool has[KINDS] = { false };
	const char *before = "found: ";
	size_t i;

	find(symbols, has);
	for (i = 0; i < KINDS; i++)
		if (has[i] && has_offset(&kinds[i], above)) {
			fprintf(out, "%s%s", before, kinds[i].name);
			before = ", ";
		}
	before = *before == ',' ? "\nnot found: " : "not found: ";
	for (i = 0; i < KINDS; i++)
		if (!has[i] || !has_offset(&kinds[i], above)) {
			fprintf(out, "%s%s (%s)", before, kinds[i].name,
				has[i] ? kinds[i].type : kinds[i].function);
			before = ", ";
		}
	fputc('\n', out);
}

void tw_helper_print_found(void)
{
	FILE *symbols = fopen("/proc/kallsyms", "re");
	struct tw_above above;
	struct btf *kernel;

	tw_program_set_messages();
	kernel = btf__load_vmlinux_btf();
	if (symbols && !libbpf_get_error(kernel)) {
		above = tw_above_find(kernel);
		tw_helper_print_found_in(symbols, &above, stdout);
	}
	if (!libbpf_get_error(kernel))
		btf__free(kernel);
	if (symbols)
		fclose(symbols);
}
