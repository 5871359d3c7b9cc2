/* SPDX-License-Identifier: MIT */
/*
 * Behaviour: what runs changed in the queues of their devices is put back, in a folder in place
 * of /sys. Fails if a setting stays changed, if one that did not change is written, or if a
 * device of no job is written to; or if what is told about one leaves the others changed.
 */
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command/run/run_parts.h"
#include "put_file.h"
#include "tap.h"
#include "text_file.h"

static char scratch[] = "/tmp/tw_run_settings.XXXXXX";

static char *path_of(const char *name)
{
	return tw_format("%s/sys/%s", scratch, name);
}

static void put(const char *name, const char *text)
{
	put_file(tw_format("%s/sys", scratch), name, text);
}

static int has(const char *name, const char *text)
{
	char is[64];

	tw_text_file_begin(path_of(name), is, sizeof(is));
	return tap_ok(!strcmp(is, text), "%s: %.*s", name, (int)strcspn(is, "\n"), is);
}

/* Let a folder of /sys be that of the device of a file. */
static void link_device(const struct stat *status, const char *folder)
{
	if (symlink(tw_format("../../block/%s", folder), path_of(tw_format("dev/block/%u:%u",
		    major(status->st_dev), minor(status->st_dev)))))
		abort();
}

#define QUEUE(disk)	"block/" disk "/queue/"

int main(void)
{
	struct tw_run_line lines[] = { { .name = (char *)"rw", .value = (char *)"read" },
				       { .name = (char *)"filename" } };
	const struct tw_run_jobs jobs = { .lines = lines, .line_count = 2 };
	struct tw_run_settings settings = { .count = 0 };
	struct stat status;
	int ended;

	if (!mkdtemp(scratch) || stat(scratch, &status))
		return 1;
	settings.sys = tw_format("%s/sys", scratch);
	lines[1].value = tw_format("%s/a:%s:/none/there:%s/pci-0\\:0", scratch, scratch, scratch);
	put("block/disk/part/partition", "1\n");
	put("dev/block/x", "");
	link_device(&status, "disk/part");
	/* Another device, with a name like those in /dev/disk/by-path. */
	if (symlink("/proc/version", tw_format("%s/pci-0:0", scratch)) ||
	    stat("/proc/version", &status))
		return 1;
	link_device(&status, "disk2");
	put(QUEUE("disk") "scheduler", "[none] mq-deadline\n");
	put(QUEUE("disk") "nr_requests", "256\n");
	put(QUEUE("disk") "rotational", "0\n");
	put(QUEUE("disk") "write_cache", "write through\n");
	put(QUEUE("other") "scheduler", "[none] mq-deadline\n");
	put(QUEUE("disk") "iosched/fifo_batch", "32\n");
	put(QUEUE("disk2") "nr_requests", "16\n");
	tw_run_remember(&settings, &jobs);
	tap_ok(settings.count > 4 && !strcmp(settings.list[4].device, "disk") &&
	       !strcmp(settings.list[4].name, "iosched/fifo_batch"),
	       "two files, one of them to be made: the disk of their partition, once");
	tap_ok(settings.count == 6 && !strcmp(settings.list[5].device, "disk2"),
	       "and one with a colon in its name");
	for (int run = 0; run < 2; run++) {
		put(QUEUE("disk") "scheduler", "[mq-deadline] none\n");
		put(QUEUE("disk") "nr_requests", "64\n");
		put(QUEUE("disk") "write_cache", "write back\n");
		put(QUEUE("disk") "iosched/fifo_batch", "16\n");
		put(QUEUE("other") "scheduler", "none [mq-deadline]\n");
		tw_run_put_back(&settings);
		/* A file that is written to keeps what follows; one of /sys does not. */
		has(QUEUE("disk") "scheduler", "nonedeadline] none\n");
		has(QUEUE("disk") "nr_requests", "256");
		has(QUEUE("disk") "rotational", "0\n");
		has(QUEUE("disk") "write_cache", "write through");
		has(QUEUE("disk") "iosched/fifo_batch", "32\n");
		has(QUEUE("other") "scheduler", "none [mq-deadline]\n");
	}
	/* Who reads the messages has gone: the first one ends this process. */
	if (!fork()) {
		int fds[2];

		put(QUEUE("disk") "scheduler", "[mq-deadline] none\n");
		put(QUEUE("disk") "write_cache", "write back\n");
		for (size_t i = 0; i < settings.count; i++)
			settings.list[i].is_told = 0;
		if (!pipe(fds) && !close(fds[0]) && dup2(fds[1], STDERR_FILENO) >= 0)
			tw_run_put_back(&settings);
		_exit(0);
	}
	wait(&ended);
	tap_ok(WIFSIGNALED(ended) && WTERMSIG(ended) == SIGPIPE, "ended by the first message");
	has(QUEUE("disk") "scheduler", "nonedeadline] none\n");
	has(QUEUE("disk") "write_cache", "write through");
	put(QUEUE("disk") "scheduler", "mq-deadline [kyber]\n");
	tw_run_put_back(&settings);
	has(QUEUE("disk") "scheduler", "noneeadline [kyber]\n");
	tap_ok(system(tw_format("rm -r '%s'", scratch)) == 0, "cleaned up");
	return tap_done();
}
