/* SPDX-License-Identifier: MIT */
/*
 * What the files of tickwise doctor share: facts about this machine (doctor_facts.c), and
 * what they mean (doctor_judge.c).
 */
#ifndef TW_DOCTOR_PARTS_H
#define TW_DOCTOR_PARTS_H

#include <limits.h>

#include "tickwise.h"

#define TW_DOCTOR	"doctor"

/* ---- facts ---- */

/* What is measured inside the kernel. */
enum tw_doctor_part {
	TW_DOCTOR_SPLIT,		/* the stages of I/Os */
	TW_DOCTOR_CAUSES,
	TW_DOCTOR_SYNCS,		/* their parts */
	TW_DOCTOR_PARTS
};

struct tw_doctor_facts {
	struct {
		char path[PATH_MAX];
		const char *version;	/* "fio-3.33"; NULL: fio does not run */
		const char *why_not;
	} fio;
	struct {
		const char *path;	/* NULL: there is no engine */
		int is_loaded;		/* 1: this fio can load the engine */
		const char *why_not;	/* the engine's message; "" or NULL: none */
	} engine;
	struct {
		int error;		/* of io_uring_setup(): 0 or -errno */
		int disabled;		/* kernel.io_uring_disabled; -1: no such file */
		int is_filtered;	/* 1: a seccomp filter is on this process */
	} ring;
	struct {
		int has_types;		/* 1: /sys/kernel/btf/vmlinux exists */
		int is_built;
		int is_served;		/* 1: a kernel-helper answers */
		int is_for_others;	/* 1: one refuses this user */
		int is_loaded;		/* 1: this user can load the BPF program */
		const char *why_not;
		/* What this kernel has of a part, and what not. Both "" or NULL: not known. */
		struct {
			const char *found, *missing;
		} parts[TW_DOCTOR_PARTS];
	} stages;
	struct {
		enum tw_counter_state state;
		int error;		/* 0; -errno: the check could not run */
		enum tw_verdict verdict;
		unsigned reasons;
	} counter;
	struct tw_machine machine;
	char governor[32];		/* the first CPU's governor that is not
					 * performance; "": none */
	char idle_state[32];		/* the enabled one that takes longest;
					 * "": none */
	unsigned idle_us;		/* time to wake from it */
	double stolen_percent;		/* since boot; -1: not known */
};

/* Read all facts. @fio: the name or path of the program. */
void tw_doctor_read(struct tw_doctor_facts *facts, const char *fio);

/* Read the facts that are files of /sys and /proc. @root is put before their
 * paths; "" for this machine. */
void tw_doctor_read_files(struct tw_doctor_facts *facts, const char *root);

/* ---- findings ---- */

enum tw_doctor_status {
	TW_DOCTOR_GOOD,
	TW_DOCTOR_NOTE,			/* to know when reading figures; no fault */
	TW_DOCTOR_FIX,			/* the user can correct it */
	TW_DOCTOR_UNDECIDED,
	TW_DOCTOR_STATUSES
};

struct tw_doctor_line {
	const char *name;
	enum tw_doctor_status status;
	const char *text;
	const char *fix;		/* a command, or what to do; "": nothing */
};

#define TW_DOCTOR_LINES	14

/* Judge the facts. Pure. */
void tw_doctor_judge(const struct tw_doctor_facts *facts,
		     struct tw_doctor_line lines[TW_DOCTOR_LINES]);

#endif
