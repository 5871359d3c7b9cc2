/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which maps of BPF programs still exist: see helper_maps.h.
 */
#include "helper_maps.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "helper/helper_maps.skel.h"
#include "kernel/program.h"

uint32_t tw_helper_map_id(int fd)
{
	struct bpf_map_info info = { .id = 0 };
	uint32_t size = sizeof(info);

	return bpf_obj_get_info_by_fd(fd, &info, &size) ? 0 : info.id;
}

int tw_helper_maps_open(void)
{
	struct tw_helper_maps *program;
	struct bpf_link *link;
	int fd = -1;

	tw_program_set_messages();
	program = tw_helper_maps__open_and_load();
	if (!program)
		return -errno;
	link = bpf_program__attach_iter(program->progs.list, NULL);
	if (link)
		fd = fcntl(bpf_link__fd(link), F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		fd = -errno;
	bpf_link__destroy(link);
	tw_helper_maps__destroy(program);
	return fd;
}

/* Return which of @ids are listed, a bit for each. */
static uint32_t look_for(int list, const uint32_t *ids, unsigned count)
{
	uint32_t listed[1024], found = 0;
	ssize_t size;
	unsigned i;

	while ((size = read(list, listed, sizeof(listed))) > 0)
		for (i = 0; i < count; i++)
			for (size_t j = 0; j < (size_t)size / sizeof(listed[0]); j++)
				found |= (uint32_t)(ids[i] == listed[j]) << i;
	return size ? UINT32_MAX : found;
}

void tw_helper_maps_forget_gone(int fd, uint32_t *ids, unsigned count)
{
	const int list = bpf_iter_create(fd);
	uint32_t found;
	unsigned i;

	if (list < 0)
		return;
	found = look_for(list, ids, count);
	close(list);
	for (i = 0; i < count; i++)
		if (!(found >> i & 1))
			ids[i] = 0;
}
