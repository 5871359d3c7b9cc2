/* SPDX-License-Identifier: GPL-2.0 */
/*
 * List the numbers of all maps: reading the iterator returns them, 32 bits each.
 * BPF_MAP_GET_NEXT_ID returns the same, but needs CAP_SYS_ADMIN.
 */
#include "kernel/kernel_types.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
} TW_BY_NAME;

struct bpf_map {
	__u32 id;
} TW_BY_NAME;

struct bpf_iter__bpf_map {
	struct bpf_iter_meta *meta;
	struct bpf_map *map;
} TW_BY_NAME;

char LICENSE[] SEC("license") = "GPL";

SEC("iter/bpf_map")
int list(struct bpf_iter__bpf_map *at)
{
	struct bpf_map *map = at->map;
	__u32 id;

	if (!map)
		return 0;
	id = map->id;
	bpf_seq_write(at->meta->seq, &id, sizeof(id));
	return 0;
}
