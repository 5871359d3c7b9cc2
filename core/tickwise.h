/* SPDX-License-Identifier: MIT */
/*
 * Tickwise: time by the CPU's own counter, with its error.
 *
 * The one public header, from simple to advanced:
 *
 *   1 the counter       reading ticks
 *   2 the rate          how many ticks make a second, and how well it is known
 *   3 the scale         ticks to nanoseconds without a division
 *   4 the clock         nanoseconds since an anchor on a system clock
 *   5 reliability       can the counter be trusted on these CPUs?
 *   6 the clock's error refining it, its health, an interval with its error
 *   7 the histogram     log-linear, of nanoseconds
 *   8 words             names and texts of all these enumerations
 *   9 diagnostics       what the slow functions decided, as text
 *
 * Functions return 0 or a negative errno; outputs are written only on success.
 * Where a parameter begins with its size, -EINVAL and -E2BIG also mean a wrong
 * one: TW_SIZED. The library never prints, never exits, and leaves no thread,
 * affinity or signal state changed. Hot structures are open and, but for what
 * tw_clock_refine() does to a clock, read-only once set up: any number of
 * threads, and children after fork, may read them.
 *
 * Names that begin with tw__ or TW__ are parts of the inline functions: a program
 * that uses them may not compile with the next version.
 *
 * Needs GCC or Clang, and C11, GNU C99, C++11 or later. No feature macro needs
 * to be defined before it.
 */
#ifndef TICKWISE_H
#define TICKWISE_H

/* First, so that on other processors this is the first thing that is said. */
#if defined(__x86_64__)
#include "counter/x86_64.h"
#elif defined(__aarch64__)
#include "counter/aarch64.h"
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
#include "counter/ppc64le.h"
#elif defined(__riscv) && __riscv_xlen == 64
#include "counter/riscv64.h"
#else
#error "tickwise: no counter is known for this processor (x86-64, aarch64, ppc64le, riscv64)"
#endif

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>	/* clockid_t: strict C11 has none in <time.h> */
#include <time.h>

#ifdef __cplusplus
extern "C" {
/* A function that fills in a structure has its name: in C++ it hides that
 * structure's constructor, and g++ -Wshadow says so. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#endif

/*
 * The library itself is built with hidden visibility: what is declared from
 * here to the end of this file is what it exports (core/libtickwise.map lists
 * it once more, with versions).
 */
#pragma GCC visibility push(default)

/* The one place of the version: Makefile, tickwise.pc and the man pages read
 * it here. Its first number is that of the shared library's soname. */
#define TW_VERSION		"0.1"

#define TW_NS_PER_SECOND	1000000000ULL

#define tw__unlikely(x)		__builtin_expect(!!(x), 0)

/**
 * TW_SIZED - a structure that begins with its size, otherwise zero
 * @type: struct tw_rate, for example
 *
 * Structures of options and results may grow at their end in later versions. So
 * that a program runs with a library of another version than its header, each
 * begins with its size, which the caller sets. With designated initialisers,
 * "{ .size = sizeof(struct tw_rate_options), .window_ns = 20000000 }" is the
 * same.
 *
 * Of options, what the library knows and the caller's structure lacks is 0; what
 * the library does not know has to be 0: -E2BIG. Of results, no more than size
 * bytes are written, and what the library does not know becomes 0. A size of 0,
 * or one that never was: -EINVAL.
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
 * tw_ticks - the cheapest read of the counter, unordered
 *
 * The CPU may take the value some tens of instructions early or late. Right
 * for stamps whose neighbours are far away; for the two ends of a short
 * interval use tw_ticks_begin() and tw_ticks_end().
 *
 * Cost: one instruction (rdtsc on x86-64). Thread-safe.
 */
static inline uint64_t tw_ticks(void)
{
	return tw__counter_read();
}

/**
 * tw_ticks_begin - read the counter before an interval begins
 *
 * Taken after everything before it has executed and before anything after it
 * starts. Cost: about twice tw_ticks(). Thread-safe.
 */
static inline uint64_t tw_ticks_begin(void)
{
	return tw__counter_read_ordered();
}

/**
 * tw_ticks_end - read the counter when an interval has ended
 *
 * Ordered as tw_ticks_begin(). Stores made before it may not yet be visible to
 * other CPUs. Cost: about twice tw_ticks(). Thread-safe.
 */
static inline uint64_t tw_ticks_end(void)
{
	return tw__counter_read_ordered();
}

/**
 * tw_ticks_cpu - read the counter and the CPU it was read on
 * @cpu: set to the CPU's number; NULL is allowed
 *
 * One instruction where the processor has one that does both (rdtscp), else
 * the counter between two equal answers of the kernel. Thread-safe.
 */
uint64_t tw_ticks_cpu(unsigned *cpu);

enum tw_counter_state {
	TW_COUNTER_OK,
	TW_COUNTER_ABSENT,	/* the processor says that it has none */
	TW_COUNTER_DISABLED,	/* a read would kill this process */
	TW_COUNTER_TRAPPED,	/* every read is caught and answered elsewhere */
	TW_COUNTER_COARSE,	/* it moves in steps of over 100 ns */
};

/**
 * struct tw_counter_facts - can the counter be read here, and at what price?
 *
 * Costs are those of the cheapest of some loops. A counter that is absent or
 * disabled was not read: its costs are 0.
 */
struct tw_counter_facts {
	size_t size;			/* sizeof, as the caller knows it */
	enum tw_counter_state state;
	double read_cost_ns;		/* of tw_ticks() */
	double step_ns;			/* by which the counter moves at a time */
	double clock_cost_ns;		/* of clock_gettime(); 0: see above */
	double call_cost_ns;		/* of the same as a real system call */
	int clock_is_call;		/* clock_gettime() is one: 1, 0 */
	int emulated;			/* by another program: 1 seen, 0 not */
	int time_namespace;		/* 1 shifted, 0 not, -1 unknown */
	int64_t monotonic_offset_ns;	/* CLOCK_MONOTONIC here - outside */
	int64_t boottime_offset_ns;
};

/**
 * tw_counter_check - may this process read the counter, and what does it cost?
 * @facts: the result
 *
 * A process can forbid itself the counter (prctl(PR_SET_TSC), inherited by its
 * children); then tw_ticks() and, where the kernel keeps time by that counter,
 * even clock_gettime() end in SIGSEGV. Some virtual machines and processors
 * answer every read in software. This asks the kernel first and never makes a
 * read that would kill.
 *
 * Return: 0. Takes under a millisecond; keeps errno. Thread-safe.
 */
int tw_counter_check(struct tw_counter_facts *facts);

/* ---- 2 the rate -------------------------------------------------------- */

/* The system clock that something is measured against. None of them is SI. */
enum tw_against {
	TW_AGAINST_RAW,		/* CLOCK_MONOTONIC_RAW: the kernel's own rate */
	TW_AGAINST_MONOTONIC,	/* CLOCK_MONOTONIC: steered by NTP */
};

enum tw_rate_source {
	TW_RATE_REGRESSION,	/* measured; the uncertainty is the fit's */
	TW_RATE_KERNEL,		/* the kernel's own multiplier, verified */
	TW_RATE_KERNEL_PROVISIONAL,	/* the same, no second witness yet */
	TW_RATE_KERNEL_STEERED,	/* and what adjtimex says of the steering */
};

/* Who else names the rate that was recognised as the kernel's. */
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

/* Why the kernel's rate was not taken; 0 when it was. */
enum tw_rate_refusal {
	TW_REFUSED_BY_CALLER	= 1 << 0,	/* kernel_rate = TW_OFF */
	TW_REFUSED_AGAINST	= 1 << 1,	/* its steering can't be read */
	TW_REFUSED_CLOCKSOURCE	= 1 << 2,	/* kernel keeps time by another */
	TW_REFUSED_NO_CANDIDATE	= 1 << 3,	/* none within 6 sigma */
	TW_REFUSED_AMBIGUOUS	= 1 << 4,	/* a second one too near */
	TW_REFUSED_GAPS		= 1 << 5,	/* samples in too few blocks */
	TW_REFUSED_DISPROVED	= 1 << 6,	/* by tw_clock_refine() */
	TW_REFUSED_SLEWED	= 1 << 7,	/* offset, adjtime, PPS at work */
	TW_REFUSED_CHANGED	= 1 << 8,	/* steered anew in the window */
};

/**
 * struct tw_rate - how fast the counter runs, and how well that is known
 *
 * @uncertainty_ppb and @bound_ppb are of the rate relative to @against, never
 * relative to SI seconds: the kernel's own idea of a second is a crystal's,
 * some tens of ppm off, and no program can see that from inside.
 *
 * Where @source is a kernel rate, @hz is exactly 1e9 * 2^kernel_shift /
 * kernel_mult and @uncertainty_ppb is 0 against CLOCK_MONOTONIC_RAW (that
 * clock *is* this multiplication); @measured_hz and @measured_uncertainty_ppb
 * keep what the samples alone said. @bound_ppb is always the hard bound of
 * the samples: it does not shrink because a candidate was accepted.
 *
 * TW_RATE_KERNEL_STEERED is CLOCK_MONOTONIC's: the kernel's rate divided by 1 +
 * @steering_ppb * 1e-9, with no multiplier, as the kernel takes turns with two.
 * It holds until NTP steers anew. @uncertainty_ppb is what those turns, and
 * the resolution of adjtimex, leave over a window as long as this one.
 */
struct tw_rate {
	size_t size;			/* sizeof, as the caller knows it */
	double hz;			/* ticks per second of @against */
	double uncertainty_ppb;		/* 1 sigma */
	double bound_ppb;		/* hard: largest |error| possible */
	enum tw_rate_source source;
	enum tw_against against;
	enum tw_witness witness;
	unsigned refusal;		/* bits of enum tw_rate_refusal */
	uint32_t kernel_mult;		/* ns = ticks * mult >> shift; 0: none */
	uint32_t kernel_shift;
	uint64_t window_ns;		/* first to last sample used */
	uint32_t samples;		/* brackets recorded */
	uint32_t used;			/* of them narrow enough for the fit */
	uint64_t bracket_ticks;		/* the narrowest */
	double measured_hz;
	double measured_uncertainty_ppb;
	double low_hz, high_hz;		/* hard interval of the samples */
	double steering_ppb;		/* + = MONOTONIC faster than RAW */
};

enum tw_switch { TW_DEFAULT, TW_ON, TW_OFF };

struct timex;

/**
 * struct tw_time_source - where a calibration reads its two clocks
 *
 * For tests and for counters the library does not know. @read_ns need not be
 * finer than @granularity_ns; its value v means "between v and v +
 * granularity_ns". Without one, tw_ticks_begin()/tw_ticks_end() and
 * clock_gettime() are used directly.
 *
 * @counter_is_clocksource says that @read_ns is computed from this very
 * counter with the kernel's multiply-and-shift, so that its exact rate may be
 * looked for; @witness_khz (0: none) is a second source's word for that rate.
 * @declared_hz is the frequency that the kernel was told; 0 means that it found
 * an integer number of kHz by itself, as on x86-64.
 *
 * Without @sleep_ns (NULL) the window is spent reading, so these clocks must
 * advance by being read. With it, short bursts of reading alternate with sleep,
 * as on a machine where others want the CPU.
 *
 * Against CLOCK_MONOTONIC @read_ns is that clock, and its exact rate can be
 * known only from the last two (else NULL): CLOCK_MONOTONIC_RAW of the same
 * granularity, and adjtimex(2), asked with modes 0 and ADJ_OFFSET_SS_READ.
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
	uint64_t (*read_raw_ns)(void *context);
	int (*adjtimex)(void *context, struct timex *timex);
};

/* What a function that is told of the progress returns to end a measurement with what
 * was measured by then. 0 goes on; anything else ends with -ECANCELED. */
#define TW_ENOUGH	2

struct tw_rate_options {
	size_t size;			/* sizeof, as the caller knows it */
	uint64_t window_ns;		/* 5 ms and more; 0: one second */
	enum tw_against against;	/* 0: CLOCK_MONOTONIC_RAW */
	enum tw_switch kernel_rate;	/* TW_OFF: only what is measured */
	const struct tw_time_source *source;	/* NULL: the real clocks */
	uint64_t longest_ns;		/* while samples are too few, or more than
					   one kernel's rate fits: go on for as
					   long again, up to this; 0: don't */
	/* Called by the calling thread between bursts of reading, some thousand times
	 * in a window of over 100 ms; NULL: not. Returns 0 or TW_ENOUGH. */
	int (*progress)(void *context, uint64_t elapsed_ns);
	void *context;
};

/**
 * tw_rate_measure - calibrate the counter against a system clock
 * @rate: the result
 * @options: NULL means one second against CLOCK_MONOTONIC_RAW, kernel's rate
 *           taken where it verifies itself
 *
 * Reads the clock between two reads of the counter, over and over, for the
 * length of the window; keeps the narrow ones, fits a line, and estimates the
 * error from the scatter of sixteen time blocks. Then looks whether exactly
 * one multiplier that the kernel can have made explains it (see
 * core/clock/kernel_rate.c); against CLOCK_MONOTONIC together with what
 * adjtimex(2) says of the steering (core/clock/monotonic_rate.c).
 *
 * Busy for at most 100 ms of a window; longer windows are spent asleep
 * between short bursts. Blocks for the length of the window, or up to
 * longest_ns: an idle machine makes 20 ms enough, a crowded one not always.
 *
 * Return: 0; -EINVAL for a window under 5 ms or over an hour or a source
 * without functions; -ENOMEM; -EAGAIN when too few undisturbed samples could
 * be taken; -EIO when the counter stands still or runs backwards; -ENOTSUP
 * when the counter cannot be read by this process; -ECANCELED when @progress
 * returned neither 0 nor TW_ENOUGH.
 * Thread-safe.
 */
int tw_rate_measure(struct tw_rate *rate, const struct tw_rate_options *options);

/**
 * tw_ticks_largest - the largest counter value on the CPUs allowed
 * @ticks: the largest value read
 * @cpu: the CPU it was read on; NULL is allowed
 *
 * A thread of its own goes over the CPUs that the caller may run on and reads
 * the counter on each; the caller's affinity is never touched. Counters of a
 * reliable machine are nanoseconds apart, and the last CPU read wins.
 *
 * Return: how many CPUs were read, 1 and more; -ENOMEM; -EAGAIN when no thread
 * can be had or it could be kept on no CPU; -ENOTSUP when this process may not
 * read the counter; -errno of sched_getaffinity().
 * Cost: some ten microseconds a CPU. Thread-safe.
 */
int tw_ticks_largest(uint64_t *ticks, unsigned *cpu);

/**
 * tw_seconds_before_wrap - how long until a 64-bit counter starts again at 0
 * @ticks: its value now; tw_ticks_largest() has that of the earliest CPU
 * @hz: ticks per second
 *
 * Computed in floating point: nothing overflows at any rate, and at 1 GHz the
 * answer is about 584 years less the machine's age. That is the counter's own
 * limit; a conversion's is max_ticks of its struct tw_scale.
 *
 * Return: seconds; 0, which promises nothing, for a rate that is no positive
 * number. Pure; thread-safe.
 */
double tw_seconds_before_wrap(uint64_t ticks, double hz);

/* ---- 3 the scale ------------------------------------------------------- */

/**
 * struct tw_scale - what turns ticks into nanoseconds
 *
 * With L = modulus_log2, the ticks are split into whole moduli
 * of 2^L ticks and a rest:
 *
 *	ns = ((t >> L) * whole + ((t & mask) * mult >> shift) + half) >> q
 *
 * Both parts are in units of 2^-q ns and share one final rounding shift. All
 * products fit 64 bits. @whole is computed by itself, not from @mult, so the
 * error of @mult does not add up over time; @mult is at most so large that the
 * last tick of a modulus does not exceed the next whole one, which makes the
 * whole function monotone.
 *
 * The promise: for ticks <= max_ticks the result is within error_ns +
 * error_ppb * 1e-9 * ns of ticks / hz. Above max_ticks it is max_ns.
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
 * @scale: the result; read-only afterwards
 * @rate: 10 MHz to 10 GHz; where it carries a kernel multiplier, that ratio
 *        is used, not its decimal image
 * @modulus_ns: wished length of a modulus; the nearest power of two of ticks
 *              is taken and kept in @scale. 0 chooses the one with the
 *              smallest error in ppb that keeps error_ns at or below 1
 *
 * Return: 0; -ERANGE for a rate outside the range, or a modulus so long or so
 * short that the products do not fit. Pure; thread-safe.
 */
int tw_scale_init(struct tw_scale *scale, const struct tw_rate *rate,
		  uint64_t modulus_ns);

/* Of the conversion, what is less than a modulus: for ticks <= mask, in
 * fractions of a nanosecond. */
static inline uint64_t tw__scale_part(const struct tw_scale *scale,
					     uint64_t ticks)
{
	return ticks * scale->mult >> scale->shift;
}

/* The conversion without the range check, for ticks <= max_ticks. */
static inline uint64_t tw__scale_modulus(const struct tw_scale *scale,
					uint64_t ticks)
{
	return ((ticks >> scale->modulus_log2) * scale->whole +
		tw__scale_part(scale, ticks & scale->mask) +
		TW__SCALE_HALF) >> TW_SCALE_FRACTION_BITS;
}

/**
 * tw_ticks_to_ns - ticks to nanoseconds
 * @scale: from tw_scale_init()
 * @ticks: an interval, 0 to scale->max_ticks; more saturates
 *
 * Rounded to nearest. Cost: two multiplications, three shifts. Thread-safe.
 */
static inline uint64_t tw_ticks_to_ns(const struct tw_scale *scale,
				      uint64_t ticks)
{
	if (tw__unlikely(ticks > scale->max_ticks))
		return scale->max_ns;
	return tw__scale_modulus(scale, ticks);
}

/**
 * tw_ticks_delta_to_ns - signed difference of ticks to nanoseconds
 * @scale: from tw_scale_init()
 * @ticks: end - begin, as a signed number
 *
 * Odd: f(-t) = -f(t). A begin that was read on a CPU a little ahead gives a
 * small negative number here, not 584 years. Thread-safe.
 */
static inline int64_t tw_ticks_delta_to_ns(const struct tw_scale *scale,
					   int64_t ticks)
{
	if (ticks < 0)
		return -(int64_t)tw_ticks_to_ns(scale, 0 - (uint64_t)ticks);
	return (int64_t)tw_ticks_to_ns(scale, (uint64_t)ticks);
}

/* ---- 4 the clock ------------------------------------------------------- */

/*
 * The clock from some moment on, at a better rate: made by tw_clock_refine(). A
 * segment takes over at begin_ticks exactly where the one before it stands, and is
 * never changed or taken back afterwards: the clock stays one function of the
 * counter.
 */
struct tw__clock_segment {
	/* What reading needs is one cache line. */
	uint64_t begin_ticks;
	uint64_t limit_ticks;		/* since then; 0: not to be used */
	uint64_t base_ns;
	struct tw_scale scale;
} __attribute__((aligned(64)));

struct tw_clock_state;
struct tw_reliability;

/**
 * struct tw_clock - nanoseconds of a system clock, read from the counter
 *
 * Set up by tw_clock_init(), released by tw_clock_free(). What is behind @state is
 * the library's. Copies share it: use one of them, and free that one. Allocate a
 * clock with its alignment (aligned_alloc()).
 *
 * The base lies some time before the anchor, so that a counter a little behind on
 * another CPU still gives a time a little earlier and not a wrapped one.
 *
 * Where the counter can't be read, can't be calibrated, or the caller wants
 * the system's clock, @system is set and every function below calls
 * clock_gettime() instead: same meaning, more nanoseconds. Where the counter
 * is disabled for the process (tw_counter_check()), that is a real system call,
 * since the vDSO reads the counter, and is killed for it, too.
 *
 * Inline functions read it, so its 192 bytes never change.
 */
struct tw_clock {
	/* What reading needs is one cache line, to the middle of the scale. */
	uint64_t base_ticks;
	uint64_t base_ns;
	uint64_t limit_ticks;		/* since the base; beyond: slow path */
	struct tw_scale scale;		/* of the rate at the start */
	const struct tw__clock_segment *tw__last;	/* NULL: not refined */
	struct tw_clock_state *state;
	/* not read when reading the clock */
	uint64_t anchor_ticks;
	uint64_t anchor_ns;		/* of clock_id, at anchor_ticks */
	uint64_t anchor_error_ns;	/* hard: half of the anchor's bracket */
	clockid_t clock_id;
	int system;			/* 1: clock_gettime() in place of ticks;
					   2: by a real system call */
	int system_errno;		/* why: -errno of the calibration, or 0 */
	uint32_t tw__reserved[9];
} __attribute__((aligned(64)));

enum tw_anchor {
	TW_ANCHOR_AS_RATE,	/* on the clock that the rate is against */
	TW_ANCHOR_RAW,
	TW_ANCHOR_MONOTONIC,
};

struct tw_clock_options {
	size_t size;			/* sizeof, as the caller knows it */
	uint64_t window_ns;		/* of the calibration; 0: one second */
	enum tw_against against;	/* anchor and rate; 0: RAW */
	enum tw_switch kernel_rate;
	enum tw_switch system;		/* TW_ON: use the system clock */
	const struct tw_rate *rate;	/* already measured: don't calibrate */
	enum tw_anchor anchor;		/* 0: that of the rate */
	const struct tw_reliability *reliability;	/* for tw_interval();
					   kept, so it must live as long */
	uint64_t longest_ns;		/* of the calibration: as of the rate */
};

/**
 * tw_clock_init - calibrate the counter and anchor it on a system clock
 * @clock: the clock; release with tw_clock_free()
 * @options: NULL means one second against CLOCK_MONOTONIC_RAW
 *
 * A counter that fails calibration is no error here: the clock then reads the
 * system's, and clock->system says so. Callers who must not have that look at
 * it.
 *
 * Anchored on another clock than the rate is against, the clock drifts from
 * its anchor's by what those two do: choose that for long intervals in RAW
 * seconds that start at a CLOCK_MONOTONIC time.
 *
 * Return: 0; -EINVAL as tw_rate_measure(), and for an anchor that there is not;
 * -ENOMEM.
 * Blocks for the window. Thread-safe.
 */
int tw_clock_init(struct tw_clock *clock, const struct tw_clock_options *options);

/**
 * tw_clock_free - release a clock
 * @clock: from tw_clock_init(), which nobody reads any more; or all zeros
 *
 * The clock is all zeros afterwards.
 */
void tw_clock_free(struct tw_clock *clock);

/* Slow paths: before the base or the last segment, beyond the range, system. */
uint64_t tw__clock_ns_slow(const struct tw_clock *clock, uint64_t ticks);
void tw__clock_timespec_slow(uint64_t ns, uint64_t *second_ns,
			    struct timespec *ts);

/*
 * Looked at after the counter was read and not before (volatile: asm volatile
 * is not passed): a segment that comes between the two would else be missed.
 * See core/clock/segment.c.
 */
static inline uint64_t tw__clock_limit(const uint64_t *limit_ticks)
{
	const volatile uint64_t *limit = limit_ticks;

	return __atomic_load_n(limit, __ATOMIC_ACQUIRE);
}

/*
 * The last segment, if it is to be used for @ticks; NULL: by the slow way. The
 * limit is looked at first: once there is one, nothing in it changes any more.
 */
static inline const struct tw__clock_segment *
tw__clock_last(const struct tw_clock *clock, uint64_t ticks, uint64_t *since)
{
	const struct tw__clock_segment *const volatile *place =
		&clock->tw__last;
	const struct tw__clock_segment *last =
		__atomic_load_n(place, __ATOMIC_ACQUIRE);
	uint64_t limit;

	if (!last)
		return NULL;
	limit = tw__clock_limit(&last->limit_ticks);
	*since = ticks - __atomic_load_n(&last->begin_ticks, __ATOMIC_RELAXED);
	return *since < limit ? last : NULL;
}

/**
 * tw_clock_ns_at - the clock's time of a stamp taken earlier with tw_ticks()
 * @clock: from tw_clock_init()
 * @ticks: a reading of the counter
 *
 * Not meaningful while clock->system is set (stamps are then nanoseconds of
 * the system clock, see tw_clock_ns()). Thread-safe.
 */
static inline uint64_t tw_clock_ns_at(const struct tw_clock *clock,
				      uint64_t ticks)
{
	uint64_t since = ticks - clock->base_ticks;
	const struct tw__clock_segment *last;

	if (since <= tw__clock_limit(&clock->limit_ticks))
		return clock->base_ns + tw__scale_modulus(&clock->scale, since);
	last = tw__clock_last(clock, ticks, &since);
	if (last)
		return last->base_ns + tw__scale_modulus(&last->scale, since);
	return tw__clock_ns_slow(clock, ticks);
}

/**
 * tw_clock_ns - nanoseconds of the anchor's clock, now
 * @clock: from tw_clock_init()
 *
 * Cost: tw_ticks() and the conversion; one cache line more once refined.
 * Thread-safe.
 */
static inline uint64_t tw_clock_ns(const struct tw_clock *clock)
{
	/* Without a scale the counter may be one that must not be read. */
	if (tw__unlikely(!clock->scale.mult))
		return tw__clock_ns_slow(clock, 0);
	return tw_clock_ns_at(clock, tw_ticks());
}

/* The second a thread is in. Zeroed before first use, one per thread. */
struct tw_second {
	uint64_t start_ns;
	time_t seconds;
};

/**
 * tw_clock_timespec - the time as a timespec, with no division on the usual path
 * @clock: from tw_clock_init()
 * @second: the caller's cache, one per thread, zeroed before first use
 * @ts: the result
 *
 * While the second stays the same, tv_nsec is one subtraction. Only the first
 * reading in another second divides. Thread-safe with a cache of one's own.
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

/**
 * struct tw_clock_mark - one moment on several clocks at once
 *
 * @ticks_before and @ticks_after enclose the reading of @system_ns, so the
 * moment is known to half of their distance.
 */
struct tw_clock_mark {
	size_t size;			/* sizeof, as the caller knows it */
	uint64_t ticks_before;
	uint64_t ticks_after;
	uint64_t system_ns;
};

/**
 * tw_clock_mark - read a system clock between two reads of the counter
 * @against: which system clock
 * @tries: take the narrowest of so many, 1 to 1000000
 * @mark: the result
 *
 * Return: 0; -EINVAL for no tries; -ENOTSUP when this process may not read the
 * counter; -errno of clock_gettime(). Thread-safe.
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
 * The first four prove TW_UNRELIABLE, and then stand alone; the bounds, the
 * statistics and CPUs skipped leave it undecided. The kernel's clocksource and
 * what the processor promises change no verdict and come beside any.
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
	TW_REASON_NOT_INVARIANT	= 1 << 8,	/* no rate is promised */
	TW_REASON_CPUS_SKIPPED	= 1 << 9,	/* allowed, but not judged */
};

enum tw_reliability_method {
	TW_METHOD_CAS,		/* threads on all CPUs at the same time */
	TW_METHOD_SWITCH,	/* one thread that is moved from CPU to CPU */
};

/*
 * What one CPU's counter is off another's: positive = @cpu is ahead. The
 * interval holds the offset, and neither of its ends is it. A counter's own step
 * is in it: it shows nothing between two steps. Where no constant offset is
 * possible the interval holds all that one at an even pace went over; where it
 * jumped, what it was seen at before and after.
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
 * offset_low_ticks and offset_high_ticks are those of the widest pair and the
 * base's own 0: what any two readings can differ by. A bound that is missing
 * altogether is INT64_MAX or its negative, a pace without one INFINITY.
 * "Monotonic" is a statement about what was seen, in probe order.
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
	uint64_t backwards;		/* how many were */
	uint64_t probes;
	uint64_t switches;		/* probes whose predecessor was elsewhere */
	uint64_t full_loops;		/* rounds over all CPUs and back */
	double pace_low_ppb;		/* hull of all pairs */
	double pace_high_ppb;
	uint64_t elapsed_ns;
	double hz;			/* what turned ticks into ns here */
	double read_cost_ns;		/* of tw_ticks(), in a loop */
	struct tw_cpu_offset *offsets;	/* freed by tw_reliability_free() */
	double step_ticks;		/* by which the counters were seen to move,
					   good to 0.1; 1: no longer step */
};

/* How far a measurement has come. */
struct tw_reliability_progress {
	size_t size;			/* sizeof, as the caller knows it */
	uint64_t elapsed_ns;
	uint64_t time_limit_ns;
	uint64_t probes;
	unsigned cpus;			/* that take part */
};

struct tw_reliability_options {
	size_t size;			/* sizeof, as the caller knows it */
	enum tw_reliability_method method;
	uint64_t time_limit_ns;		/* 0: 500 ms after least_time_ns */
	uint64_t least_switches;	/* per CPU; 0: 100 */
	uint64_t tolerance_ns;		/* wanted bound; 0: 500 by
					   compare-and-swap, 100000 by switching,
					   which can't prove 500: no move of a
					   thread is that fast */
	double hz;			/* 0: a short look at the clock */
	double pace_limit_ppb;		/* 0: 1000 */
	uint64_t least_time_ns;		/* the longer, the narrower the
					   intervals of pace; 0: some ms */
	/* Called by the calling thread some four times a second; NULL: not.
	 * Returns 0 or TW_ENOUGH, see there: then there is a verdict. */
	int (*progress)(void *context,
			const struct tw_reliability_progress *progress);
	void *context;
};

/**
 * tw_reliability_measure - can the counter be trusted on the allowed CPUs?
 * @result: release with tw_reliability_free()
 * @options: NULL means the defaults above
 *
 * TW_METHOD_CAS: one thread on each CPU that the caller may run on takes turns
 * at a counter in memory with compare-and-swap; the order of the swaps is the
 * order of the reads. TW_METHOD_SWITCH: one thread is moved over these CPUs and
 * reads before and after each move. That bounds an offset by the shortest moves
 * there and back, tens of microseconds in place of tenths of one, and needs no
 * other CPU to do anything at the same time; TW_RELIABLE then says that much less.
 * Either way the threads are its own; the caller's affinity, signals and threads
 * are as before on return.
 *
 * Takes some 10 ms on idle CPUs, and ends early on loaded ones, too, as soon as
 * the statistics suffice. CPUs beyond TW_RELIABILITY_MAX_CPUS, and those on
 * which no thread could be started or kept, are not judged; then the verdict
 * is never TW_RELIABLE.
 *
 * Return: 0 with a verdict; -ENOMEM; -EAGAIN when no thread at all can be had;
 * -EINVAL for a time over an hour, a method that there is not, a rate or pace
 * limit that is negative or no number; -ENOTSUP when this process may not read
 * the counter; -ECANCELED when @progress returned neither 0 nor TW_ENOUGH.
 * Thread-safe.
 */
int tw_reliability_measure(struct tw_reliability *result,
			   const struct tw_reliability_options *options);
void tw_reliability_free(struct tw_reliability *result);

/*
 * Where two of kernel, processor and measurement can't both be right. A rate
 * that somebody names contradicts if it is more than 500 ppm off the measured.
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
 * tw_contradictions - where kernel, processor and measurement disagree
 * @result: from tw_reliability_measure()
 * @machine: from tw_machine_read(), on the same machine
 *
 * They change no verdict: it is the measurement's.
 *
 * Return: bits of enum tw_contradiction, 0 for none; -EINVAL or -E2BIG. Pure;
 * thread-safe.
 */
int tw_contradictions(const struct tw_reliability *result,
		      const struct tw_machine *machine);

/**
 * struct tw_machine - what kernel and processor say about the counter
 */
struct tw_machine {
	size_t size;			/* sizeof, as the caller knows it */
	char processor[64];		/* the brand string */
	char hypervisor[16];		/* "" on bare metal */
	char clocksource[32];		/* the kernel's current one */
	char clocksources[128];		/* those it could use */
	int invariant;			/* 1 yes, 0 no, -1 unknown */
	int has_read_with_cpu;		/* rdtscp: 1 yes, 0 no */
	unsigned cpus_allowed;
	unsigned cpus_online;
	unsigned cpus_configured;
	uint64_t cpuid_khz;		/* leaf 0x15; 0: not given */
	uint64_t hypervisor_khz;	/* leaf 0x40000010; 0: not given */
	uint64_t cpuinfo_khz;		/* /proc/cpuinfo, guests only; 0 */
	uint64_t kernel_log_khz;	/* 0: not readable or gone */
	uint64_t declared_hz;		/* by register or device tree; 0 */
	uint64_t perf_page_khz;		/* perf's multiplier; 0: not allowed */
	double vmclock_hz;		/* the host's, of UTC or TAI; 0 */
	double vmclock_error_ppb;	/* its own bound on that; 0: not given */
	int ntp_synchronized;		/* 1, 0 says adjtimex; -1 unknown */
	double ntp_steering_ppb;	/* + = MONOTONIC faster than RAW */
};

/**
 * tw_machine_read - collect what kernel and processor say about the counter
 * @machine: the result; what can't be read is empty, 0 or -1
 *
 * Return: 0; -EINVAL or -E2BIG for a size that is none. Thread-safe.
 */
int tw_machine_read(struct tw_machine *machine);

/* ---- 6 the clock's error ----------------------------------------------- */

/**
 * tw_clock_refine - look at both clocks again, and do better from now on
 * @clock: from tw_clock_init(); others may read it meanwhile
 *
 * The rate of a longer baseline takes over some 20 ms from now where it is
 * better known: when the baseline has at least doubled, or the kernel's rate
 * can be recognised by now. Time goes on from where the clock stands: it never
 * steps, and any reading is the same function of the counter for all threads,
 * and for children forked after the call, as long as the CPUs' counters are
 * less than a millisecond apart. A caller that is stopped for 10 ms at the moment
 * when it publishes the rate can break that, by what the two rates differ by;
 * diagnostics say so. What the clock has gathered of offset by then stays;
 * tw_clock_check() reports it.
 *
 * Readers write nothing: between calls the clock may be in read-only memory.
 *
 * Two looks can't tell another rate from a jump of either clock that is small
 * enough for the bounds of the start: bounds of a refined rate assume none.
 *
 * Watches the kernel's rate, too. A provisional one is confirmed when nothing
 * else is left; as soon as no line of that slope passes through what was read
 * at the start and now, it was a wrong guess: the measured rate takes over,
 * and diagnostics say so. Where that happens to a confirmed one, it is the
 * clocks that are wrong: -ESTALE.
 *
 * Call it now and then: it does nothing when there is nothing to gain. Against
 * CLOCK_MONOTONIC the rate is the mean since the start.
 *
 * Return: 0, see tw_clock_rate() for what became of it; -EBUSY while another
 * thread does the same; -EAGAIN when it is too soon, or this thread was held up
 * so long that the new rate would have come too late; -ESTALE when no single
 * rate explains start and now, or the machine was suspended or moved: the clock is
 * as it was, and a new one is needed; -ENOSPC after over 30 new rates; -ENOTSUP for
 * a clock that reads the system's; -ENOMEM, -EIO, -ERANGE.
 * Takes about half a millisecond. Thread-safe.
 */
int tw_clock_refine(struct tw_clock *clock);

/**
 * tw_clock_rate - the rate that holds now, or is about to
 * @clock: from tw_clock_init()
 * @rate: the result
 *
 * Return: 0; -EINVAL or -E2BIG for a size that is none. Thread-safe.
 */
int tw_clock_rate(const struct tw_clock *clock, struct tw_rate *rate);

/* What tw_clock_check() looks at. */
enum tw_health_check {
	TW_HEALTH_PREDICTION,	/* the clock against the one it was set by */
	TW_HEALTH_CLOCKSOURCE,	/* what the kernel keeps time by */
	TW_HEALTH_SUSPEND,	/* CLOCK_BOOTTIME - CLOCK_MONOTONIC */
	TW_HEALTH_CPUS,		/* the counters of the CPUs, briefly */
	TW_HEALTH_HOST,		/* whether the host moved this machine */
	TW_HEALTH_INDEPENDENT,	/* a clock that is not made of this counter */
	TW_HEALTH_CHECKS,
};

enum tw_health_state {
	TW_HEALTH_NOT_RUN,	/* could not be */
	TW_HEALTH_GOOD,
	TW_HEALTH_BAD,		/* a fault, proven */
	TW_HEALTH_UNDECIDED,	/* it ran, and can't tell */
};

/**
 * struct tw_clock_health - what was looked at, and what was seen
 *
 * TW_UNRELIABLE: some check is bad. TW_RELIABLE: the first four are good; the
 * others need devices that few machines have. Else TW_UNDECIDED.
 */
struct tw_clock_health {
	size_t size;			/* sizeof, as the caller knows it */
	enum tw_verdict verdict;
	enum tw_health_state state[TW_HEALTH_CHECKS];
	/* The clock's advance since it was set up less that of the clock its
	 * rate is against: it lies within [low, high] for certain, and within
	 * +-allowed if rate and counter are what they are taken for. */
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
 * tw_clock_check - is the clock still what it was set up to be?
 * @clock: from tw_clock_init()
 * @health: the result
 *
 * Looks at all that a program can look at, and says what it could not. Each
 * check has its blind spot, tw_text() of TW_ENUM_HEALTH_BLIND: a clock that is
 * computed from the same counter agrees with it whatever happens to both.
 *
 * Return: 0 with a verdict; -ENOTSUP for a clock that reads the system's;
 * -ENOMEM; -EIO when a clock stands still.
 * Takes some 10 ms, where all CPUs are busy up to 50, most of them for the CPUs:
 * it runs a thread on each that the caller may use. Thread-safe.
 */
int tw_clock_check(const struct tw_clock *clock, struct tw_clock_health *health);

#define TW_CPU_UNKNOWN	(~0U)

/**
 * struct tw_stamp - a reading of the counter and the CPU it was made on
 *
 * From tw_stamp_now(); or from tw_ticks_begin() and tw_ticks_end() with
 * TW_CPU_UNKNOWN.
 */
struct tw_stamp {
	uint64_t ticks;
	unsigned cpu;
};

/**
 * tw_stamp_now - take a stamp for tw_interval()
 * @stamp: the result
 *
 * Ordered as tw_ticks_begin(): for both ends of an interval. Thread-safe.
 * Cost: a function call around an ordered read.
 */
static inline void tw_stamp_now(struct tw_stamp *stamp)
{
	stamp->ticks = tw_ticks_cpu(&stamp->cpu);
}

/* The true value less the stated one lies between the two. */
struct tw_error {
	double low_ns;
	double high_ns;
};

enum tw_interval_cpus {
	TW_CPUS_SAME,		/* one counter: no offset */
	TW_CPUS_PAIR,		/* two, and how far they can be apart is known */
	TW_CPUS_ANY,		/* not known which: the widest pair's */
	TW_CPUS_UNJUDGED,	/* no reliability given: hard bound infinite */
};

/**
 * struct tw_interval - nanoseconds between two stamps, with their error
 *
 * @read: what the two readings themselves take, in 99 of 100 cases. The
 * interval is that from the end of the first reading to the beginning of the
 * second one. An interruption belongs to the interval wherever it falls.
 * @cpu_offset: what the counters of the two CPUs can be apart, taken as
 * constant; infinite where it was seen to change.
 * @rate: against the clock that the rate is against, not SI seconds. Against
 * CLOCK_MONOTONIC it includes all that NTP may do, 1000 ppm.
 * @quantisation: rounding of the conversion, and whole ticks.
 *
 * Bounds add up to @total; all but that of @read are hard. @sigma_ns is the root of the sum of the
 * squares of four one-sigmas: width / sqrt(12) for those that are only bounds,
 * the rate's own for the rate.
 */
struct tw_interval {
	size_t size;			/* sizeof, as the caller knows it */
	int64_t ns;
	struct tw_error read;
	struct tw_error cpu_offset;
	struct tw_error rate;
	struct tw_error quantisation;
	struct tw_error total;
	double sigma_ns;
	enum tw_interval_cpus cpus;
};

/**
 * tw_interval - nanoseconds between two stamps, and how far off they may be
 * @clock: from tw_clock_init(), with a reliability for stamps of two CPUs
 * @begin: the first stamp
 * @end: the second; an earlier one gives a negative interval
 * @interval: the result
 *
 * Return: 0; -ENOTSUP for a clock that reads the system's; -ERANGE for stamps
 * outside the clock's range. Thread-safe. Cost: some hundred nanoseconds, and
 * a search through the reliability's pairs for two CPUs; convert with
 * tw_ticks_delta_to_ns() where only nanoseconds are wanted.
 */
int tw_interval(const struct tw_clock *clock, const struct tw_stamp *begin,
		const struct tw_stamp *end, struct tw_interval *interval);

/* ---- 7 the histogram --------------------------------------------------- */

/**
 * struct tw_histogram - log-linear histogram of nanoseconds, all of 64 bits
 *
 * Values below 2^bits have a bin each; above, every octave is split into
 * 2^bits bins, so a bin is never wider than its lower edge / 2^bits. Bins are
 * allocated in one zeroed mapping: what is never touched costs no memory.
 * Minimum, maximum, count, sum and sum of squares are exact, and with them mean
 * and standard deviation.
 *
 * One writer; readers after it, or with their own ordering.
 */
struct tw_histogram {
	uint64_t *bins;
	uint64_t count;
	uint64_t sum_ns;
	uint64_t min_ns;		/* UINT64_MAX while empty */
	uint64_t max_ns;
	/* Sum of the squares: low and high 64 bits. 0, where sum_ns is not: not
	 * known, as only bins were. */
	uint64_t squares_ns2[2];
	uint32_t bin_count;
	uint8_t bits;
	uint8_t digits;
};

/**
 * tw_histogram_init - an empty histogram
 * @histogram: release with tw_histogram_free()
 * @digits: significant decimal digits, 1 to 5: a bin is at most 10^-digits
 *          of its value wide
 *
 * Return: 0; -EINVAL; -ENOMEM.
 */
int tw_histogram_init(struct tw_histogram *histogram, unsigned digits);
void tw_histogram_free(struct tw_histogram *histogram);

/* The number of the bin that counts a value. */
static inline uint32_t tw__histogram_bin(const struct tw_histogram *histogram,
					uint64_t value_ns)
{
	unsigned bits = histogram->bits;
	/* Of a value below 2^bits it is 0, without a branch: latencies of about
	 * a microsecond are on either side of 2^10. */
	unsigned octave = 63 - bits -
		(unsigned)__builtin_clzll(value_ns | 1ULL << bits);

	return (octave << bits) + (uint32_t)(value_ns >> octave);
}

/**
 * tw_histogram_add - count one value
 *
 * Cost: one count-leading-zeros, one multiplication and eight additions or
 * compares.
 */
static inline void tw_histogram_add(struct tw_histogram *histogram,
				    uint64_t value_ns)
{
	__extension__ typedef unsigned __int128 tw_u128;
	const tw_u128 square_ns2 = (tw_u128)value_ns * value_ns;
	const uint64_t low = (uint64_t)square_ns2;

	histogram->bins[tw__histogram_bin(histogram, value_ns)]++;
	histogram->count++;
	histogram->sum_ns += value_ns;
	histogram->squares_ns2[0] += low;
	histogram->squares_ns2[1] += (uint64_t)(square_ns2 >> 64) +
				     (histogram->squares_ns2[0] < low);
	if (value_ns < histogram->min_ns)
		histogram->min_ns = value_ns;
	if (value_ns > histogram->max_ns)
		histogram->max_ns = value_ns;
}

/**
 * tw_histogram_merge - add all of @from to @into
 *
 * Return: 0; -EINVAL when their digits differ; -EOVERFLOW when the count or the
 * sum would pass 64 bits, or the squares 128; then @into is unchanged.
 */
int tw_histogram_merge(struct tw_histogram *into,
		       const struct tw_histogram *from);

/**
 * tw_histogram_percentile - the value that @percent of all are at or below
 * @percent: 0 to 100
 *
 * The upper edge of the bin in which that value lies, never above the exact
 * maximum nor below the exact minimum: off by at most one bin's width, upward.
 * 0 when empty.
 */
uint64_t tw_histogram_percentile(const struct tw_histogram *histogram,
				 double percent);

/* Mean (exact sum over count) and standard deviation of the sample (n - 1; from
 * the exact sums, and where that of squares is not known from bin centres, so
 * within a bin's width); 0 when empty. */
double tw_histogram_mean_ns(const struct tw_histogram *histogram);
double tw_histogram_stddev_ns(const struct tw_histogram *histogram);

/* ---- 8 words ----------------------------------------------------------- */

/* What tw_name() and tw_text() have words for. */
enum tw_enum {
	TW_ENUM_COUNTER_STATE,	/* enum tw_counter_state */
	TW_ENUM_AGAINST,	/* enum tw_against */
	TW_ENUM_RATE_SOURCE,	/* enum tw_rate_source */
	TW_ENUM_WITNESS,	/* enum tw_witness */
	TW_ENUM_RATE_REFUSAL,	/* enum tw_rate_refusal: one bit */
	TW_ENUM_VERDICT,	/* enum tw_verdict */
	TW_ENUM_REASON,		/* enum tw_reliability_reason: one bit */
	TW_ENUM_CONTRADICTION,	/* enum tw_contradiction: one bit */
	TW_ENUM_HEALTH_CHECK,	/* enum tw_health_check: what it looks at */
	TW_ENUM_HEALTH_BLIND,	/* the same: what it can't see */
	TW_ENUM_HEALTH_STATE,	/* enum tw_health_state */
};

/**
 * tw_name - the name of a value, for programs
 * @which: the enumeration
 * @value: one of its values; where they are bits, a single one
 *
 * A word of lower-case letters, or a clock's name: "reliable", "kernel",
 * "CLOCK_MONOTONIC". Names are never changed.
 *
 * Return: a constant string, never NULL; "unknown" where there is no such
 * value. Thread-safe.
 */
const char *tw_name(enum tw_enum which, unsigned value);

/**
 * tw_text - what a value means, for people
 * @which: the enumeration
 * @value: as of tw_name()
 *
 * A clause without a full stop; the name where that says it all. Texts may
 * change from version to version.
 *
 * Return: a constant string, never NULL; "unknown" where there is no such
 * value. Thread-safe.
 */
const char *tw_text(enum tw_enum which, unsigned value);

/* ---- 9 diagnostics ----------------------------------------------------- */

enum tw_diagnostics_level {
	TW_SAY_NOTE,		/* a decision: which rate was taken, and why */
	TW_SAY_WARNING,		/* less was done than was asked for */
};

/**
 * tw_set_diagnostics - have the library say what it decides on the way
 * @say: called with @context, a level and one line of text without newline;
 *       NULL, as it is at first: nobody is told
 * @context: passed on
 *
 * For logs. Everything a program has to act on is also in return values and
 * results; the texts may change from version to version.
 *
 * @say is called by whichever thread called the library, by several at once
 * if several do, and never by the inline functions nor by any that converts or
 * reads a clock. It must not call tw_set_diagnostics(). On return from here no
 * call to an earlier @say is under way any more: its context may be freed.
 *
 * Thread-safe. Not to be called while another thread forks.
 */
void tw_set_diagnostics(void (*say)(void *context, int level,
				    const char *message), void *context);

#pragma GCC visibility pop

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#endif

#endif /* TICKWISE_H */
