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
	if (!rights->has_addresses && access("/proc/self", F_OK))
		return "there is no /proc here: mount it";
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

uint64_t tw_program_namespace(void)
{
	struct stat of;

	return stat("/proc/self/ns/pid", &of) ? 0 : of.st_ino;
}

const void *tw_places_make(struct tw_places *places, int fd, uint32_t count, size_t size)
{
	void *memory = mmap(NULL, sizeof(*places->given), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return NULL;
	*places = (struct tw_places) { .count = count, .given = memory };
	return tw_program_memory(fd, count * size);
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

#ifdef TW_KERNEL_STAGES
void tw_program_set_messages(void)
{
	const char *text = getenv("TICKWISE_DEBUG");

	if (!text || strcmp(text, "1"))
		libbpf_set_print(NULL);
}

int64_t tw_program_missed(const struct bpf_object *object)
{
	struct bpf_program *program;
	int64_t missed = 0;

	bpf_object__for_each_program(program, object) {
		struct bpf_prog_info info = { .id = 0 };
		uint32_t size = sizeof(info);

		if (!bpf_program__autoload(program))
			continue;
		if (bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &size))
			return -1;
		missed += (int64_t)info.recursion_misses;
	}
	return missed;
}

bool tw_program_can_enter(const struct btf *btf, const char *function)
{
	static const struct bpf_insn nothing[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	const int type = btf__find_by_name_kind(btf, function, BTF_KIND_FUNC);
	LIBBPF_OPTS(bpf_prog_load_opts, options, .expected_attach_type = BPF_TRACE_FENTRY,
		    .attach_btf_id = (uint32_t)type);
	int program, link;

	if (type <= 0)
		return false;
	program = bpf_prog_load(BPF_PROG_TYPE_TRACING, "tw_try", "GPL", nothing, 2, &options);
	if (program < 0)
		return false;
	link = bpf_raw_tracepoint_open(NULL, program);
	close(program);
	if (link < 0)
		return false;
	close(link);
	return true;
}

bool tw_program_has_tracepoint(const struct btf *kernel, const char *name)
{
	static const char *const modules[] = { "jbd2", "ext4", "xfs", "btrfs" };
	struct btf *module;
	char type[64];
	bool has;

	snprintf(type, sizeof(type), "btf_trace_%s", name);
	has = btf__find_by_name_kind(kernel, type, BTF_KIND_TYPEDEF) > 0;
	for (size_t i = 0; !has && i < sizeof(modules) / sizeof(*modules); i++) {
		if (strncmp(name, modules[i], strlen(modules[i])) != 0)
			continue;
		module = btf__load_module_btf(modules[i], (struct btf *)kernel);
		has = module && btf__find_by_name_kind(module, type, BTF_KIND_TYPEDEF) > 0;
		btf__free(module);
	}
	return has;
}

void tw_program_choose(const struct bpf_object *object, const struct btf *kernel)
{
	static const char traces[] = "tp_btf/";
	struct bpf_program *program;

	bpf_object__for_each_program(program, object) {
		const char *section = bpf_program__section_name(program);

		if (!bpf_program__autoload(program) && !strncmp(section, traces, strlen(traces)))
			bpf_program__set_autoload(program, tw_program_has_tracepoint(
				kernel, section + strlen(traces)));
	}
}
#endif
