/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes what the library reads from the kernel as text or bytes: cpuinfo, the
 * kernel's log, offsets of a time namespace, the page of a vmclock.
 */
#include "counter/state.h"
#include "fuzz.h"
#include "machine/named_rates.h"
#include "machine/vmclock.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tw_vmclock vmclock;
	int64_t monotonic_ns, boottime_ns;
	char *text = fuzz_text(data, size);

	tw_parse_cpuinfo_khz(text);
	tw_parse_kernel_log_khz(text);
	tw_parse_timens_offsets(text, &monotonic_ns, &boottime_ns);
	tw_vmclock_parse(data, size, &vmclock);
	free(text);
	return 0;
}
