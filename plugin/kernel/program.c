/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the loaders of all programs for the kernel share: see program.h.
 */
#include "kernel/program.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "counter/state.h"
#include "text_file.h"

/* Some headers are too old to have these. */
#define TW_CAP_PERFMON	38
#define TW_CAP_BPF	39

#define TYPES	"/sys/kernel/btf/vmlinux"

/* The refused instruction with some before it, the reason, and the end of the log. */
#define LAST_LINES	20

bool tw_program_is_locked_down(void)
{
	char text[128];

	tw_text_file_begin("/sys/kernel/security/lockdown", text, sizeof(text));
	return strstr(text, "[confidentiality]");
}

uint64_t tw_program_capabilities(void)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &header, data))
		return 0;
	return (uint64_t)data[1].effective << 32 | data[0].effective;
}

static bool is_privileged(void)
{
	const uint64_t has = tw_program_capabilities();

	return has >> CAP_SYSLOG & 1 &&
	       (has >> CAP_SYS_ADMIN & 1 ||
		(has >> TW_CAP_BPF & 1 && has >> TW_CAP_PERFMON & 1));
}

bool tw_program_has_addresses(void)
{
	char text[16384];
	char *line, *next;
	bool has = false;

	tw_text_file_begin("/proc/kallsyms", text, sizeof(text));
	for (line = text; !has && (next = strchr(line, '\n')); line = next + 1)
		has = strtoull(line, NULL, 16) != 0;
	return has;
}

static const char *refusal(bool helper, const struct tw_program_rights *rights)
{
	if (!rights->privileged)
		return helper ? "the kernel refuses the program: run as root or with "
				"CAP_BPF, CAP_PERFMON and CAP_SYSLOG, or start `sudo "
				"tickwise kernel-helper`" :
				"the kernel refuses the program: run as root or with "
				"CAP_BPF, CAP_PERFMON and CAP_SYSLOG";
	if (!rights->has_addresses)
		return "the kernel hides its addresses from root, too: set "
		       "kernel.kptr_restrict to 1, or run outside of the container";
	return "the kernel refuses the program, though the privileges are there: its "
	       "verifier, a security module or the container forbids it: "
	       "TICKWISE_DEBUG=1 shows the kernel's messages";
}

const char *tw_program_reason_by(int error, bool helper,
				 const struct tw_program_rights *rights)
{
	if (error != -ENOTSUP && rights->locked_down)
		return "the kernel is locked down (lockdown=confidentiality): no "
		       "program may read its memory";
	switch (-error) {
	case EPERM:
	case EACCES:
		return refusal(helper, rights);
	case ENOENT:
	case ESRCH:
		/* libbpf has this error, too, where it lacks memory. */
		if (error == -ESRCH && rights->has_types)
			return "the kernel's type information (" TYPES ") can't be read: not "
			       "enough memory, or libbpf is too old for it";
		return "this kernel has no type information "
		       "(" TYPES "), or not these tracepoints";
	case ENOTSUP:
		return "this engine was built without it (clang, bpftool and "
		       "libbpf-dev were missing)";
	default:
		return strerror(-error);
	}
}

const char *tw_program_reason(int error, bool helper)
{
	const struct tw_program_rights rights = {
		.locked_down = tw_program_is_locked_down(),
		.privileged = is_privileged(),
		.has_addresses = tw_program_has_addresses(),
		.has_types = !access(TYPES, R_OK),
	};

	return tw_program_reason_by(error, helper, &rights);
}

struct tw_program_namespace tw_program_namespace(void)
{
	struct stat of;

	if (stat("/proc/self/ns/pid", &of))
		return (struct tw_program_namespace) { .inode = 0 };
	return (struct tw_program_namespace) {
		.device = of.st_dev,
		.inode = of.st_ino,
	};
}

int tw_places_make(struct tw_places *places, uint32_t count)
{
	void *memory = mmap(NULL, sizeof(*places->given), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return -errno;
	*places = (struct tw_places) { .count = count, .given = memory };
	return 0;
}

const char *tw_places_give(struct tw_places *places, uint32_t wanted, uint32_t *first)
{
	*first = atomic_fetch_add(places->given, wanted);
	return *first <= places->count && wanted <= places->count - *first ? NULL :
		"more jobs than there is room for";
}

const void *tw_program_memory(int fd, size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

bool tw_has_shifted_clock(void)
{
	int64_t monotonic_ns = 0, boottime_ns;
	char text[256];

	tw_text_file_begin("/proc/self/timens_offsets", text, sizeof(text));
	return !tw_parse_timens_offsets(text, &monotonic_ns, &boottime_ns) &&
	       monotonic_ns;
}

void tw_program_print_ends(const char *message, FILE *to)
{
	size_t lines = 0, line, length;

	for (const char *c = message; *c; c++)
		lines += *c == '\n';
	for (line = 0; *message; line++, message += length) {
		length = strcspn(message, "\n");
		length += message[length] == '\n';
		if (line == 0 || line + LAST_LINES >= lines)
			fwrite(message, 1, length, to);
		else if (line == 1)
			fprintf(to, "(%zu lines left out)\n", lines - 1 - LAST_LINES);
	}
}
