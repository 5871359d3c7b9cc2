/* SPDX-License-Identifier: MIT */
/*
 * Makes one measurement by WTMLIB, for estimate_wtmlib.sh: prints "COUNT RANGE" of
 * the method named, or "none CODE" if it finds no range. It is C++, because WTMLIB
 * exports its functions that way, and its header needs <stddef.h> first.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "wtmlib.h"

int main(int argc, char **argv)
{
	char message[WTMLIB_MAX_ERR_MSG_SIZE] = "";
	bool switching = argc > 1 && !strcmp(argv[1], "switch");
	int64_t range_ticks = 0;
	bool monotonic = false;
	int code = switching ?
		wtmlib_EvalTSCReliabilityCPUSW(&range_ticks, &monotonic,
					       message, sizeof(message)) :
		wtmlib_EvalTSCReliabilityCOP(&range_ticks, &monotonic,
					     message, sizeof(message));

	if (code)
		printf("none %d\n", code);
	else
		printf("%lld\n", (long long)range_ticks);
	return 0;
}
