/* SPDX-License-Identifier: MIT */
/*
 * Collects what kernel and processor tell about the counter. Nothing is
 * believed here. What can't be read is empty, 0 or -1.
 */
#include "machine.h"

#include <errno.h>
#include <string.h>
#include <sys/timex.h>
#include <unistd.h>

#include "counter/state.h"
#include "cpus.h"
#include "named_rates.h"
#include "processor.h"
#include "sized.h"
#include "steering.h"
#include "text_file.h"
#include "vmclock.h"

#define CLOCKSOURCE	"/sys/devices/system/clocksource/clocksource0/"

/* Read the first line of a file, without the blanks at its end. */
static void read_line(const char *path, char *line, size_t size)
{
	size_t length;

	tw_text_file_begin(path, line, size);
	length = strcspn(line, "\n");
	while (length && line[length - 1] == ' ')
		length--;
	line[length] = '\0';
}

void tw_read_clocksource(char *name, size_t size)
{
	read_line(CLOCKSOURCE "current_clocksource", name, size);
}

int tw_clocksource_is_counter(const char *clocksource, int is_emulated)
{
	return !is_emulated && !strcmp(clocksource, TW_COUNTER_CLOCKSOURCE);
}

int tw_counter_is_clocksource(const struct tw_time_source *source)
{
	char name[64];

	if (source)
		return source->counter_is_clocksource;
	tw_read_clocksource(name, sizeof(name));
	return tw_clocksource_is_counter(name, tw_counter_is_emulated());
}

static void read_machine(struct tw_machine *machine)
{
	long online = sysconf(_SC_NPROCESSORS_ONLN), configured = sysconf(_SC_NPROCESSORS_CONF);
	struct tw_steering steering;
	struct tw_vmclock vmclock;
	struct tw_cpu_list allowed;

	tw_processor_read(machine);
	tw_read_clocksource(machine->clocksource, sizeof(machine->clocksource));
	read_line(CLOCKSOURCE "available_clocksource", machine->clocksources,
		  sizeof(machine->clocksources));
	if (!tw_cpu_list_allowed(&allowed, 0))
		machine->cpus_allowed = tw_cpu_list_count(&allowed);
	if (online > 0)
		machine->cpus_online = (unsigned)online;
	if (configured > 0)
		machine->cpus_configured = (unsigned)configured;
	machine->cpuinfo_khz = tw_read_cpuinfo_khz();
	machine->kernel_log_khz = tw_read_kernel_log_khz();
	machine->perf_page_khz = tw_read_perf_page_khz();
	if (!tw_vmclock_read(&vmclock)) {
		machine->vmclock_hz = vmclock.hz;
		machine->vmclock_error_ppb = vmclock.maxerror_ppb;
	}
	machine->ntp_synchronized = -1;
	if (!tw_steering_read(&steering)) {
		machine->ntp_synchronized = !(steering.status & STA_UNSYNC);
		machine->ntp_steering_ppb = tw_steering_ppb(&steering);
	}
}

int tw_machine_read(struct tw_machine *machine)
{
	int ret = tw_sized_check(machine->size, TW_FIRST_MACHINE);
	struct tw_machine out;
	int saved_errno = errno;

	if (ret)
		return ret;
	read_machine(&out);
	tw_sized_give(machine, &out, sizeof(out));
	errno = saved_errno;
	return 0;
}
