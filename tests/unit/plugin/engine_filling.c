/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: a job fills one of two tallies while the thread of tw_interval writes the
 * other. They are switched once for each line: by the job when it settles, otherwise by
 * the thread. The lines add up to the report, whenever the thread writes. Defect: both
 * use one tally, so that an I/O is lost, in two lines, or in parts. Also a signal of
 * fio's that goes to the thread, or a thread that never wakes.
 */
#include <dirent.h>
#include <pthread.h>
#include <signal.h>

#include "engine_lines.h"

/* Far longer than a thread needs on any machine. */
#define PATIENCE_MS	120000

/* ---- two tallies -------------------------------------------------------- */

static void steps(void)
{
	static struct tw_filling filling;
	struct tw_filled *first = tw_fill_begin(&filling);
	unsigned which = tw_fill_ask(&filling);

	tap_ok(first == &filling.filled[0] && which == 0 &&
	       !tw_fill_take(&filling, which) && !tw_fill_is_taken(&filling),
	       "while the job settles the writer can't switch");
	tap_ok(!tw_fill_end(&filling), "at the end of the settle the job does");
	tw_fill_switch(&filling);
	tap_ok(tw_fill_is_taken(&filling) && !tw_fill_is_asked(&filling) &&
	       tw_fill_begin(&filling) == &filling.filled[1] && tw_fill_end(&filling),
	       "and fills the other tally");
	which = tw_fill_ask(&filling);
	tap_ok(which == 1 && tw_fill_take(&filling, which) &&
	       !tw_fill_take(&filling, which) && tw_fill_is_taken(&filling) &&
	       tw_fill_begin(&filling) == first,
	       "if the job does not settle, the writer switches, once");
}

/* The writer asks: the job settles before it waits again, however few I/Os there are. */
static void asked(void)
{
	struct tw_filling *filling;

	if (!begin(HOUR_US))
		return;
	filling = &world_state()->collected.filling;
	one_read(9000);
	one_read(9000);
	tap_ok(filling->filled[0].tally.counts[TW_READ].ios == 0 &&
	       tw_fill_ask(filling) == 0, "a few I/Os are not settled");
	one_read(9000);
	tap_ok(tw_fill_is_taken(filling) && filling->filled[0].end_ticks &&
	       filling->filled[0].tally.counts[TW_READ].ios == 2,
	       "if the writer asks, they are, and the job goes on with the other tally");
	tap_ok(tw_fill_now(filling) == &filling->filled[1], "which is the second");
	world_end();
}

/* ---- two threads -------------------------------------------------------- */

#define LINES_OF_TWO	40

static _Atomic(unsigned) written;

/* Write lines at random moments. */
static void *write_often(void *argument)
{
	uint64_t *state = argument;

	for (; written < LINES_OF_TWO; written++) {
		const struct timespec pause = {
			.tv_nsec = (long)(tap_random(state) % 300000),
		};

		nanosleep(&pause, NULL);
		write_now();
	}
	return NULL;
}

static void two_threads(const struct shape *shape)
{
	uint64_t state = world_random + 1;
	pthread_t writer;

	if (!begin_as(shape, HOUR_US))
		return;
	written = 0;
	pthread_create(&writer, NULL, write_often, &state);
	while (written < LINES_OF_TWO)
		some_ios();
	pthread_join(writer, NULL);
	world_end();
	read_file();
	check_lines(shape->name);
	tap_ok(file.lines == LINES_OF_TWO + 1 && is_chain(),
	       "%s: one after the other", shape->name);
}

/* ---- the thread --------------------------------------------------------- */

/* Find the blocked signals of the thread with this name, as the kernel writes them. */
static bool find_thread(char *blocked, size_t size)
{
	DIR *threads = opendir("/proc/self/task");
	const struct dirent *thread;
	bool found = false;

	while (threads && !found && (thread = readdir(threads))) {
		char name[300], text[200];
		FILE *in;

		snprintf(name, sizeof(name), "/proc/self/task/%s/status",
			 thread->d_name);
		in = fopen(name, "r");
		while (in && fgets(text, sizeof(text), in)) {
			if (!strcmp(text, "Name:\ttw_interval\n"))
				found = true;
			if (found && !strncmp(text, "SigBlk:", 7))
				snprintf(blocked, size, "%.16s", text + 8);
		}
		if (in)
			fclose(in);
	}
	if (threads)
		closedir(threads);
	return found;
}

/* The thread writes by itself; the job records all the time, or sleeps. */
static void by_itself(bool sleeps)
{
	const char *what = sleeps ? "the job sleeps" : "the job records";
	const struct timespec pause = { .tv_nsec = 10000000 };
	char blocked[64] = "";
	unsigned waited, i;
	uint64_t mask;

	if (!begin(TW_INTERVAL_MIN_US))
		return;
	some_ios();
	for (waited = 0; waited < PATIENCE_MS; waited += 10) {
		nanosleep(&pause, NULL);
		for (i = 0; !sleeps && i < 20; i++)
			some_ios();
		read_file();
		if (file.lines >= 3)
			break;
	}
	tap_ok(file.lines >= 3, "%s: the thread writes a line for each interval", what);
	tap_ok(find_thread(blocked, sizeof(blocked)), "it has a name");
	/* Without SIGKILL, SIGSTOP, and two that the C library keeps for itself. */
	mask = strtoull(blocked, NULL, 16) | 1ULL << (SIGKILL - 1) |
	       1ULL << (SIGSTOP - 1) | 3ULL << 31;
	tap_ok(mask == UINT64_MAX, "and takes no signals: %s", blocked);
	world_end();
	tap_ok(!find_thread(blocked, sizeof(blocked)),
	       "it ends with the job");
	read_file();
	check_lines(what);
	tap_ok(is_chain(), "%s: one after the other", what);
}

int main(void)
{
	static struct tw_slot slots[WORLD_DEPTH];
	static const struct shape threads = { "two threads", .slots = slots };
	static const struct shape rated = { "two threads, a rate", .rated = true };

	lines_begin();
	steps();
	asked();
	two_threads(&threads);
	two_threads(&rated);
	by_itself(false);
	by_itself(true);
	return lines_done();
}
