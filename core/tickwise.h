/* SPDX-License-Identifier: MIT */
/*
 * Tickwise: time by the CPU's own counter, with its error. The one public header, from
 * simple to advanced: 1 the counter, 2 its rate, 3 the scale (ticks to nanoseconds without
 * a division), 4 the clock, 5 reliability of the CPUs' counters, 6 the clock's error,
 * 7 the histogram, 8 words, 9 diagnostics. The manual pages tell more of each function.
 *
 * Functions return 0 or a negative errno, and write outputs only on success. Unless it is
 * noted they are thread-safe. Where a parameter begins with its size, a wrong size is
 * -EINVAL or -E2BIG: see TW_SIZED. The library never prints and never exits. It leaves no
 * thread, affinity or signal state changed.
 *
 * Hot structures are open and read-only once they are set up. Any number of threads, and
 * children after fork, may read them. Names that begin with tw__ or TW__ are parts of the
 * inline functions, and may change in the next version.
 *
 * The header needs GCC or Clang, and C11, GNU C99, C++11 or later. It needs no feature
 * macro.
 */
#ifndef TICKWISE_H
#define TICKWISE_H

/* Included first, so that this error comes first on other processors. */
#include "counter/read.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>	/* clockid_t: strict C11 has none in <time.h> */
#include <time.h>

#ifdef __cplusplus
extern "C" {
/* Some functions have the name of the structure that they fill in. In C++ such a
 * function hides the structure's constructor, and g++ -Wshadow warns of it. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#endif

/* What is declared from here on is exported; core/libtickwise.map lists it, too. */
#pragma GCC visibility push(default)

/* Set here only: Makefile, tickwise.pc and the man pages read it. Its first number is that
 * of the soname. */
#define TW_VERSION		"0.1"

#define TW_NS_PER_SECOND	1000000000ULL

#define tw__unlikely(x)		__builtin_expect(!!(x), 0)

/**
 * TW_SIZED - a structure that begins with its size, otherwise zero
 * @type: struct tw_rate, for example
 *
 * Structures of options and results may grow at their end in later versions, so each
 * begins with its size, which the caller sets. A program also runs with a library that is
 * newer or older than its header. In C, { .size = sizeof(struct tw_rate_options), ... }
 * does the same.
 *
 * Options: members that the caller's structure lacks are 0. Members that the library does
 * not know must be 0, otherwise the function returns -E2BIG. Results: the library writes
 * no more than size bytes, and members that it does not know become 0. A size of 0, or one
 * that no version has, is -EINVAL.
 */
#ifdef __cplusplus
extern "C++" {
template <typename Type> static inline Type tw__sized()
{
	Type structure = Type();

	structure.size = sizeof(Type);
	return structure;
}
}
#define TW_SIZED(type)		tw__sized<type>()
#else
#define TW_SIZED(type)		((type) { .size = sizeof(type) })
#endif

/* ---- 1 the counter ----------------------------------------------------- */

/**
 * tw_ticks - read the counter in the cheapest way, unordered
 *
 * The CPU may take the value some tens of instructions early or late. For the two ends of
 * a short interval use tw_ticks_begin() and tw_ticks_end(). Cost: one instruction.
 */
static inline uint64_t tw_ticks(void)
{
	return tw__counter_read();
}

/**
 * tw_ticks_begin, tw_ticks_end - read the counter at the ends of an interval
 *
 * The read happens after everything before it has executed and before anything after it
 * starts. Stores made before it may not yet be visible to other CPUs. Cost: about twice
 * tw_ticks().
 */
static inline uint64_t tw_ticks_begin(void)
{
	return tw__counter_read_ordered();
}

static inline uint64_t tw_ticks_end(void)
{
	return tw__counter_read_ordered();
}

/**
 * tw_ticks_cpu - read the counter and the CPU it was read on
 * @cpu: set to the CPU's number; NULL is allowed
 *
 * One instruction where the processor has one that does both (rdtscp), else the counter
 * between two equal answers of the kernel.
 */
uint64_t tw_ticks_cpu(unsigned *cpu);

enum tw_counter_state {
	TW_COUNTER_OK,
	TW_COUNTER_ABSENT,	/* the processor says that it has none */
	TW_COUNTER_DISABLED,	/* a read would kill this process */
	TW_COUNTER_TRAPPED,	/* every read is caught and answered elsewhere */
	TW_COUNTER_COARSE,	/* it moves in steps of over 100 ns */
};

/* Can the counter be read here, and at what price? Each cost is that of the fastest of
 * several loops; 0 for an absent or disabled counter. */
struct tw_counter_facts {
	size_t size;			/* sizeof, as the caller knows it */
	enum tw_counter_state state;
	double read_cost_ns;		/* of tw_ticks() */
	double step_ns;			/* by which the counter moves at a time */
	double clock_cost_ns;		/* of clock_gettime(); 0: see above */
	double call_cost_ns;		/* of the same as a real system call */
	int clock_is_call;		/* clock_gettime() is one: 1 yes, 0 no */
	int emulated;			/* by another program: 1 seen, 0 not */
	int time_namespace;		/* 1 shifted, 0 not, -1 unknown */
	int64_t monotonic_offset_ns;	/* CLOCK_MONOTONIC here - outside */
	int64_t boottime_offset_ns;
};

/**
 * tw_counter_check - find out whether this process may read the counter, and the cost
 *
 * A process can forbid itself the counter: prctl(PR_SET_TSC), which its children inherit.
 * Then tw_ticks() ends in SIGSEGV, and so does clock_gettime() where the kernel keeps time
 * by the counter. This function never makes a read that would kill the process.
 *
 * Return: 0. Takes under a millisecond; keeps errno.
 */
int tw_counter_check(struct tw_counter_facts *facts);

/* ---- 2 the rate -------------------------------------------------------- */

/* The system clock that something is measured against. Neither is in SI seconds. */
enum tw_against {
	TW_AGAINST_RAW,		/* CLOCK_MONOTONIC_RAW: the kernel's own rate */
	TW_AGAINST_MONOTONIC,	/* CLOCK_MONOTONIC: steered by NTP */
};

enum tw_rate_source {
	TW_RATE_REGRESSION,	/* measured; the uncertainty is the fit's */
	TW_RATE_KERNEL,		/* the kernel's own multiplier, verified */
	TW_RATE_KERNEL_PROVISIONAL,	/* the kernel's, with no witness yet */
};

/* The second source of the rate that was recognised as the kernel's. */
enum tw_witness {
	TW_WITNESS_NONE,
	TW_WITNESS_BOUND,	/* the hard interval holds no other candidate */
	TW_WITNESS_CPUID,	/* CPUID leaf 0x15 */
	TW_WITNESS_HYPERVISOR,	/* hypervisor leaf 0x40000010 */
	TW_WITNESS_PERF,	/* multiplier in the perf event page */
	TW_WITNESS_CPUINFO,	/* /proc/cpuinfo of a guest whose rate is given */
	TW_WITNESS_KERNEL_LOG,	/* the kernel's own message about it */
	TW_WITNESS_DECLARED,	/* the counter's frequency by declaration */
};

/* Why the kernel's rate is not used; 0 if it is. */
enum tw_rate_refusal {
	TW_REFUSED_BY_CALLER	= 1 << 0,	/* kernel_rate = TW_OFF */
	TW_REFUSED_CLOCKSOURCE	= 1 << 1,	/* kernel keeps time by another */
	TW_REFUSED_NO_CANDIDATE	= 1 << 2,	/* none within 6 sigma */
	TW_REFUSED_AMBIGUOUS	= 1 << 3,	/* a second one is too near */
	TW_REFUSED_GAPS		= 1 << 4,	/* samples in too few blocks */
};

/**
 * struct tw_rate - how fast the counter runs, and how well that is known
 *
 * Errors are relative to CLOCK_MONOTONIC_RAW, never to SI seconds: the kernel's crystal is
 * some tens of ppm off, which no program can see from inside.
 *
 * Where @source is a kernel rate, @hz is exactly 1e9 * 2^kernel_shift / kernel_mult. Its
 * @uncertainty_ppb is 0, because CLOCK_MONOTONIC_RAW *is* this multiplication. @bound_ppb,
 * @measured_hz and @measured_uncertainty_ppb are always those of the samples alone.
 */
struct tw_rate {
	size_t size;			/* sizeof, as the caller knows it */
	double hz;			/* ticks per second of CLOCK_MONOTONIC_RAW */
	double uncertainty_ppb;		/* 1 sigma */
	double bound_ppb;		/* hard: largest |error| possible */
	enum tw_rate_source source;
	enum tw_witness witness;
	unsigned refusal;		/* bits of enum tw_rate_refusal */
	uint32_t kernel_mult;		/* ns = ticks * mult >> shift; 0: none */
	uint32_t kernel_shift;
	uint64_t window_ns;		/* first to last sample used */
	uint32_t samples;		/* brackets recorded */
	uint32_t used;			/* brackets narrow enough for the fit */
	uint64_t bracket_ticks;		/* the narrowest */
	double measured_hz;
	double measured_uncertainty_ppb;
	double low_hz, high_hz;		/* hard interval of the samples */
};

enum tw_switch { TW_DEFAULT, TW_ON, TW_OFF };

/**
 * struct tw_time_source - where a calibration reads its two clocks
 *
 * For tests, and for counters that the library does not know. @read_ns need not be finer
 * than @granularity_ns: its value v means "between v and v + granularity_ns".
 *
 * @counter_is_clocksource: the kernel's multiply-and-shift computes @read_ns from this very
 * counter, so that its exact rate can be looked for. @witness_khz: that rate as a second
 * source gives it; 0: none. @declared_hz: the frequency that the kernel was told; 0: it
 * found an integer number of kHz by itself, as on x86-64.
 *
 * @sleep_ns: with it, short bursts of reading alternate with sleep. NULL: the whole window
 * is spent reading, so these clocks must advance when they are read.
 */
struct tw_time_source {
	size_t size;			/* sizeof, as the caller knows it */
	uint64_t (*read_ticks)(void *context);
	uint64_t (*read_ns)(void *context);
	void *context;
	uint64_t granularity_ns;
	int counter_is_clocksource;
	uint64_t witness_khz;
	uint64_t declared_hz;
	void (*sleep_ns)(void *context, uint64_t duration_ns);
};

/* A progress function returns 0 to go on, or TW_ENOUGH to end the measurement with
 * what was measured so far. Any other value ends it with -ECANCELED. */
#define TW_ENOUGH	2

struct tw_rate_options {
	size_t size;			/* sizeof, as the caller knows it */
	uint64_t window_ns;		/* 5 ms and more; 0: one second */
	enum tw_switch kernel_rate;	/* TW_OFF: only what is measured */
	const struct tw_time_source *source;	/* NULL: the real clocks */
	/* If the samples are too few, are of less than half the window, or fit more than
	 * one rate of the kernel, the window grows by its own length, up to this; 0: it
	 * does not grow. */
	uint64_t longest_ns;
	/* Called by the calling thread between bursts of reading, some thousand
	 * times in a window of over 100 ms; NULL: not. Returns 0 or
	 * TW_ENOUGH. */
	int (*progress)(void *context, uint64_t elapsed_ns);
	void *context;
};

/**
 * tw_rate_measure - calibrate the counter against CLOCK_MONOTONIC_RAW
 * @options: NULL means one second, and the kernel's rate where it can be verified
 *
 * Reads the clock between two reads of the counter, over and over, and fits a line through
 * the narrow brackets; the error comes from the scatter of sixteen time blocks. Then
 * checks whether exactly one multiplier that the kernel can have made explains the line:
 * core/clock/kernel_rate.c.
 *
 * Blocks for the length of the window, or up to longest_ns, and is busy for at most 100 ms
 * of it. On an idle machine 20 ms are enough, on a busy one not always.
 *
 * Return: 0, or
 *	-EINVAL		a window under 5 ms or over an hour; a source without functions
 *	-ENOMEM		no memory
 *	-EAGAIN		too few undisturbed samples
 *	-EIO		the counter stands still or runs backwards
 *	-ENOTSUP	this process may not read the counter
 *	-ECANCELED	@progress returned neither 0 nor TW_ENOUGH
 */
int tw_rate_measure(struct tw_rate *rate, const struct tw_rate_options *options);

/**
 * tw_seconds_before_wrap - compute how long until a 64-bit counter wraps to 0
 * @ticks: the counter's value now, the largest one where CPUs differ
 *
 * Computed in floating point, so nothing overflows at any rate. The limit of a conversion
 * is max_ticks of its struct tw_scale.
 *
 * Return: seconds; 0, which promises nothing, if @hz is no positive number. Pure.
 */
double tw_seconds_before_wrap(uint64_t ticks, double hz);

/* ---- 3 the scale ------------------------------------------------------- */

/**
 * struct tw_scale - what turns ticks into nanoseconds
 *
 * With L = modulus_log2, the ticks are split into whole moduli of 2^L ticks and a rest:
 *
 *	ns = ((t >> L) * whole + ((t & mask) * mult >> shift) + half) >> q
 *
 * Both parts are in units of 2^-q ns. All products fit 64 bits. @whole is not computed from
 * @mult, whose error thus does not add up over time, and @mult is so small that the
 * function is monotone.
 *
 * The promise: for ticks <= max_ticks the result is within error_ns + error_ppb * 1e-9 *
 * ns of ticks / hz. Above max_ticks the result is max_ns.
 */
struct tw_scale {
	uint64_t mask;
	uint64_t mult;			/* never 0 once set up */
	uint64_t whole;
	uint8_t modulus_log2;
	uint8_t shift;
	uint64_t max_ticks;
	/* not read when converting */
	uint64_t max_ns;
	uint64_t modulus_ns;		/* 2^modulus_log2 ticks, rounded */
	double error_ns;
	double error_ppb;
	double hz;
};

/* Fraction bits: 2^57 ns, 4.5 years, are left. */
#define TW_SCALE_FRACTION_BITS	7
#define TW__SCALE_HALF		(1ULL << (TW_SCALE_FRACTION_BITS - 1))

/**
 * tw_scale_init - prepare the conversion of ticks to nanoseconds
 * @rate: 10 MHz to 10 GHz; if it has a kernel multiplier, that exact ratio is used
 * @modulus_ns: wanted length of a modulus, of which the nearest power of two in ticks is
 *              taken. 0: the longest, up to 2^39 ticks, that keeps error_ns at 1 or below
 *
 * Return: 0; -ERANGE for a rate outside the range, or for a modulus with which the products
 * do not fit 64 bits. Pure.
 */
int tw_scale_init(struct tw_scale *scale, const struct tw_rate *rate,
		  uint64_t modulus_ns);

/* Convert without the range check, for ticks <= max_ticks. */
static inline uint64_t tw__scale_modulus(const struct tw_scale *scale,
					uint64_t ticks)
{
	return ((ticks >> scale->modulus_log2) * scale->whole +
		((ticks & scale->mask) * scale->mult >> scale->shift) +
		TW__SCALE_HALF) >> TW_SCALE_FRACTION_BITS;
}

/**
 * tw_ticks_to_ns - convert ticks to nanoseconds, rounded to nearest
 * @ticks: an interval, 0 to scale->max_ticks; more saturates
 *
 * Cost: two multiplications, three shifts.
 */
static inline uint64_t tw_ticks_to_ns(const struct tw_scale *scale,
				      uint64_t ticks)
{
	if (tw__unlikely(ticks > scale->max_ticks))
		return scale->max_ns;
	return tw__scale_modulus(scale, ticks);
}

/**
 * tw_ticks_delta_to_ns - convert a signed difference of ticks to nanoseconds
 * @ticks: end - begin, as a signed number
 *
 * f(-t) = -f(t): if @begin was read on a CPU whose counter is a little ahead, the result is
 * a small negative number and not 584 years.
 */
static inline int64_t tw_ticks_delta_to_ns(const struct tw_scale *scale,
					   int64_t ticks)
{
	if (ticks < 0)
		return -(int64_t)tw_ticks_to_ns(scale, 0 - (uint64_t)ticks);
	return (int64_t)tw_ticks_to_ns(scale, (uint64_t)ticks);
}

/* ---- 4 the clock ------------------------------------------------------- */

struct tw_clock_state;
struct tw_reliability;

/**
 * struct tw_clock - nanoseconds of a system clock, read from the counter
 *
 * Set up by tw_clock_init(), released by tw_clock_free(). Copies share @state: use and free
 * one of them. Allocate a clock with its alignment (aligned_alloc()). Inline functions read
 * this structure, so its 192 bytes never change.
 *
 * The base is some time before the anchor, so that a counter that is a little behind on
 * another CPU gives a time that is a little earlier.
 *
 * @system is set where the counter can't be read or calibrated, or where the caller wants
 * the system's clock. Then every function below calls clock_gettime(): the meaning is the
 * same, the cost higher. Where the counter is disabled for the process that is a real
 * system call, as the vDSO would read the counter.
 */
struct tw_clock {
	/* One cache line, to max_ticks of the scale, holds what a reader needs. */
	uint64_t base_ticks;
	uint64_t base_ns;
	struct tw_scale scale;
	struct tw_clock_state *state;
	/* not read when the clock is read */
	uint64_t anchor_ticks;
	uint64_t anchor_ns;		/* of clock_id, at anchor_ticks */
	uint64_t anchor_error_ns;	/* hard: half of the anchor's bracket */
	clockid_t clock_id;
	int system;			/* 1: clock_gettime() in place of ticks;
					   2: by a real system call */
	int system_errno;		/* why: -errno of the calibration, or 0 */
	uint32_t tw__reserved[13];
} __attribute__((aligned(64)));

struct tw_clock_options {
	size_t size;			/* sizeof, as the caller knows it */
	uint64_t window_ns;		/* of the calibration; 0: one second */
	enum tw_switch kernel_rate;
	enum tw_switch system;		/* TW_ON: use the system clock */
	const struct tw_rate *rate;	/* already measured: don't calibrate */
	enum tw_against anchor;		/* the clock it shows; 0: RAW */
	uint64_t longest_ns;		/* of the calibration: as of the rate */
};

/**
 * tw_clock_init - calibrate the counter and anchor it on a system clock
 * @clock: release with tw_clock_free()
 * @options: NULL means one second, and CLOCK_MONOTONIC_RAW
 *
 * If the counter can't be calibrated, the function still succeeds: the clock then reads the
 * system's clock, and clock->system is set.
 *
 * The rate is always that of CLOCK_MONOTONIC_RAW. A clock that is anchored on
 * CLOCK_MONOTONIC drifts from it as far as NTP steers that clock.
 *
 * Return: 0; -EINVAL as tw_rate_measure(), and for an unknown anchor; -ENOMEM. Blocks for
 * the window.
 */
int tw_clock_init(struct tw_clock *clock, const struct tw_clock_options *options);

/* Release a clock with no reader left, or one of zeros. It is all zeros afterwards. */
void tw_clock_free(struct tw_clock *clock);

/* Slow paths: for times before the base or beyond the range, and for the system's clock. */
uint64_t tw__clock_ns_slow(const struct tw_clock *clock, uint64_t ticks);
void tw__clock_timespec_slow(uint64_t ns, uint64_t *second_ns,
			    struct timespec *ts);

/**
 * tw_clock_ns_at - convert a stamp, taken earlier with tw_ticks(), to a time
 *
 * Not meaningful while clock->system is set.
 */
static inline uint64_t tw_clock_ns_at(const struct tw_clock *clock,
				      uint64_t ticks)
{
	uint64_t since = ticks - clock->base_ticks;

	if (since <= clock->scale.max_ticks)
		return clock->base_ns + tw__scale_modulus(&clock->scale, since);
	return tw__clock_ns_slow(clock, ticks);
}

/**
 * tw_clock_ns - read the time now, in nanoseconds of the anchor's clock
 *
 * Cost: tw_ticks() and the conversion.
 */
static inline uint64_t tw_clock_ns(const struct tw_clock *clock)
{
	/* Without a scale, reading the counter may not be allowed. */
	if (tw__unlikely(!clock->scale.mult))
		return tw__clock_ns_slow(clock, 0);
	return tw_clock_ns_at(clock, tw_ticks());
}

/* The second that a thread is in; one for each thread, zeroed before first use. */
struct tw_second {
	uint64_t start_ns;
	time_t seconds;
};

/**
 * tw_clock_timespec - read the time as a timespec, usually without a division
 * @second: the caller's cache, one per thread, zeroed before first use
 */
static inline void tw_clock_timespec(const struct tw_clock *clock,
				     struct tw_second *second,
				     struct timespec *ts)
{
	uint64_t ns = tw_clock_ns(clock);
	uint64_t in_second_ns = ns - second->start_ns;

	if (tw__unlikely(in_second_ns >= TW_NS_PER_SECOND)) {
		tw__clock_timespec_slow(ns, &second->start_ns, ts);
		second->seconds = ts->tv_sec;
		return;
	}
	ts->tv_sec = second->seconds;
	ts->tv_nsec = (long)in_second_ns;
}

/* One moment on several clocks. @ticks_before and @ticks_after enclose the reading of
 * @system_ns, so the error of the moment is at most half of their distance. */
struct tw_clock_mark {
	size_t size;			/* sizeof, as the caller knows it */
	uint64_t ticks_before;
	uint64_t ticks_after;
	uint64_t system_ns;
};

/**
 * tw_clock_mark - read a system clock between two reads of the counter
 * @tries: how often to read, 1 to 1000000; the narrowest reading is taken
 *
 * Return: 0; -EINVAL if @tries is out of range; -ENOTSUP when this process may not read the
 * counter; -errno of clock_gettime().
 */
int tw_clock_mark(enum tw_against against, unsigned tries,
		  struct tw_clock_mark *mark);

/* ---- 5 reliability ----------------------------------------------------- */

enum tw_verdict {
	TW_RELIABLE,
	TW_UNRELIABLE,		/* proven */
	TW_UNDECIDED,		/* the measurement was disturbed or too wide */
};

/*
 * The first four prove TW_UNRELIABLE. Bounds that are too wide, too few
 * switches and skipped CPUs leave the verdict undecided; they are not reported
 * with a proof. The kernel's clocksource and the processor's promise change no
 * verdict, and can come with any.
 */
enum tw_reliability_reason {
	TW_REASON_OFFSET	= 1 << 0,	/* an offset interval excludes 0 */
	TW_REASON_PACE		= 1 << 1,	/* two CPUs count at unlike rates */
	TW_REASON_STANDS_STILL	= 1 << 2,	/* the counter does not move */
	TW_REASON_BACKWARDS	= 1 << 3,	/* a later read was smaller */
	TW_REASON_TOLERANCE	= 1 << 4,	/* bounds wider than wanted */
	TW_REASON_STATISTICS	= 1 << 5,	/* too few switches between CPUs */
	TW_REASON_ONE_CPU	= 1 << 6,	/* only one CPU allowed: no pairs */
	TW_REASON_CLOCKSOURCE	= 1 << 7,	/* the kernel prefers another */
	TW_REASON_NOT_INVARIANT	= 1 << 8,	/* no constant rate is promised */
	TW_REASON_CPUS_SKIPPED	= 1 << 9,	/* allowed, but not judged */
};

enum tw_reliability_method {
	TW_METHOD_CAS,		/* threads on all CPUs at the same time */
	TW_METHOD_SWITCH,	/* one thread that is moved from CPU to CPU */
};

/*
 * The offset of one CPU's counter from another's: positive = @cpu is ahead. It is inside
 * the interval, and equals neither end; the counter's own step is included. If no constant
 * offset explains the probes, the interval covers all the offset went through: at an even
 * pace, or before and after a jump.
 */
struct tw_cpu_offset {
	unsigned base_cpu;
	unsigned cpu;
	int64_t low_ticks;
	int64_t high_ticks;
	uint32_t bounds;		/* how many probes narrowed the interval */
	double pace_low_ppb;		/* of @cpu against @base_cpu */
	double pace_high_ppb;
};

#define TW_RELIABILITY_MAX_CPUS	1024

/**
 * struct tw_reliability - what the probes showed
 *
 * offset_low_ticks and offset_high_ticks are those of the widest pair, and of 0, the
 * base's own offset: any two readings differ by at most that. A missing bound is INT64_MAX
 * or its negative, and INFINITY for a pace.
 */
struct tw_reliability {
	size_t size;			/* sizeof, as the caller knows it */
	enum tw_verdict verdict;
	unsigned reasons;		/* bits of enum tw_reliability_reason */
	enum tw_reliability_method method;
	unsigned cpus;			/* judged */
	unsigned cpus_skipped;		/* allowed, but no thread stayed there */
	unsigned pairs;			/* entries in offsets */
	int64_t offset_low_ticks;
	int64_t offset_high_ticks;
	int monotonic;			/* 1: no later read was smaller */
	uint64_t backwards;		/* how many later reads were smaller */
	uint64_t probes;
	uint64_t switches;		/* probes whose predecessor was elsewhere */
	uint64_t full_loops;		/* rounds over all CPUs and back */
	double pace_low_ppb;		/* hull of all pairs */
	double pace_high_ppb;
	uint64_t elapsed_ns;
	double hz;			/* by which ticks became ns here */
	double read_cost_ns;		/* of tw_ticks(), in a loop */
	struct tw_cpu_offset *offsets;	/* freed by tw_reliability_free() */
	double step_ticks;		/* by which the counters moved, correct to
					   0.1; 1: no longer step was seen */
};

/* How far a measurement has come. */
struct tw_reliability_progress {
	size_t size;			/* sizeof, as the caller knows it */
	uint64_t elapsed_ns;
	uint64_t time_limit_ns;
	uint64_t probes;
	unsigned cpus;			/* those that take part */
};

struct tw_reliability_options {
	size_t size;			/* sizeof, as the caller knows it */
	enum tw_reliability_method method;
	uint64_t time_limit_ns;		/* 0: 500 ms after least_time_ns */
	uint64_t least_switches;	/* per CPU; 0: 100 */
	uint64_t tolerance_ns;		/* wanted bound; 0: 500 for TW_METHOD_CAS,
					   100000 for TW_METHOD_SWITCH: no thread
					   moves fast enough to prove 500 */
	double hz;			/* 0: a short look at the clock */
	double pace_limit_ppb;		/* 0: 1000 */
	uint64_t least_time_ns;		/* a longer time gives narrower intervals
					   of pace; 0: some ms */
	/* Called by the calling thread some four times a second; NULL: not.
	 * Returns 0 or TW_ENOUGH. With TW_ENOUGH there is a verdict. */
	int (*progress)(void *context,
			const struct tw_reliability_progress *progress);
	void *context;
};

/**
 * tw_reliability_measure - measure whether the allowed CPUs' counters agree
 * @result: release with tw_reliability_free()
 * @options: NULL means the defaults above
 *
 * TW_METHOD_CAS: a thread on each CPU takes turns at a counter in memory, by
 * compare-and-swap; the order of the swaps is the order of the reads. TW_METHOD_SWITCH: one
 * thread moves over the CPUs, and reads before and after each move. That bounds an offset
 * to tens of microseconds only, and TW_RELIABLE is a weaker statement then, but no two CPUs
 * need to work at the same time.
 *
 * The function makes its own threads. Takes some 10 ms on idle CPUs. CPUs beyond
 * TW_RELIABILITY_MAX_CPUS, and those on which no thread could be kept, are not judged; then
 * the verdict is never TW_RELIABLE.
 *
 * Return: 0 with a verdict, or
 *	-ENOMEM		no memory
 *	-EAGAIN		no thread could be started
 *	-EINVAL		a time over an hour; an unknown method; a rate or pace limit that is
 *			negative or no number
 *	-ENOTSUP	this process may not read the counter
 *	-ECANCELED	@progress returned neither 0 nor TW_ENOUGH
 */
int tw_reliability_measure(struct tw_reliability *result,
			   const struct tw_reliability_options *options);
void tw_reliability_free(struct tw_reliability *result);

/*
 * Two statements, of kernel, processor or measurement, that can't both be right. A
 * named rate contradicts the measured one if they are more than 500 ppm apart.
 */
enum tw_contradiction {
	TW_CONTRADICTION_KERNEL_TRUSTS	= 1 << 0,	/* measured unreliable */
	TW_CONTRADICTION_KERNEL_REJECTS	= 1 << 1,	/* measured reliable */
	TW_CONTRADICTION_INVARIANT	= 1 << 2,	/* measured: it is not */
	TW_CONTRADICTION_NOT_INVARIANT	= 1 << 3,	/* the kernel relies on it */
	TW_CONTRADICTION_CPUID_RATE	= 1 << 4,
	TW_CONTRADICTION_HYPERVISOR_RATE = 1 << 5,
	TW_CONTRADICTION_CPUINFO_RATE	= 1 << 6,
	TW_CONTRADICTION_LOG_RATE	= 1 << 7,
	TW_CONTRADICTION_DECLARED_RATE	= 1 << 8,
};

struct tw_machine;

/**
 * tw_contradictions - find where kernel, processor and measurement disagree
 *
 * Contradictions change no verdict: the measurement alone gives it.
 *
 * Return: bits of enum tw_contradiction, 0 for none; -EINVAL or -E2BIG. Pure.
 */
int tw_contradictions(const struct tw_reliability *result,
		      const struct tw_machine *machine);

/* What kernel and processor say about the counter. */
struct tw_machine {
	size_t size;			/* sizeof, as the caller knows it */
	char processor[64];		/* the brand string */
	char hypervisor[16];		/* "" on bare metal */
	char clocksource[32];		/* the kernel's current one */
	char clocksources[128];		/* those that it could use */
	int invariant;			/* 1 yes, 0 no, -1 unknown */
	int has_read_with_cpu;		/* rdtscp: 1 yes, 0 no */
	unsigned cpus_allowed;
	unsigned cpus_online;
	unsigned cpus_configured;
	uint64_t cpuid_khz;		/* leaf 0x15; 0: not given */
	uint64_t hypervisor_khz;	/* leaf 0x40000010; 0: not given */
	uint64_t cpuinfo_khz;		/* /proc/cpuinfo, guests only; 0: none */
	uint64_t kernel_log_khz;	/* 0: not readable or gone */
	uint64_t declared_hz;		/* by register or device tree; 0: none */
	uint64_t perf_page_khz;		/* perf's multiplier; 0: not allowed */
	double vmclock_hz;		/* the host's, of UTC or TAI; 0: none */
	double vmclock_error_ppb;	/* its bound, by the host; 0: not given */
	int ntp_synchronized;		/* by adjtimex: 1, 0; -1 unknown */
	double ntp_steering_ppb;	/* + = MONOTONIC faster than RAW */
};

/* Collect that. A member that can't be read is empty, 0 or -1. Return: 0; -EINVAL or -E2BIG
 * for a wrong size. */
int tw_machine_read(struct tw_machine *machine);

/* ---- 6 the clock's error ----------------------------------------------- */

/* Give the clock's rate. Return: 0; -EINVAL or -E2BIG for a wrong size. */
int tw_clock_rate(const struct tw_clock *clock, struct tw_rate *rate);

/* The checks of tw_clock_check(). */
enum tw_health_check {
	TW_HEALTH_PREDICTION,	/* the clock against the one it was set by */
	TW_HEALTH_CLOCKSOURCE,	/* what the kernel keeps time by */
	TW_HEALTH_SUSPEND,	/* CLOCK_BOOTTIME - CLOCK_MONOTONIC */
	TW_HEALTH_CPUS,		/* the counters of the CPUs, briefly */
	TW_HEALTH_HOST,		/* whether the host moved this machine */
	TW_HEALTH_INDEPENDENT,	/* a clock that does not use this counter */
	TW_HEALTH_CHECKS,
};

enum tw_health_state {
	TW_HEALTH_NOT_RUN,	/* the check could not be made */
	TW_HEALTH_GOOD,
	TW_HEALTH_BAD,		/* a fault, proven */
	TW_HEALTH_UNDECIDED,	/* it was made, and can't tell */
};

/**
 * struct tw_clock_health - what was checked, and what was seen
 *
 * TW_UNRELIABLE: one check or more is bad. TW_RELIABLE: the first four are good; the others
 * need devices that few machines have. Otherwise TW_UNDECIDED.
 */
struct tw_clock_health {
	size_t size;			/* sizeof, as the caller knows it */
	enum tw_verdict verdict;
	enum tw_health_state state[TW_HEALTH_CHECKS];
	/* How far this clock advanced since it was set up, less how far the
	 * CLOCK_MONOTONIC_RAW advanced. The difference is within [low, high]
	 * for certain. If rate and counter are right, it is also
	 * within +-allowed. */
	uint64_t over_ns;
	double drift_low_ns, drift_high_ns;
	double drift_allowed_ns;
	char clocksource[32];		/* the kernel's, now */
	int64_t suspended_ns;		/* since the clock was set up */
	double cpu_low_ns, cpu_high_ns;	/* by which two CPUs can be apart;
					   infinite: no bound */
	unsigned cpu_reasons;		/* bits of enum tw_reliability_reason */
	char independent[32];		/* the device's name */
	double independent_ppb;		/* RAW fast of it: positive */
	double independent_error_ppb;	/* of the comparison */
};

/**
 * tw_clock_check - check whether the clock is still what it was set up to be
 *
 * Makes every check that a program can make, and tells which ones it could not. Each has a
 * blind spot: tw_text() of TW_ENUM_HEALTH_BLIND.
 *
 * Return: 0 with a verdict; -ENOTSUP if the clock reads the system's; -ENOMEM; -EIO when a
 * clock stands still. Takes some 10 to 50 ms, and runs a thread on each CPU that the caller
 * may use.
 */
int tw_clock_check(const struct tw_clock *clock, struct tw_clock_health *health);

/* ---- 7 the histogram --------------------------------------------------- */

/**
 * struct tw_histogram - log-linear histogram of nanoseconds, all of 64 bits
 *
 * Values below 2^bits have a bin each. Above, every octave is split into 2^bits bins, in
 * one zeroed mapping: bins that are never touched cost no memory. Minimum, maximum, count,
 * sum and sum of squares are exact. One thread writes; others read when it has ended, or
 * with their own ordering.
 */
struct tw_histogram {
	uint64_t *bins;
	uint64_t count;
	uint64_t repeats;		/* of count: a value that counts N times has N - 1 */
	uint64_t sum_ns;
	uint64_t min_ns;		/* UINT64_MAX while empty */
	uint64_t max_ns;
	/* Sum of the squares: low and high 64 bits. If they are 0 and sum_ns is
	 * not, the sum is not known: only bins were added. */
	uint64_t squares_ns2[2];
	uint32_t bin_count;
	uint8_t bits;
	uint8_t digits;
};

/**
 * tw_histogram_init - set up an empty histogram; release it with tw_histogram_free()
 * @digits: significant decimal digits, 1 to 5: a bin is at most 10^-digits of its value wide
 *
 * Return: 0; -EINVAL; -ENOMEM.
 */
int tw_histogram_init(struct tw_histogram *histogram, unsigned digits);
void tw_histogram_free(struct tw_histogram *histogram);

/* Return the number of the bin that counts a value. */
static inline uint32_t tw__histogram_bin(const struct tw_histogram *histogram,
					uint64_t value_ns)
{
	unsigned bits = histogram->bits;
	/* The octave of a value below 2^bits is 0. No branch computes it, since
	 * latencies of about a microsecond are on both sides of 2^10. */
	unsigned octave = (63U ^ (unsigned)__builtin_clzll(value_ns | 1ULL << bits)) - bits;

	return (octave << bits) + (uint32_t)(value_ns >> octave);
}

/* Count @times equal values, at least one. */
static inline void tw__histogram_add_times(struct tw_histogram *histogram,
					   uint64_t value_ns, uint64_t times)
{
	__extension__ typedef unsigned __int128 tw_u128;
	const tw_u128 square_ns2 = (tw_u128)value_ns * value_ns * times;
	const uint64_t low = (uint64_t)square_ns2;

	histogram->bins[tw__histogram_bin(histogram, value_ns)] += times;
	histogram->count += times;
	histogram->repeats += times - 1;
	histogram->sum_ns += value_ns * times;
	histogram->squares_ns2[0] += low;
	histogram->squares_ns2[1] += (uint64_t)(square_ns2 >> 64) +
				     (histogram->squares_ns2[0] < low);
	if (value_ns < histogram->min_ns)
		histogram->min_ns = value_ns;
	if (value_ns > histogram->max_ns)
		histogram->max_ns = value_ns;
}

/* Count one value. Cost: one count-leading-zeros, one multiplication and eight additions or
 * compares. */
static inline void tw_histogram_add(struct tw_histogram *histogram,
				    uint64_t value_ns)
{
	tw__histogram_add_times(histogram, value_ns, 1);
}

/* Add all of @from to @into. Return: 0; -EINVAL when their digits differ; -EOVERFLOW
 * when the count or the sum would exceed 64 bits, or the squares 128. On an error @into
 * is unchanged. */
int tw_histogram_merge(struct tw_histogram *into,
		       const struct tw_histogram *from);

/**
 * tw_histogram_percentile - return what @percent, 0 to 100, of all values do not exceed
 *
 * Returns the upper edge of that value's bin, limited to the exact minimum and maximum: at
 * most one bin's width too large. 0 when empty.
 */
uint64_t tw_histogram_percentile(const struct tw_histogram *histogram,
				 double percent);

/* Return the mean, or the standard deviation of the sample (n - 1); 0 when empty. If
 * the sum of squares is not known, the deviation comes from the centres of the bins. */
double tw_histogram_mean_ns(const struct tw_histogram *histogram);
double tw_histogram_stddev_ns(const struct tw_histogram *histogram);

/* ---- 8 words ----------------------------------------------------------- */

/* The enumerations that tw_name() and tw_text() have words for. */
enum tw_enum {
	TW_ENUM_COUNTER_STATE,	/* enum tw_counter_state */
	TW_ENUM_AGAINST,	/* enum tw_against */
	TW_ENUM_RATE_SOURCE,	/* enum tw_rate_source */
	TW_ENUM_WITNESS,	/* enum tw_witness */
	TW_ENUM_RATE_REFUSAL,	/* enum tw_rate_refusal: one bit */
	TW_ENUM_VERDICT,	/* enum tw_verdict */
	TW_ENUM_REASON,		/* enum tw_reliability_reason: one bit */
	TW_ENUM_CONTRADICTION,	/* enum tw_contradiction: one bit */
	TW_ENUM_HEALTH_CHECK,	/* enum tw_health_check: what it checks */
	TW_ENUM_HEALTH_BLIND,	/* the same: what it can't see */
	TW_ENUM_HEALTH_STATE,	/* enum tw_health_state */
};

/**
 * tw_name - return the name of a value, for programs
 * @value: one of the enumeration's; if its values are bits, a single bit
 *
 * A word of lower-case letters, or a clock's name; it is never changed. Return: a constant
 * string, never NULL; "unknown" where there is no such value.
 */
const char *tw_name(enum tw_enum which, unsigned value);

/* Return what a value means, for people: a clause without a full stop; the name, if the
 * name says it all. Texts may change from version to version. */
const char *tw_text(enum tw_enum which, unsigned value);

/* ---- 9 diagnostics ----------------------------------------------------- */

enum tw_diagnostics_level {
	TW_SAY_NOTE,		/* a decision: which rate was taken, and why */
	TW_SAY_WARNING,		/* less was done than was asked for */
};

/**
 * tw_set_diagnostics - let the library tell what it decides, for logs
 * @say: called with @context, a level and one line of text without newline; NULL: no call
 *
 * Results contain everything that a program has to act on. The thread that called the
 * library calls @say; several threads may do so at once. @say must not call
 * tw_set_diagnostics(). When tw_set_diagnostics() returns, no call to an earlier @say is
 * under way. Not to be called while another thread forks.
 */
void tw_set_diagnostics(void (*say)(void *context, int level,
				    const char *message), void *context);

#pragma GCC visibility pop

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#endif

#endif /* TICKWISE_H */
