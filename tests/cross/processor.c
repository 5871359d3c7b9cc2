/* SPDX-License-Identifier: MIT */
/*
 * The counter of this processor, whichever it is, advances and never goes back. It
 * is read together with an allowed CPU, and its declared rate is its rate. Fails if
 * a reader takes the wrong register or half of it, if emulation is taken for real
 * hardware, or if a declared frequency is accepted without a check.
 */
#include <errno.h>
#include <sched.h>

#include "tap.h"
#include "tickwise.h"

static void reads(void)
{
	uint64_t first = tw_ticks_begin(), before = first, now = first;
	unsigned backwards = 0, i;

	for (i = 0; i < 100000; i++) {
		now = i % 2 ? tw_ticks_begin() : tw_ticks_end();
		backwards += (int64_t)(now - before) < 0;
		before = now;
	}
	tap_ok(backwards == 0, "100000 ordered reads: none backwards");
	tap_ok(now > first, "and it moves");
	/* The two readings are unordered, but not a second apart. */
	tap_ok((int64_t)(tw_ticks() - now) < 10000000000,
	       "the unordered read is of the same counter");
}

static void reads_with_cpu(void)
{
	unsigned cpu = ~0u;
	uint64_t before = tw_ticks_begin(), with, after;
	cpu_set_t set;

	with = tw_ticks_cpu(&cpu);
	after = tw_ticks_end();
	tap_ok(before <= with && with <= after, "read with the CPU: between");
	sched_getaffinity(0, sizeof(set), &set);
#if defined(__x86_64__)
	/* qemu's RDTSCP says CPU 0, also where that is not allowed. */
	CPU_SET(0, &set);
#endif
	tap_ok(cpu < CPU_SETSIZE && CPU_ISSET(cpu, &set),
	       "and the CPU, %u, is an allowed one", cpu);
	tap_ok(tw_ticks_cpu(NULL) >= after, "also when nobody asks where");
}

static void state(void)
{
	struct tw_counter_facts facts = TW_SIZED(struct tw_counter_facts);

	tap_is_u64((uint64_t)tw_counter_check(&facts), 0, "checked");
	tap_ok(facts.state != TW_COUNTER_DISABLED &&
	       facts.state != TW_COUNTER_ABSENT && facts.read_cost_ns > 0 &&
	       facts.step_ns > 0 && facts.call_cost_ns > 0,
	       "a read costs %.0f ns, a step is %.0f ns, a call %.0f ns: %s",
	       facts.read_cost_ns, facts.step_ns, facts.call_cost_ns,
	       tw_name(TW_ENUM_COUNTER_STATE, facts.state));
	tap_ok(facts.emulated == 1, "emulation is seen");
}

/*
 * 20 ms against the system clock have a hard bound of their own. What firmware
 * declares must lie within, widened by the 500 ppm that NTP may steer: some
 * emulators count by the steered clock. Under emulation the counter is never the
 * kernel's.
 */
#define STEERED	500e-6

static void rate(void)
{
	const struct tw_rate_options options = {
		.size = sizeof(options), .window_ns = 20000000,
	};
	struct tw_machine machine = TW_SIZED(struct tw_machine);
	struct tw_rate rate = TW_SIZED(struct tw_rate);
	int ret = -EIO;

	/* An emulator that is moved between CPUs may show a clock that goes back, once. */
	for (int i = 0; i < 3 && ret == -EIO; i++)
		ret = tw_rate_measure(&rate, &options);
	tw_machine_read(&machine);
	if (ret) {
		/* Too busy is no evidence; any other error is. */
		if (ret == -EAGAIN)
			tap_skip("too few undisturbed samples");
		else
			tap_ok(0, "no rate: %d", ret);
		return;
	}
	tap_ok(rate.source == TW_RATE_REGRESSION &&
	       (rate.refusal & TW_REFUSED_CLOCKSOURCE),
	       "the kernel's rate is not looked for under emulation");
	tap_note("%.0f Hz +- %.0f ppb; declared %" PRIu64, rate.hz,
		 rate.bound_ppb, machine.declared_hz);
	if (machine.declared_hz)
		tap_ok((double)machine.declared_hz >=
		       rate.low_hz * (1 - STEERED) &&
		       (double)machine.declared_hz <=
		       rate.high_hz * (1 + STEERED),
		       "the declared frequency is within the hard bound");
	else
		tap_ok(rate.low_hz < rate.high_hz, "nothing is declared");
}

static void facts(void)
{
	struct tw_machine machine = TW_SIZED(struct tw_machine);

	tw_machine_read(&machine);
#if defined(__aarch64__)
	/*
	 * qemu's user emulation counts units of 16 ns in Debian 12, and of 1 ns in
	 * 13.
	 */
	tap_ok(machine.declared_hz == 62500000 ||
	       machine.declared_hz == 1000000000,
	       "CNTFRQ_EL0: %llu", (unsigned long long)machine.declared_hz);
#elif !defined(__x86_64__)
	tap_is_u64(machine.declared_hz, 0, "no device tree, nothing declared");
#endif
#if !defined(__x86_64__)
	tap_ok(machine.invariant == 1, "the architecture promises the rate");
	tap_ok(!machine.has_read_with_cpu && !machine.cpuid_khz &&
	       !machine.hypervisor_khz && !machine.cpuinfo_khz &&
	       !machine.kernel_log_khz, "nothing of x86-64 is claimed");
#endif
	tap_ok(machine.cpus_allowed > 0 && machine.cpus_online > 0,
	       "CPUs are counted");
}

int main(void)
{
	reads();
	reads_with_cpu();
	state();
	rate();
	facts();
	return tap_done();
}
