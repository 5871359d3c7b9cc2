/* SPDX-License-Identifier: MIT */
/*
 * Preloaded into a program, forbids it to read the counter before its main(). Not
 * earlier, since the dynamic loader itself reads the counter.
 */
#include <sys/prctl.h>

__attribute__((constructor))
static void forbid_counter(void)
{
	prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
}
