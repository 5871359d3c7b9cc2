/* SPDX-License-Identifier: MIT */
/*
 * Each window of 20 ms in the recordings of another machine (tests/recordings) finds the
 * kernel's rate, and the stated error holds. The counter's step of 24.5 ticks is found.
 *
 * Fails on a sigma that the wander of the readings exceeds, as on this processor before its
 * step was known (error / sigma was 1.6), on a wrong rate, or on a step that is rounded.
 */
#include <math.h>

#include "clock/kernel_rate.h"
#include "tap.h"

#define RECORDINGS	"tests/recordings/amd-zen3-kvm/"
#define MULT		6860657	/* what the recording machine's kernel used */
#define SHIFT		24

/* Readings placed on steps give 0.57, 1.59 and 0.005 ppb; a fifth more, and 0.01, are allowed.
 * What a sigma says takes more than two windows. */
static const struct {
	const char *name;
	unsigned windows, accepted;
	double rms_ppb, least_sigmas, most_sigmas;
} files[] = {
	{ "idle-20ms", 8, 8, 0.7, 0.5, 1.2 }, { "busy-20ms", 30, 30, 1.9, 0.5, 1.2 },
	{ "idle-1s", 2, 2, 0.01, 0, 3 }, { "dense-busy-20ms", 1, 0, 10, 0, 3 },
};

struct seen {
	unsigned windows, accepted, wrong, beyond, outside, on_step, placed;
	double squares, normed;
};

/* Read the next window, of COUNT lines. Return 0 at the end of the file. */
static int read_window(FILE *file, struct tw_brackets *brackets)
{
	uint64_t ticks, ns, apart_ticks, width_ticks, passed_ns;

	if (fscanf(file, " # tolerance_ticks %" SCNu64 " granularity_ns %" SCNu64 "%*[^\n]",
		   &brackets->tolerance_ticks, &brackets->granularity_ns) < 0 ||
	    fscanf(file, " window %zu %" SCNu64 " %" SCNu64, &brackets->count, &ticks, &ns) != 3)
		return 0;
	brackets->bracket = calloc(brackets->count, sizeof(*brackets->bracket));
	for (size_t i = 0; i < brackets->count; i++) {
		if (fscanf(file, "%" SCNu64 " %" SCNu64 " %" SCNu64, &apart_ticks,
			   &width_ticks, &passed_ns) != 3)
			exit(1);
		ticks += apart_ticks;
		ns += passed_ns;
		brackets->bracket[i] = (struct tw_bracket) { ticks, ticks + width_ticks, ns };
	}
	return 1;
}

static void replay(struct tw_brackets *brackets, struct seen *seen)
{
	const struct tw_kernel_candidates every_khz = { .every_khz = 1 };
	const double hz = 1e9 * (1 << SHIFT) / MULT;
	double error_ppb, sigma_ppb;
	struct tw_kernel_rate kernel;
	struct tw_fit fit;
	int alone;

	brackets->step_ticks = tw_brackets_step_ticks(brackets);
	brackets->is_of_counter = 1;
	seen->windows++;
	seen->on_step += fabs(brackets->step_ticks - 24.5) < 0.1;
	if (tw_fit_brackets(brackets, &fit))
		return;
	error_ppb = (fit.hz / hz - 1) * 1e9;
	sigma_ppb = hypot(fit.sigma_ppb, fit.wander_ppb);
	seen->squares += error_ppb * error_ppb;
	seen->normed += error_ppb / sigma_ppb * (error_ppb / sigma_ppb);
	seen->beyond += fabs(error_ppb) > 3 * sigma_ppb;
	seen->placed += fit.wander_ppb == 0;
	seen->outside += hz < fit.low_hz || hz > fit.high_hz;
	if (tw_kernel_rate_recognise(&fit, &every_khz, &kernel, &alone))
		return;
	seen->accepted++;
	seen->wrong += kernel.mult != MULT || kernel.shift != SHIFT;
}

int main(void)
{
	for (unsigned i = 0; i < sizeof(files) / sizeof(*files); i++) {
		unsigned windows = files[i].windows;
		const char *name = files[i].name;
		struct tw_brackets brackets = { .tolerance_ticks = 12, .granularity_ns = 1 };
		struct seen seen = { 0 };
		double rms_ppb, sigmas;
		char command[200];
		FILE *file;

		snprintf(command, sizeof(command), "xz -dc " RECORDINGS "%s.txt.xz", name);
		file = popen(command, "r");
		while (file && read_window(file, &brackets)) {
			replay(&brackets, &seen);
			tw_brackets_free(&brackets);
		}
		tap_is_u64(file && pclose(file) == 0 ? seen.windows : 0, windows, name);
		tap_ok(seen.accepted >= files[i].accepted && !seen.wrong && !seen.outside,
		       "%u windows have the kernel's rate, %u another; %u are outside their "
		       "bounds", seen.accepted, seen.wrong, seen.outside);
		tap_is_u64(seen.on_step, windows, "the step is 24.5 in all");
		tap_ok(seen.placed >= files[i].accepted, "%u have their readings on steps",
		       seen.placed);
		rms_ppb = sqrt(seen.squares / windows);
		sigmas = sqrt(seen.normed / windows);
		tap_ok(rms_ppb < files[i].rms_ppb && sigmas >= files[i].least_sigmas &&
		       sigmas <= files[i].most_sigmas && seen.beyond == 0,
		       "off by %.3f ppb, %.2f sigma; %u beyond 3 sigma", rms_ppb, sigmas,
		       seen.beyond);
	}
	return tap_done();
}
