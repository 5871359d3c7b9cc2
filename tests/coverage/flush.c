/* SPDX-License-Identifier: MIT */
/*
 * Linked into every program and library of `make coverage`. Tells exit.so, where it
 * is preloaded, how to write the counts of this program or library.
 */
void __gcov_dump(void);
void tw_coverage_register(void (*dump)(void)) __attribute__((weak));
void tw_coverage_forget(void (*dump)(void)) __attribute__((weak));

static void dump(void)
{
	__gcov_dump();
}

__attribute__((constructor)) static void begin(void)
{
	if (tw_coverage_register)
		tw_coverage_register(dump);
}

/* A library that is unloaded has written its counts by then. */
__attribute__((destructor)) static void end(void)
{
	if (tw_coverage_forget)
		tw_coverage_forget(dump);
}
