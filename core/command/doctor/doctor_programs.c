/* SPDX-License-Identifier: MIT */
/*
 * Reads the facts that other programs know. fio tells its version and whether
 * it loads the engine; tickwise-kernel-helper tells what the kernel allows.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/allocate.h"
#include "command/child.h"
#include "command/doctor/doctor_parts.h"
#include "command/own_files.h"
#include "command/run/run_parts.h"

#define ENGINE		"tickwise.so"
#define HELPER		"tickwise-kernel-helper"
#define HELPER_SAYS	"kernel-helper: "
/* An option that only the tickwise engine has. */
#define OUR_OPTION	"tw_report"

/* Copy the line that starts at @from. */
static void take_line(char *out, size_t size, const char *from)
{
	snprintf(out, size, "%.*s", (int)strcspn(from, "\n"), from);
}

/* Copy the rest of the line of @text that begins with @begin; "": there is none. */
static void take_rest(char *out, size_t size, const char *text, const char *begin)
{
	for (; text; text = strchr(text, '\n'), text += text != NULL)
		if (!strncmp(text, begin, strlen(begin))) {
			take_line(out, size, text + strlen(begin));
			return;
		}
	*out = '\0';
}

/* ---- fio and the engine ---- */

/* Find a program by PATH, as exec does. */
static void find_in_path(char *place, size_t size, const char *name)
{
	const char *path = getenv("PATH");

	while (path && !strchr(name, '/')) {
		size_t length = strcspn(path, ":");

		snprintf(place, size, "%.*s%s%s", (int)length, path, length ? "/" : "",
			 name);
		if (access(place, X_OK) == 0)
			return;
		path = path[length] ? path + length + 1 : NULL;
	}
	snprintf(place, size, "%s", name);
}

static void read_fio(struct tw_doctor_facts *facts, const char *fio)
{
	char *argv[] = { facts->fio.path, (char []){ "--version" }, NULL };
	char *text;
	int code;

	find_in_path(facts->fio.path, sizeof(facts->fio.path), fio);
	text = tw_child_output(argv, &code);
	if (!text)
		snprintf(facts->fio.why_not, sizeof(facts->fio.why_not), "%s",
			 strerror(errno));
	else if (code || strncmp(text, "fio-", 4) != 0)
		snprintf(facts->fio.why_not, sizeof(facts->fio.why_not),
			 "this is no fio");
	else
		take_line(facts->fio.version, sizeof(facts->fio.version), text);
	free(text);
}

static void load_engine(struct tw_doctor_facts *facts)
{
	char option[PATH_MAX + sizeof("--enghelp=")];
	char *argv[] = { facts->fio.path, option, NULL };
	char *text, *words;
	int code;

	snprintf(option, sizeof(option), "--enghelp=%s", facts->engine.path);
	text = tw_child_output(argv, &code);
	facts->engine.is_loaded = text && strstr(text, OUR_OPTION) != NULL;
	words = text ? strstr(text, "tickwise: ") : NULL;
	if (words) {
		take_line(facts->engine.why_not, sizeof(facts->engine.why_not),
			  words + strlen("tickwise: "));
		/* The engine prints what to do on a line of its own. */
		words = strstr(facts->engine.why_not, ": refused");
		if (words)
			*words = '\0';
	}
	free(text);
}

/* Find the engine in the order of `tickwise run`: the installed one, then one
 * that was built for this fio. */
static void read_engine(struct tw_doctor_facts *facts)
{
	char *installed = tw_own_file(ENGINE, R_OK), *built;

	snprintf(facts->engine.path, sizeof(facts->engine.path), "%s",
		 installed ? installed : "");
	if (installed && facts->fio.version[0])
		load_engine(facts);
	free(installed);
	if (facts->engine.is_loaded || !facts->fio.version[0])
		return;
	built = tw_run_built_engine(facts->fio.path, ENGINE);
	if (built) {
		snprintf(facts->engine.path, sizeof(facts->engine.path), "%s", built);
		load_engine(facts);
	}
	tw_release_texts();
}

/* ---- the kernel's program ---- */

/* Connect to the helper. A connection that is not accepted yet counts. Return 0 or
 * -errno; -EACCES: the helper is for others. */
static int ask_helper(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd, error;

	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	strcpy(address.sun_path, path);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	error = connect(fd, (const struct sockaddr *)&address, sizeof(address)) &&
		errno != EAGAIN ? -errno : 0;
	close(fd);
	return error;
}

static void read_stages(struct tw_doctor_facts *facts)
{
	const char *socket_path = getenv("TICKWISE_KERNEL_SOCKET");
	char *helper = tw_own_file(HELPER, X_OK), *text, *words;
	char *argv[] = { helper, (char []){ "--check" }, NULL };
	int code = -1, error = ask_helper(socket_path && *socket_path ? socket_path :
					  TW_KERNEL_HELPER_SOCKET);

	facts->stages.is_served = !error;
	facts->stages.is_for_others = error == -EACCES;
	facts->stages.is_built = helper != NULL;
	text = helper ? tw_child_output(argv, &code) : NULL;
	facts->stages.is_loaded = text && code == 0;
	words = text ? strstr(text, HELPER_SAYS) : NULL;
	take_line(facts->stages.why_not, sizeof(facts->stages.why_not),
		  words ? words + strlen(HELPER_SAYS) : helper ? "tickwise kernel-helper does not run" : "");
	take_rest(facts->stages.found, sizeof(facts->stages.found), text, "found: ");
	take_rest(facts->stages.missing, sizeof(facts->stages.missing), text,
		  "not found: ");
	free(text);
	free(helper);
}

void tw_doctor_read_programs(struct tw_doctor_facts *facts, const char *fio)
{
	read_fio(facts, fio);
	read_engine(facts);
	read_stages(facts);
}
