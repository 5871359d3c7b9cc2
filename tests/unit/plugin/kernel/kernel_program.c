/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: the reason why the kernel refuses a program names the remedy. Without
 * privileges that is to get them, or the helper if it can load this program. With
 * privileges, something else forbids it. A locked-down kernel is named first.
 * libbpf writes its messages to stderr if TICKWISE_DEBUG is 1, and only then. Each reason fits
 * into an answer of the helper. Defect: root is told to become root, a helper that does not serve
 * is recommended; a reason is cut; what the kernel says about a refused program stays unknown.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "helper/client/helper_protocol.h"
#include "kernel/program.h"
#include "tap.h"

static void says(int error, bool helper, struct tw_program_rights rights,
		 const char *text, const char *not)
{
	const char *reason = tw_program_reason_by(error, helper, &rights);

	tap_ok(strstr(reason, text) && !strstr(reason, not) &&
	       strlen(reason) < sizeof(((struct tw_helper_answer *)0)->why),
	       "%s", reason);
}

#ifdef TW_KERNEL_STAGES
/* Open what is no program. */
static void open_none(const char *debug)
{
	static const char none[64] = "no program";

	if (debug)
		setenv("TICKWISE_DEBUG", debug, 1);
	else
		unsetenv("TICKWISE_DEBUG");
	tw_program_set_messages();
	bpf_object__open_mem(none, sizeof(none), NULL);
}

static void writes(const char *debug, bool messages)
{
	FILE *to = tmpfile();
	pid_t process = to ? fork() : -1;
	char text[256] = "";
	int status = -1;

	if (process == 0) {
		dup2(fileno(to), STDERR_FILENO);
		open_none(debug);
		_exit(0);
	}
	if (process < 0 || waitpid(process, &status, 0) < 0) {
		tap_ok(false, "a process: %s", strerror(errno));
		return;
	}
	rewind(to);
	text[fread(text, 1, sizeof(text) - 1, to)] = '\0';
	fclose(to);
	text[strcspn(text, "\n")] = '\0';
	tap_ok(status == 0 && (strncmp(text, "libbpf: ", 8) == 0) == messages &&
	       !*text == !messages, "TICKWISE_DEBUG=%s: %s", debug ? debug : "",
	       messages ? "libbpf's messages" : "silent");
}
#else
static void writes(const char *debug, bool messages)
{
	(void)debug;
	(void)messages;
	tap_skip("no libbpf here");
}
#endif

int main(void)
{
	const struct tw_program_rights none = { .privileged = false };
	const struct tw_program_rights all = {
		.privileged = true, .has_addresses = true,
	};
	const struct tw_program_rights hidden = { .privileged = true };
	const struct tw_program_rights locked = {
		.locked_down = true, .privileged = true, .has_addresses = true,
	};

	says(-EPERM, true, none, "kernel-helper", "verifier");
	says(-EACCES, false, none, "as root", "kernel-helper");
	says(-EPERM, true, all, "verifier", "root");
	says(-EACCES, false, all, "verifier", "root");
	says(-EPERM, true, hidden, "kptr_restrict", "as root");
	says(-EPERM, true, locked, "locked down", "root");
	says(-EINVAL, true, locked, "locked down", "root");
	says(-ENOTSUP, true, locked, "built without", "locked down");
	says(-ENOENT, true, all, "/sys/kernel/btf/vmlinux", "verifier");
	says(-ESRCH, true, all, "has no type information", "memory");
	says(-ESRCH, true, (struct tw_program_rights) { .has_types = true },
	     "not enough memory", "has no type information");
	says(-ENOENT, true, (struct tw_program_rights) { .has_types = true },
	     "not these tracepoints", "not enough memory");
	says(-ENOMEM, true, all, strerror(ENOMEM), "verifier");
	says(-EPERM, true, all, "TICKWISE_DEBUG=1", "root");
	writes(NULL, false);
	writes("0", false);
	writes("1", true);
	return tap_done();
}
