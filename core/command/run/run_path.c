/* SPDX-License-Identifier: MIT */
/*
 * tickwise run PATH: two jobs of random reads, one after the other, with one I/O in flight
 * and with 32. Their reports are shown in a few lines.
 */
#include <string.h>

#include "command/command.h"
#include "command/report/report_parts.h"
#include "command/run/run_parts.h"

/* ---- the jobs ---- */

void tw_run_add(struct tw_run_jobs *jobs, char *lines)
{
	for (char *text = strtok(lines, "\n"); text; text = strtok(NULL, "\n")) {
		struct tw_run_line *line;

		if (*text == '[') {
			tw_run_add_section(jobs, tw_format("%.*s", (int)strlen(text) - 2,
							   text + 1));
			jobs->sections[jobs->section_count - 1].owes_report =
				jobs->section_count > 1;
		}
		line = tw_run_add_line(jobs);
		line->text = text;
		line->is_header = *text == '[';
		if (!line->is_header)
			tw_run_split(line, tw_format("%s", text));
	}
}

/* Nothing is written: fio is told so, and neither makes a file longer nor drops what is in
 * a device's cache. A map of the blocks that were read would take memory, and the second
 * job reads other blocks than the first. */
void tw_run_add_target(struct tw_run_jobs *jobs, const struct tw_run_engines *engines,
		       const struct tw_run_target *target)
{
	tw_run_add(jobs, tw_format("[global]\nioengine=external:%s\nfilename=%s\nrw=randread\n"
				   "bs=%u\ndirect=%d\n%sallow_file_create=0\nnorandommap=1\n"
				   "randrepeat=0\ntime_based=1\n", engines->path, target->name,
				   target->block_bytes, target->is_direct,
				   target->is_direct ? "invalidate=0\n" : ""));
	jobs->is_changed = 1;
}

static void add_jobs(struct tw_run_jobs *jobs, const struct tw_run_engines *engines,
		     const struct tw_run_target *target, uint64_t each_ns)
{
	tw_run_add_target(jobs, engines, target);
	tw_run_add(jobs, tw_format("runtime=%llums\n[depth1]\niodepth=1\n"
				   "[depth32]\nstonewall\niodepth=32\n",
				   (unsigned long long)(each_ns / 1000000)));
	for (size_t i = 1; i < jobs->section_count; i++)
		jobs->sections[i].last = engines->added;
}

/* ---- the answers ---- */

static void add_head(struct tw_page *page, const struct tw_run_target *target,
		     uint64_t each_ns)
{
	tw_page_paragraph(page, "random %u KiB reads of ", target->block_bytes / 1024);
	if (target->is_made)
		tw_page_more(page, "a temporary file of %llu MiB in ",
			     (unsigned long long)(target->bytes >> 20));
	tw_page_more(page, "%s", strcmp(target->path, ".") ? target->path : "this folder");
	tw_page_more(page, target->is_direct ? ", direct" : ", through the page cache, as there "
		     "is no direct I/O here");
	tw_page_more(page, ", %.4g s at each depth", (double)each_ns / 1e9);
}

/* These are not freed: the program ends. */
static struct tw_report *loaded;
static struct tw_report_group *groups;

static int show(const struct tw_run_reports *reports, const struct tw_run_target *target,
		uint64_t each_ns)
{
	const struct tw_wanted as_page = { TW_FORM_PAGE, 0, NULL };
	struct tw_report_problem problem = { "" };
	size_t count, used;
	struct tw_page *page;
	int code = tw_report_load(&loaded, &count, tw_run_paths(reports), reports->count, &problem);

	if (code == TW_EXIT_GOOD)
		code = tw_report_merge(loaded, count, 0, NULL, &groups, &used, &problem);
	if (code != TW_EXIT_GOOD)
		return tw_run_fail(code, "%s", problem.text);
	page = tw_page_new("Random reads");
	add_head(page, target, each_ns);
	tw_report_add_brief(page, groups, used, TW_READ);
	return tw_command_show(tw_run_name, &as_page, page, NULL, NULL);
}

static int run_jobs(struct tw_run_arguments *arguments, const struct tw_run_target *target,
		    const struct tw_run_engines *engines, uint64_t each_ns, enum tw_run_page page)
{
	struct tw_run_reports reports = { 0 };
	int ret, code;

	arguments->whole_ns = 2 * each_ns;
	tw_run_remark("%s: reads for %.4g s", target->path, (double)arguments->whole_ns / 1e9);
	arguments->is_quiet = 1;
	ret = tw_run_fio(arguments, engines->fio, &reports, &code);
	if (ret != TW_EXIT_GOOD)
		return ret;
	if (arguments->was_interrupted) {
		if (!reports.has_io)
			reports.count = 0;
		tw_run_say("interrupted%s", reports.count ? "" : ": there is no result");
		if (reports.count)
			tw_run_say_reports(&reports, 0);
		return code ? code : TW_EXIT_UNDECIDED;
	}
	if (code)
		return code;
	code = tw_run_check_reports(&reports, arguments);
	if (code != TW_EXIT_GOOD)
		return code;
	if (page == TW_RUN_ANSWERS)
		code = show(&reports, target, each_ns);
	else if (page == TW_RUN_WHOLE_PAGE)
		code = tw_command_report(tw_run_report_arguments(&reports, 0));
	tw_run_say_reports(&reports, page == TW_RUN_WHOLE_PAGE);
	if (!engines->added)
		tw_run_remark("to see what had the CPU during the slowest I/Os, run it again "
			      "with --causes, as root");
	return code;
}

int tw_run_path(const char *path, struct tw_run_engines *engines, uint64_t each_ns,
		enum tw_run_page page)
{
	char *argv[] = { tw_format("--readonly"), tw_format("%s", path), NULL };
	struct tw_run_arguments arguments = { 0 };
	struct tw_run_target target;
	int code = tw_run_try_engine(engines, engines->path);

	if (code == TW_EXIT_GOOD)
		code = tw_run_read_arguments(&arguments, argv, engines);
	if (code == TW_EXIT_GOOD)
		code = tw_run_open_target(&target, path);
	if (code != TW_EXIT_GOOD)
		return code;
	add_jobs(&arguments.files[0], engines, &target, each_ns);
	return run_jobs(&arguments, &target, engines, each_ns, page);
}
