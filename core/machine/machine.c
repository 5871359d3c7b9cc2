/* SPDX-License-Identifier: MIT */
/*
 * What kernel and processor say about the counter: collected here, believed
 * nowhere. What can't be read stays empty, 0 or -1.
 */
#include "machine.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/timex.h>
#include <unistd.h>

#include "clock/monotonic_rate.h"
#include "machine/vmclock.h"
#include "tickwise.h"

#define CLOCKSOURCE	"/sys/devices/system/clocksource/clocksource0/"

/* From <linux/syslog.h>, which is not meant for programs. */
#define SYSLOG_ACTION_READ_ALL		3
#define SYSLOG_ACTION_SIZE_BUFFER	10

/* More CPUs than any kernel is built for; ends the search for the set. */
#define MOST_CPUS	(1 << 20)

static int collect_cpus(const cpu_set_t *set, size_t size, unsigned **cpus,
			unsigned *count)
{
	unsigned most = (unsigned)CPU_COUNT_S(size, set);
	unsigned *list = malloc((most ? most : 1) * sizeof(*list));
	unsigned found = 0;
	unsigned cpu;

	if (!list)
		return -ENOMEM;
	for (cpu = 0; found < most; cpu++)
		if (CPU_ISSET_S(cpu, size, set))
			list[found++] = cpu;
	*cpus = list;
	*count = found;
	return 0;
}

int tw_allowed_cpus(unsigned **cpus, unsigned *count)
{
	unsigned room = CPU_SETSIZE;
	int error = -EINVAL;

	for (; error == -EINVAL && room <= MOST_CPUS; room *= 2) {
		size_t size = CPU_ALLOC_SIZE(room);
		cpu_set_t *set = CPU_ALLOC(room);

		if (!set)
			return -ENOMEM;
		CPU_ZERO_S(size, set);
		error = sched_getaffinity(0, size, set) ? -errno : 0;
		if (!error)
			error = collect_cpus(set, size, cpus, count);
		CPU_FREE(set);
	}
	return error;
}

int tw_pin_to_cpu(unsigned cpu)
{
	size_t size = CPU_ALLOC_SIZE((size_t)cpu + 1);
	cpu_set_t *set = CPU_ALLOC((size_t)cpu + 1);
	int failed;

	if (!set)
		return -ENOMEM;
	CPU_ZERO_S(size, set);
	CPU_SET_S(cpu, size, set);
	failed = sched_setaffinity(0, size, set) ? -errno : 0;
	CPU_FREE(set);
	return failed;
}

/* Up to size - 1 bytes of a file as text; "" if it can't be read. */
static void read_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t length = 0;
	ssize_t got = 1;

	while (fd >= 0 && got > 0 && length < size - 1) {
		got = read(fd, text + length, size - 1 - length);
		if (got > 0)
			length += (size_t)got;
		else if (got < 0 && errno == EINTR)
			got = 1;
	}
	if (fd >= 0)
		close(fd);
	text[length] = '\0';
}

/* The first line of a file without blanks at its end. */
static void read_line(const char *path, char *line, size_t size)
{
	size_t length;

	read_text(path, line, size);
	length = strcspn(line, "\n");
	while (length && line[length - 1] == ' ')
		length--;
	line[length] = '\0';
}

void tw_read_clocksource(char *name, size_t size)
{
	read_line(CLOCKSOURCE "current_clocksource", name, size);
}

/* Elsewhere these texts speak of other clocks than the counter, or, under
 * emulation, of another processor. */
#if defined(__x86_64__)

static uint64_t read_cpuinfo_khz(void)
{
	/* The first CPU's flags end well before. */
	char text[16384];

	read_text("/proc/cpuinfo", text, sizeof(text));
	return tw_parse_cpuinfo_khz(text);
}

static uint64_t read_kernel_log_khz(void)
{
	int size = klogctl(SYSLOG_ACTION_SIZE_BUFFER, NULL, 0);
	uint64_t khz = 0;
	char *text;
	int length;

	if (size <= 0)
		return 0;
	text = malloc((size_t)size + 1);
	if (!text)
		return 0;
	length = klogctl(SYSLOG_ACTION_READ_ALL, text, size);
	if (length > 0) {
		text[length] = '\0';
		khz = tw_parse_kernel_log_khz(text);
	}
	free(text);
	return khz;
}

#else

static uint64_t read_cpuinfo_khz(void)
{
	return 0;
}

static uint64_t read_kernel_log_khz(void)
{
	return 0;
}

#endif

static unsigned system_count(int name)
{
	long count = sysconf(name);

	return count > 0 ? (unsigned)count : 0;
}

static unsigned count_allowed_cpus(void)
{
	unsigned *cpus;
	unsigned count;

	if (tw_allowed_cpus(&cpus, &count))
		return 0;
	free(cpus);
	return count;
}

static void read_vmclock(struct tw_machine *machine)
{
	struct tw_vmclock vmclock;

	if (tw_vmclock_read(&vmclock))
		return;
	machine->vmclock_hz = vmclock.hz;
	machine->vmclock_error_ppb = vmclock.maxerror_ppb;
}

static void read_steering(struct tw_machine *machine)
{
	struct tw_steering steering;

	machine->ntp_synchronized = -1;
	if (tw_steering_read(&steering, NULL))
		return;
	machine->ntp_synchronized = !(steering.status & STA_UNSYNC);
	machine->ntp_steering_ppb = tw_steering_ppb(&steering);
}

void tw_machine_read(struct tw_machine *machine)
{
	int saved_errno = errno;
	struct tw_processor_facts facts;

	memset(machine, 0, sizeof(*machine));
	tw_processor_read(&facts);
	memcpy(machine->processor, facts.processor, sizeof(facts.processor));
	memcpy(machine->hypervisor, facts.hypervisor, sizeof(facts.hypervisor));
	machine->invariant = facts.invariant;
	machine->has_read_with_cpu = facts.has_read_with_cpu;
	machine->cpuid_khz = facts.cpuid_khz;
	machine->hypervisor_khz = facts.hypervisor_khz;
	machine->declared_hz = facts.declared_hz;
	tw_read_clocksource(machine->clocksource, sizeof(machine->clocksource));
	read_line(CLOCKSOURCE "available_clocksource", machine->clocksources,
		  sizeof(machine->clocksources));
	machine->cpus_allowed = count_allowed_cpus();
	machine->cpus_online = system_count(_SC_NPROCESSORS_ONLN);
	machine->cpus_configured = system_count(_SC_NPROCESSORS_CONF);
	machine->cpuinfo_khz = read_cpuinfo_khz();
	machine->kernel_log_khz = read_kernel_log_khz();
	machine->perf_page_khz = tw_read_perf_page_khz();
	read_vmclock(machine);
	read_steering(machine);
	errno = saved_errno;
}
