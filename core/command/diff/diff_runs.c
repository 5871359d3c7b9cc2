/* SPDX-License-Identifier: MIT */
/*
 * Finds which reports are one run: those of one process of fio, which their
 * jobs name. Jobs of the same name and group are merged, as `tickwise report`
 * does.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command/command.h"
#include "command/diff/diff.h"
#include "base/allocate.h"
#include "command/analysis/analysis.h"

int tw_diff_read(struct tw_diff *diff, enum tw_diff_side side, char **paths,
		 size_t count, struct tw_report_problem *problem)
{
	struct tw_diff_groups *into = &diff->groups[side];
	struct tw_report *reports;
	size_t report_count;
	int code = tw_report_load(&reports, &report_count, paths, count, problem);

	if (code == TW_EXIT_GOOD && tw_report_load_broken()) {
		tw_report_refuse(problem, "a broken report is missing, so nothing is compared");
		code = TW_EXIT_DATA;
	}
	if (code != TW_EXIT_GOOD)
		return code;
	code = tw_report_merge(reports, report_count, 0, NULL, &into->list, &into->count,
			       problem);
	tw_reports_free(reports, report_count);
	return code;
}

/* Are these jobs of the same run, or of the same process? They may be different jobs. */
static int are_twins(const struct tw_report_job *a, const struct tw_report_job *b)
{
	return strcmp(a->host, b->host) == 0 &&
	       ((b->run[0] && strcmp(a->run, b->run) == 0) ||
		(a->pid == b->pid && a->start_ns == b->start_ns));
}

/* Set the run's times: from the start of its first job to the end of its last
 * one. */
static void take_times(struct tw_diff_run *run, const struct tw_report_group *group)
{
	for (size_t i = 0; i < group->all.job_count; i++) {
		const struct tw_report_job *job = &group->all.jobs[i];
		uint64_t end_ns;

		if (job->start_ns < run->job->start_ns)
			run->job = job;
		if (__builtin_add_overflow(job->start_ns, job->run_ns, &end_ns))
			end_ns = UINT64_MAX;
		if (end_ns > run->end_ns)
			run->end_ns = end_ns;
	}
}

static int add_group(struct tw_diff *diff, enum tw_diff_side side,
		     const struct tw_report_group *group,
		     struct tw_report_problem *problem)
{
	const struct tw_report_job *job = &group->all.jobs[0];
	struct tw_diff_run *run = NULL;

	for (size_t i = 0; i < diff->count; i++) {
		if (!are_twins(diff->runs[i].job, job))
			continue;
		if (diff->runs[i].side != side) {
			tw_report_refuse(problem, "%s: a run can't be on both sides",
					 job->path);
			return TW_EXIT_DATA;
		}
		run = &diff->runs[i];
	}
	if (!run) {
		run = &diff->runs[diff->count++];
		run->side = side;
		run->job = job;
	}
	*tw_grow_by_one(run->groups, run->count) = group;
	take_times(run, group);
	return TW_EXIT_GOOD;
}

static int by_start(const void *left, const void *right)
{
	const struct tw_diff_run *a = left, *b = right;

	return tw_compare(a->job->start_ns, b->job->start_ns) ?: (int)a->side - (int)b->side;
}

/*
 * The sides take turns if two conditions hold. They alternate at least as often
 * as the side with fewer runs has runs. And on average no side comes earlier by
 * more than a fifth of all runs. A B A B and A B B A A B do, A A A B B B does
 * not. A drift with time is then nearly the same for both.
 */
int tw_diff_take_turns(uint64_t of_b, size_t runs)
{
	double b = (double)__builtin_popcountll(of_b), a = (double)runs - b;
	double turns = 0, later = 0;

	for (size_t i = 0; i < runs; i++) {
		int is_b = of_b >> i & 1;

		turns += i && is_b != (int)(of_b >> (i - 1) & 1);
		later += (double)i / (is_b ? b : -a);
	}
	return turns >= fmin(a, b) && fabs(later) <= (double)runs / 5 + 1e-9;
}

static void look_at_order(struct tw_diff *diff)
{
	qsort(diff->runs, diff->count, sizeof(*diff->runs), by_start);
	for (size_t i = 0; i < diff->count; i++) {
		const struct tw_diff_run *run = &diff->runs[i];

		diff->of[run->side]++;
		if (run->side == TW_DIFF_B)
			diff->of_b |= 1ULL << i;
		/* Does it begin while an earlier run of the same host still runs? */
		for (size_t j = 0; j < i; j++)
			diff->overlaps |= run->job->start_ns < diff->runs[j].end_ns &&
					  !strcmp(run->job->host, diff->runs[j].job->host);
	}
	diff->is_interleaved = tw_diff_take_turns(diff->of_b, diff->count);
	diff->are_pairs = tw_diff_are_pairs(diff->of_b, diff->count, diff->level);
}

/* Return: as tw_diff_read(). */
static int refuse_mixed(const struct tw_report_job *first, const struct tw_report_job *job,
			struct tw_report_problem *problem)
{
	if (!strcmp(first->engine, "attach") == !strcmp(job->engine, "attach"))
		return TW_EXIT_GOOD;
	tw_report_refuse(problem, "%s and %s: one is of tickwise attach, the other of the fio engine, "
			 "whose latency has more stages. Compare two of a kind", first->path,
			 job->path);
	return TW_EXIT_DATA;
}

int tw_diff_find_runs(struct tw_diff *diff, struct tw_report_problem *problem)
{
	diff->runs = tw_zalloc(diff->groups[0].count + diff->groups[1].count,
			       sizeof(*diff->runs));
	for (int side = 0; side < TW_DIFF_SIDES; side++) {
		const struct tw_diff_groups *of = &diff->groups[side];

		for (size_t i = 0; i < of->count; i++) {
			int code = refuse_mixed(&diff->groups[TW_DIFF_A].list[0].all.jobs[0],
						&of->list[i].all.jobs[0], problem);

			if (code == TW_EXIT_GOOD)
				code = add_group(diff, (enum tw_diff_side)side, &of->list[i],
						 problem);
			if (code != TW_EXIT_GOOD)
				return code;
		}
	}
	if (diff->count > TW_DIFF_MAX_RUNS) {
		tw_report_refuse(problem, "%zu runs: at most %d can be compared",
				 diff->count, TW_DIFF_MAX_RUNS);
		return TW_EXIT_DATA;
	}
	look_at_order(diff);
	return TW_EXIT_GOOD;
}

void tw_diff_free(struct tw_diff *diff)
{
	for (int side = 0; side < TW_DIFF_SIDES; side++)
		tw_report_groups_free(diff->groups[side].list, diff->groups[side].count);
	free(diff->runs);
	free(diff->figures);
	free(diff->values);
	json_decref(diff->left_out);
}
