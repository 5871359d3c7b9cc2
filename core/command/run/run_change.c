/* SPDX-License-Identifier: MIT */
/*
 * Changes jobs so that they use the tickwise engine. ioengine lines with
 * io_uring and io_uring_cmd are changed; with --convert also those with fio's
 * other engines for files and devices. A job keeps its behaviour. Options that
 * only the old engine knows are left out, since fio would drop the job because
 * of them. If the old engine has one I/O in flight whatever iodepth is, the job
 * keeps a depth of 1.
 */
#include <string.h>

#include "command/command.h"
#include "command/run/run_parts.h"

struct change {
	struct tw_run_jobs *jobs;
	struct tw_run_engines *engines;
};

static char *place(const struct tw_run_line *line)
{
	return line->file ? tw_format("%s:%u", line->file, line->number) :
		tw_format("command line");
}

static int is_option(const struct tw_run_line *line, const char *name)
{
	return line->name && strcmp(line->name, name) == 0;
}

/* Return an option as a line of these jobs, which are changed then. */
static char *changed(struct tw_run_jobs *jobs, const char *option)
{
	jobs->is_changed = 1;
	return tw_format("%s%s", jobs->path ? "" : "--", option);
}

static int needs_convert(enum tw_run_kind kind)
{
	return kind == TW_RUN_ONE_AT_A_TIME || kind == TW_RUN_QUEUED;
}

/* Return 1 if the job moves to the tickwise engine from one of fio's, which has
 * options of its own. */
static int is_moved(const struct change *change, enum tw_run_kind kind)
{
	return kind == TW_RUN_RING || kind == TW_RUN_COMMAND ||
	       (needs_convert(kind) && change->engines->convert);
}

/* ---- lines ---- */

static int change_engine(const struct change *change, struct tw_run_line *line)
{
	enum tw_run_kind kind = tw_run_kind(line->value);
	const char *path = tw_run_engine_for(change->engines, kind);
	const char *section = change->jobs->sections[line->section].name, *engine;

	if (!is_moved(change, kind) && kind != TW_RUN_MEMORY)
		return TW_EXIT_GOOD;
	if (!path)
		return tw_run_fail(TW_EXIT_DATA, "%s: [%s] ioengine=%s: there is no %s next "
				   "to %s", place(line), section, line->value,
				   tw_run_file_for(kind), change->engines->path);
	engine = tw_run_named(change->engines, path);
	line->text = changed(change->jobs, engine);
	/* A variable may be empty. */
	tw_run_remark("%s: [%s] ioengine=%s: changed to %s", place(line), section,
		      *line->value ? line->value : "(empty)", strchr(engine, '=') + 1);
	return tw_run_try_engine(change->engines, path);
}

/* ---- what only the old engine knows ---- */

static void leave_out_foreign(const struct change *change, size_t section,
			      const char *old)
{
	const char *path = tw_run_engine_for(change->engines, tw_run_kind(old));

	for (size_t i = 0; i < change->jobs->line_count; i++) {
		struct tw_run_line *line = &change->jobs->lines[i];

		if (line->section != section || !line->name ||
		    !tw_run_has_option(change->engines, old, line->name) ||
		    tw_run_has_option(change->engines, path, line->name))
			continue;
		tw_run_remark("%s: [%s] %s: left out, an option of %s alone",
			      place(line), change->jobs->sections[section].name,
			      line->name, old);
		/* In a job file it becomes a comment. */
		line->text = change->jobs->path ? tw_format("# left out: %s", line->text) :
			NULL;
		change->jobs->is_changed = 1;
	}
}

/* ---- one I/O in flight ---- */

static void keep_depth(const struct change *change, size_t section,
		       const char *old)
{
	struct tw_run_jobs *jobs = change->jobs;
	const struct tw_run_line *depth = tw_run_setting(jobs, section, "iodepth");
	int is_own = 0;

	if (!depth || strcmp(depth->value, "1") == 0)
		return;
	for (size_t i = 0; i < jobs->line_count; i++) {
		struct tw_run_line *line = &jobs->lines[i];

		if (line->section != section || !is_option(line, "iodepth"))
			continue;
		line->text = changed(jobs, "iodepth=1");
		is_own = 1;
	}
	if (!is_own)
		jobs->sections[section].first = changed(jobs, "iodepth=1");
	tw_run_remark("%s: [%s] iodepth=%s: changed to 1, as %s has one I/O in "
		      "flight at any iodepth (for more: ioengine=io_uring)",
		      place(depth), jobs->sections[section].name, depth->value,
		      old);
}

/* ---- jobs that are left ---- */

static void leave(const struct change *change, size_t section,
		  const struct tw_run_line *line, enum tw_run_kind kind,
		  struct tw_run_outcome *outcome)
{
	const char *engine = line ? line->value : "", *path = change->jobs->path;
	struct tw_run_left *left = NULL;

	for (size_t i = 0; i < outcome->left_count && !left; i++)
		if (strcmp(engine, outcome->left[i].engine) == 0)
			left = &outcome->left[i];
	if (!left) {
		left = tw_grow_by_one(outcome->left, outcome->left_count);
		*left = (struct tw_run_left) {
			.engine = engine,
			.place = line ? place(line) : path ? path : "command line",
			.job = tw_run_job_name(change->jobs, section),
			.can_convert = needs_convert(kind),
		};
	}
	left->jobs++;
}

void tw_run_report_left(const struct tw_run_outcome *outcome)
{
	for (size_t i = 0; i < outcome->left_count; i++) {
		const struct tw_run_left *left = &outcome->left[i];
		const char *engine = *left->engine ? tw_format("ioengine=%s", left->engine) :
			"no ioengine, so psync";
		const char *more = left->jobs == 1 ? "" : left->jobs == 2 ?
			" (and 1 more job)" :
			tw_format(" (and %zu more jobs)", left->jobs - 1);

		tw_run_say("%s: [%s] %s: not converted%s; %s", left->place,
			   left->job, engine, more, left->can_convert ?
			   "--convert would" :
			   "tickwise's engine does no such I/O");
	}
}

/* ---- jobs ---- */

static int add_engine(const struct change *change)
{
	struct tw_run_jobs *jobs = change->jobs;
	const char *path = change->engines->path;
	char *option = tw_run_named(change->engines, path);

	if (jobs->sections[0].is_global)
		jobs->sections[0].first = changed(jobs, option);
	else
		jobs->front = tw_format("[global]\n%s\n", changed(jobs, option));
	tw_run_remark("%s: no ioengine, which is psync: %s added %s",
		      jobs->path ? jobs->path : "command line", strchr(option, '=') + 1,
		      jobs->path ? "to [global]" : "in front");
	return tw_run_try_engine(change->engines, path);
}

/* Change all of a section but its ioengine lines. Sets @lacks to 1 if it is a
 * job without such a line. */
static void change_section(const struct change *change, size_t i,
			   struct tw_run_outcome *outcome, int *lacks)
{
	struct tw_run_section *section = &change->jobs->sections[i];
	const struct tw_run_line *line = tw_run_setting(change->jobs, i, "ioengine");
	const char *old = line ? line->value : "psync";
	enum tw_run_kind kind = tw_run_kind(old);

	if (line && is_moved(change, kind))
		leave_out_foreign(change, i, old);
	if (section->is_global)
		return;
	if (kind == TW_RUN_OTHER || (needs_convert(kind) && !change->engines->convert)) {
		leave(change, i, line, kind, outcome);
		return;
	}
	if (kind == TW_RUN_ONE_AT_A_TIME)
		keep_depth(change, i, old);
	if (change->engines->for_hosts && (kind == TW_RUN_MEMORY || kind == TW_RUN_OUR_MEMORY))
		tw_run_say("[%s] on tickwise-memory sends no report: it stays on the hosts",
			   tw_run_job_name(change->jobs, i));
	section->owes_report = kind == TW_RUN_OURS || is_moved(change, kind);
	if (section->owes_report && change->engines->added) {
		section->last = change->engines->added;
		/* On other hosts, tw_report=none is the first: what a job has itself stays. */
		if (change->engines->for_hosts && tw_run_setting(change->jobs, i, "tw_report"))
			section->last++;
		change->jobs->is_changed = 1;
	}
	outcome->on_tickwise++;
	*lacks |= !line;
}

int tw_run_change(struct tw_run_jobs *jobs, struct tw_run_engines *engines,
		  struct tw_run_outcome *outcome)
{
	struct change change = { jobs, engines };
	int lacks = 0, code = TW_EXIT_GOOD;

	for (size_t i = 0; i < jobs->line_count && code == TW_EXIT_GOOD; i++) {
		struct tw_run_line *line = &jobs->lines[i];

		if (is_option(line, "ioengine") && !jobs->sections[line->section].is_skipped)
			code = change_engine(&change, line);
		else if (is_option(line, "tw_interval") && engines->for_hosts)
			code = tw_run_fail(TW_EXIT_DATA, "%s: tw_interval: not with --client: its "
					   "files would stay on the hosts", place(line));
	}
	for (size_t i = 0; i < jobs->section_count && code == TW_EXIT_GOOD; i++)
		if (!jobs->sections[i].is_skipped)
			change_section(&change, i, outcome, &lacks);
	return code == TW_EXIT_GOOD && lacks ? add_engine(&change) : code;
}
