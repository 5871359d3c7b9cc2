/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: the reason why the kernel refuses a program names the remedy. Without
 * privileges that is to get them, or the helper if it can load this program. With
 * privileges, something else forbids it. A locked-down kernel is named first.
 * Defect: root is told to become root, a helper that does not serve is recommended.
 */
#include <errno.h>
#include <string.h>

#include "kernel/program.h"
#include "tap.h"

static void says(int error, bool helper, struct tw_program_rights rights,
		 const char *text, const char *not)
{
	const char *reason = tw_program_reason_by(error, helper, &rights);

	tap_ok(strstr(reason, text) && !strstr(reason, not), "%s", reason);
}

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
	says(-ENOMEM, true, all, strerror(ENOMEM), "verifier");
	return tap_done();
}
