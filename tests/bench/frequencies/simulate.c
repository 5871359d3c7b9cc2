/* SPDX-License-Identifier: MIT */
/*
 * Calibrates one fio, or our library, on simulated counters of 1 to 5 GHz. It is
 * linked with that fio's own object code, see ../fio_frequencies.sh. There, reads
 * of the counter call tw_simulated_rdtsc, and clock_gettime() is the one below.
 * Reading the time lets it pass; tests/rate_machine.h has the disturbances.
 *
 *	simulate COUNT SEED LOAD		load: quiet, busy
 *
 * Prints one line for each frequency: kHz and the error in ppb against the
 * simulated CLOCK_MONOTONIC, which is CLOCK_MONOTONIC_RAW here. Every start has a
 * process of its own, as fio sets its state only once.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../rate_start.h"

#define RUN_SECONDS	1000.0

static struct rate_machine machine;

/* ---- what fio's objects call ---- */

uint64_t tw_simulated_ticks(void);

uint64_t tw_simulated_ticks(void)
{
	return machine.source.read_ticks(&machine);
}

/*
 * Replaces an instruction: changes rax and rdx and nothing else. The compiler
 * leaves no red zone (-mno-red-zone).
 */
__asm__(".text\n"
	".globl tw_simulated_rdtsc\n"
	"tw_simulated_rdtsc:\n"
	"	pushf\n"
	"	push %rbp; mov %rsp, %rbp\n"
	"	push %rcx; push %rsi; push %rdi; push %r8; push %r9\n"
	"	push %r10; push %r11\n"
	"	sub $528, %rsp; and $-64, %rsp\n"
	"	fxsave64 (%rsp)\n"
	"	call tw_simulated_ticks\n"
	"	fxrstor64 (%rsp)\n"
	"	lea -56(%rbp), %rsp\n"
	"	pop %r11; pop %r10\n"
	"	pop %r9; pop %r8; pop %rdi; pop %rsi; pop %rcx\n"
	"	pop %rbp\n"
	"	popf\n"
	"	mov %rax, %rdx; shr $32, %rdx; mov %eax, %eax\n"
	"	ret\n");

int clock_gettime(clockid_t id, struct timespec *now)
{
	uint64_t ns = machine.source.read_ns(&machine);

	(void)id;
	now->tv_sec = (time_t)(ns / TW_NS_PER_SECOND);
	now->tv_nsec = (long)(ns % TW_NS_PER_SECOND);
	return 0;
}

int nanosleep(const struct timespec *time, struct timespec *rest)
{
	(void)rest;
	rate_sleep_ns(&machine, (uint64_t)time->tv_sec * TW_NS_PER_SECOND +
				(uint64_t)time->tv_nsec);
	return 0;
}

int usleep(useconds_t us)
{
	rate_sleep_ns(&machine, (uint64_t)us * 1000);
	return 0;
}

/* What fio's clock refers to elsewhere in fio: no debugging, no gettime thread. */
unsigned long fio_debug;
void *fio_ts;
size_t log_err(const char *format, ...);
size_t log_info(const char *format, ...);

size_t log_err(const char *format, ...)
{
	(void)format;
	return 0;
}

size_t log_info(const char *format, ...)
{
	(void)format;
	return 0;
}

/* Without a fio these do not exist. */
void fio_clock_init(void) __attribute__((weak));
void fio_gettime(struct timespec *now, void *caller) __attribute__((weak));
extern int tw_fio_cpu_clock __attribute__((weak));
extern unsigned fio_clock_source __attribute__((weak));
extern int fio_clock_source_set __attribute__((weak));
extern bool tsc_reliable __attribute__((weak));

/* ---- one start ---- */

static double fio_ns(void)
{
	struct timespec now;

	fio_gettime(&now, NULL);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Measure for so long that a whole nanosecond is 1e-3 ppb. */
static double fio_error_ppb(void)
{
	double begin_ns, end_ns, begin_ticks, passed_ns;

	fio_clock_source = (unsigned)tw_fio_cpu_clock;
	fio_clock_source_set = 1;
	tsc_reliable = true;
	fio_clock_init();
	machine.interrupt_ticks = machine.hole_ticks = INFINITY;
	machine.step_ticks = machine.neighbour_ticks = INFINITY;
	machine.next_ticks = INFINITY;
	begin_ns = fio_ns();
	begin_ticks = floor(machine.now_ticks);
	machine.now_ticks += RUN_SECONDS * machine.hz;
	end_ns = fio_ns();
	passed_ns = (floor(machine.now_ticks) - begin_ticks) / machine.hz * 1e9;
	return ((end_ns - begin_ns) / passed_ns - 1) * 1e9;
}

static double our_error_ppb(void)
{
	const char *window = getenv("TW_WINDOW_NS");
	struct tw_rate_options options = {
		.size = sizeof(options),
		.window_ns = window ? strtoull(window, NULL, 0) :
				      RATE_WINDOW_NS,
		.source = &machine.source,
	};
	struct tw_scale scale;
	struct tw_rate rate = TW_SIZED(struct tw_rate);
	uint64_t ticks = (uint64_t)(RUN_SECONDS * machine.hz);

	if (getenv("TW_MEASURED_ONLY"))
		options.kernel_rate = TW_OFF;
	if (tw_rate_measure(&rate, &options) || tw_scale_init(&scale, &rate, 0))
		return NAN;
	return ((double)tw_ticks_to_ns(&scale, ticks) /
		((double)ticks / machine.hz * 1e9) - 1) * 1e9;
}

/* Try one start. Each kHz from 1 to 5 GHz is equally likely. */
static double one(uint64_t seed, uint64_t i, enum rate_load load, uint32_t *khz)
{
	uint64_t random = rate_mix(seed, i);
	struct tw_kernel_rate rate;
	uint64_t mult60;

	*khz = 1000000 + (uint32_t)(tap_random(&random) % 4000001);
	tw_kernel_rate_of_khz(*khz, &rate);
	mult60 = (uint64_t)rate.mult << (60 - rate.shift);
	rate_machine_init(&machine, tap_random(&random),
			  1e9 * 0x1p60 / (double)mult60, mult60, load, 1);
	machine.source.witness_khz = *khz;
	return fio_clock_init ? fio_error_ppb() : our_error_ppb();
}

int main(int argc, char **argv)
{
	uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 0) : 1000;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	enum rate_load load = argc > 3 && !strcmp(argv[3], "busy") ?
		RATE_BUSY_SPIN : RATE_QUIET;

	for (uint64_t i = 0; i < count; i++) {
		int status = 0;
		pid_t child;

		fflush(stdout);
		child = fork();
		if (child == 0) {
			uint32_t khz;
			double ppb = one(seed, i, load, &khz);

			printf("%u %.6f\n", khz, ppb);
			fflush(stdout);
			_exit(0);
		}
		if (child < 0 || waitpid(child, &status, 0) < 0 || status) {
			fprintf(stderr, "simulate: start %llu failed\n",
				(unsigned long long)i);
			return 1;
		}
	}
	return 0;
}
