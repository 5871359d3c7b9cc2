/* SPDX-License-Identifier: MIT */
/*
 * tickwise doctor, its parts: what is found out about this machine (facts.c, and
 * programs.c for what other programs have to say), what that means (judge.c), and how
 * it is shown (page.c, json.c).
 */
#ifndef TW_DOCTOR_H
#define TW_DOCTOR_H

#include <limits.h>

#include <jansson.h>

#include "tickwise.h"

#define TW_DOCTOR	"doctor"
#define TW_DOCTOR_TEXT	512

/* ---- facts ---- */

struct tw_doctor_facts {
	struct {
		char path[PATH_MAX];
		char version[64];	/* "fio-3.33"; "": it does not run */
		char why_not[TW_DOCTOR_TEXT];
	} fio;
	struct {
		char path[PATH_MAX];	/* "": there is none */
		int is_loaded;		/* by that fio */
		char why_not[TW_DOCTOR_TEXT];	/* its own words; or "" */
	} engine;
	struct {
		int error;		/* of io_uring_setup(); 0 or -errno */
		int disabled;		/* kernel.io_uring_disabled; -1: not there */
		int is_filtered;	/* a seccomp filter is on this process */
	} ring;
	struct {
		int has_types;		/* /sys/kernel/btf/vmlinux */
		int is_built;
		int is_served;		/* a kernel-helper answers */
		int is_loaded;		/* the program, by this user */
		char why_not[TW_DOCTOR_TEXT];
	} stages;
	struct {
		enum tw_counter_state state;
		int error;		/* 0; -errno: it could not be measured */
		enum tw_verdict verdict;
		unsigned reasons;
	} counter;
	struct tw_machine machine;
	char governor[32];		/* "": none; of the CPUs the first that is not
					 * performance */
	char idle_state[32];		/* the one that takes longest; "": none */
	unsigned idle_us;		/* to wake from it */
	double stolen_percent;		/* since boot; -1: not known */
};

/* @fio: the program. */
void tw_doctor_read(struct tw_doctor_facts *facts, const char *fio);

/* Of it: fio, the engine and the kernel's program (programs.c). */
void tw_doctor_read_programs(struct tw_doctor_facts *facts, const char *fio);
/* Of it: files of /sys and /proc. @root: what their paths begin with, "" for this
 * machine. */
void tw_doctor_read_files(struct tw_doctor_facts *facts, const char *root);

/* ---- findings ---- */

enum tw_doctor_status {
	TW_DOCTOR_GOOD,
	TW_DOCTOR_MEND,			/* something can be done */
	TW_DOCTOR_UNDECIDED,
	TW_DOCTOR_STATUSES
};

struct tw_doctor_line {
	const char *name;
	enum tw_doctor_status status;
	char text[TW_DOCTOR_TEXT + PATH_MAX];
	char mend[TW_DOCTOR_TEXT];	/* a command, or what to do; "": nothing */
};

#define TW_DOCTOR_LINES	10

/* Pure. */
void tw_doctor_judge(const struct tw_doctor_facts *facts,
		     struct tw_doctor_line lines[TW_DOCTOR_LINES]);

/* "good", "mend", "undecided". */
const char *tw_doctor_status_name(enum tw_doctor_status status);
/* Of all lines: something to mend counts more than something undecided. */
enum tw_doctor_status tw_doctor_sum(const struct tw_doctor_line lines[TW_DOCTOR_LINES]);

struct tw_page *tw_doctor_page(const struct tw_doctor_line lines[TW_DOCTOR_LINES]);
/* NULL: no memory. */
json_t *tw_doctor_json(const struct tw_doctor_line lines[TW_DOCTOR_LINES]);

#endif
