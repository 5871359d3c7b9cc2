/* SPDX-License-Identifier: MIT */
/*
 * Loaded into qemu-system-x86_64, makes the counter of each virtual CPU lie as a
 * file tells. The file may change while the machine runs.
 *
 *	LYING_COUNTER=FILE	lines of "CPU TICKS PPM": CPU, from 0, or "all",
 *				is TICKS ahead and gains PPM from now on. The
 *				file is read every 2 ms.
 *
 * Under software emulation qemu calls one function of its own for every read of the
 * counter. Programs export their functions, but do not search for them elsewhere,
 * so its code is overwritten with a jump to the function here. Writes of the
 * counter's register do nothing under emulation; hence this way.
 *
 * The address of its state identifies the CPU that reads. CPUs come in the order of
 * their first readings. That is the order of their numbers, since the first CPU
 * starts the others.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CPUS		8
#define LOOK_US		2000

struct lie {
	int64_t ahead_ticks;
	double ppm;
	uint64_t since_ticks;
};

static struct lie none;
static _Atomic(struct lie *) lies[CPUS];
static _Atomic(void *) states[CPUS];
static uint64_t (*true_ticks)(void);

static unsigned cpu_of(void *state)
{
	unsigned cpu;

	for (cpu = 0; cpu < CPUS - 1; cpu++) {
		void *known = atomic_load(&states[cpu]);

		if (!known && atomic_compare_exchange_strong(&states[cpu],
							     &known, state))
			break;
		if (known == state)
			break;
	}
	return cpu;
}

static uint64_t lying_ticks(void *state)
{
	const struct lie *lie = atomic_load(&lies[cpu_of(state)]);
	uint64_t ticks = true_ticks();

	return ticks + (uint64_t)lie->ahead_ticks +
	       (uint64_t)(int64_t)((double)(int64_t)(ticks -
						     lie->since_ticks) *
				   lie->ppm * 1e-6);
}

/* The former entry may still be in use: it stays. */
static void tell(unsigned cpu, int64_t ahead_ticks, double ppm,
		 uint64_t since_ticks)
{
	struct lie *lie = malloc(sizeof(*lie));

	if (!lie)
		return;
	*lie = (struct lie) { ahead_ticks, ppm, since_ticks };
	atomic_store(&lies[cpu], lie);
}

static void obey(const char *text)
{
	char name[8];
	long long ahead_ticks;
	double ppm;
	int length;

	while (sscanf(text, "%7s %lld %lf%n", name, &ahead_ticks, &ppm,
		      &length) == 3) {
		/* One for all CPUs: otherwise a rate would put them apart. */
		const uint64_t since_ticks = true_ticks();
		unsigned cpu;

		text += length;
		for (cpu = 0; cpu < CPUS; cpu++)
			if (!strcmp(name, "all") ||
			    cpu == strtoul(name, NULL, 10))
				tell(cpu, ahead_ticks, ppm, since_ticks);
	}
}

static void *look(void *path)
{
	char text[256], before[256] = "";

	for (;;) {
		FILE *file = fopen(path, "re");

		if (file) {
			size_t length = fread(text, 1, sizeof(text) - 1, file);

			fclose(file);
			text[length] = '\0';
			/* Take a whole line that differs from the one before. */
			if (strchr(text, '\n') && strcmp(text, before)) {
				memcpy(before, text, sizeof(before));
				obey(text);
			}
		}
		usleep(LOOK_US);
	}
	return NULL;
}

/* movabs $lying_ticks, %rax; jmp *%rax */
static int divert(unsigned char *code)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	unsigned char *from = code - (uintptr_t)code % page;
	uint64_t target = (uintptr_t)lying_ticks;

	if (mprotect(from, 2 * page, PROT_READ | PROT_WRITE | PROT_EXEC))
		return -1;
	code[0] = 0x48;
	code[1] = 0xb8;
	memcpy(code + 2, &target, sizeof(target));
	code[10] = 0xff;
	code[11] = 0xe0;
	return mprotect(from, 2 * page, PROT_READ | PROT_EXEC);
}

static __attribute__((constructor)) void start(void)
{
	char *path = getenv("LYING_COUNTER");
	void *asked = dlsym(RTLD_DEFAULT, "cpu_get_tsc");
	void *source = dlsym(RTLD_DEFAULT, "cpus_get_elapsed_ticks");
	pthread_t thread;
	unsigned cpu;

	/* LD_PRELOAD reaches other programs, too: timeout(1) for one. */
	if (!path || !asked)
		return;
	for (cpu = 0; cpu < CPUS; cpu++)
		atomic_init(&lies[cpu], &none);
	memcpy(&true_ticks, &source, sizeof(source));
	if (!source || divert(asked) ||
	    pthread_create(&thread, NULL, look, path)) {
		fputs("lying_counter: this qemu can't be made to lie\n",
		      stderr);
		exit(1);
	}
}
