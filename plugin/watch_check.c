/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What tw_watch_cpu can't be had with, each said in one line.
 */
#include <errno.h>
#include <stdio.h>

#include "verify.h"
#include "watch.h"

static cpu_set_t cpus_of_fio;
static bool remembered;

void tw_watch_remember_cpus(void)
{
	if (!remembered && !sched_getaffinity(0, sizeof(cpus_of_fio),
					      &cpus_of_fio))
		remembered = true;
}

static bool is_only_cpu(unsigned cpu)
{
	cpu_set_t mine;

	return !sched_getaffinity(0, sizeof(mine), &mine) &&
	       CPU_ISSET(cpu, &mine) && CPU_COUNT(&mine) == 1;
}

/* A page that came in puts a buffered read on the list, too. */
static bool reads_buffered(const struct thread_data *td)
{
	return tw_engine_fill == NULL && !td->o.odirect &&
	       (td_read(td) || td->o.verify != VERIFY_NONE);
}

static const char *ring_problem(const struct thread_data *td)
{
	const struct tw_options *o = td->eo;

	if (!o->stages)
		return "with tw_stages=0 there is nothing to put its stamps in";
	if (o->hipri)
		return "with hipri the job's own thread finds completions, "
		       "there are none before";
	if (o->watch_mode == TW_WATCH_MODE_CQ)
		return NULL;
	if (o->sqthread_poll)
		return "with sqthread_poll the kernel's thread has no flag to "
		       "watch: tw_watch_mode=cq";
	if (reads_buffered(td))
		return "buffered reads raise the flag before they are done: "
		       "direct=1 or tw_watch_mode=cq";
	return NULL;
}

static const char *cpu_problem(unsigned cpu)
{
	if (!remembered)
		return "this process's CPUs can't be asked for";
	if (CPU_COUNT(&cpus_of_fio) < 2)
		return "fio may use only one CPU here, and the watcher needs "
		       "it to itself";
	if (!CPU_ISSET(cpu, &cpus_of_fio))
		return "that CPU is not online, or fio may not use it";
	if (is_only_cpu(cpu))
		return "that is the job's only CPU (cpus_allowed), and the "
		       "watcher needs it to itself";
	return NULL;
}

int tw_watch_check(struct thread_data *td)
{
	const struct tw_options *o = td->eo;
	const char *problem;

	if (!o->watch_cpu_set)
		return 0;
	problem = ring_problem(td);
	if (!problem)
		problem = cpu_problem(o->watch_cpu);
	if (!problem)
		return 0;
	fprintf(stderr, "tickwise: %s: tw_watch_cpu=%u: %s\n", td->o.name,
		o->watch_cpu, problem);
	return -EINVAL;
}
