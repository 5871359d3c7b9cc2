/* SPDX-License-Identifier: MIT */
/*
 * Runs lmbench's lat_mem_rd at one size. Unchanged, its smallest memory is 1 MB,
 * and it goes through all sizes up to its argument. The pages of a smaller size are
 * then spread over that memory, which costs extra TLB misses, and the largest size
 * takes minutes. Its loop, its order of visiting and its timing are in loads(),
 * which is called here for memory of the one size.
 *
 *	cc -Dmain=lat_mem_rd_main -I... one_size.c lat_mem_rd.c lmbench.a -lm
 *	one_size BYTES STRIDE RUNS
 */
#undef main
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* Functions of lat_mem_rd.c and lib_mem.c. */
void loads(size_t len, size_t range, size_t stride, int parallel, int warmup,
	   int repetitions);
void thrash_initialize(unsigned long iterations, void *cookie);
extern void (*fpInit)(unsigned long iterations, void *cookie);

int main(int argc, char **argv)
{
	size_t bytes;

	if (argc != 4) {
		fputs("usage: one_size BYTES STRIDE RUNS\n", stderr);
		return 64;
	}
	bytes = strtoul(argv[1], NULL, 10);
	fpInit = thrash_initialize;
	loads(bytes, bytes, strtoul(argv[2], NULL, 10), 1, 0, atoi(argv[3]));
	return 0;
}
