/* SPDX-License-Identifier: MIT */
/*
 * Reads perf.data. It may come from anywhere: nothing is read but through
 * take_u64() and its like, which know where the record ends.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "command/profile/perf_data.h"

/* perf's own kinds of record begin here. */
#define USER_FIRST		64
#define USER_TRACING_DATA	66
#define USER_AUXTRACE		71
#define USER_COMPRESSED		81
#define USER_COMPRESSED2	83

/* Return addresses from here on are marks: whose frames come next. */
#define FIRST_CONTEXT		((uint64_t)-4095)

/* sample_id_all of struct perf_event_attr, a bit field there. */
#define SAMPLE_ID_ALL		(1ULL << 18)

struct attr {
	uint32_t type, size;
	uint64_t config, period, sample_type, read_format, flags;
};

/* What is left of a record. */
struct cursor {
	const unsigned char *at, *end;
	int failed;
};

static void take(struct cursor *from, void *value, size_t size)
{
	memset(value, 0, size);
	if ((size_t)(from->end - from->at) < size) {
		from->failed = 1;
		return;
	}
	memcpy(value, from->at, size);
	from->at += size;
}

static uint64_t take_u64(struct cursor *from)
{
	uint64_t value;

	take(from, &value, sizeof(value));
	return value;
}

static uint32_t take_u32(struct cursor *from)
{
	uint32_t value;

	take(from, &value, sizeof(value));
	return value;
}

static void skip_u64(struct cursor *from, uint64_t count)
{
	if (count > (uint64_t)(from->end - from->at) / sizeof(uint64_t))
		from->failed = 1;
	else
		from->at += count * sizeof(uint64_t);
}

static struct cursor part(const struct perf_data *data, uint64_t offset,
			  uint64_t size)
{
	struct cursor it = { data->bytes, data->bytes, 0 };

	if (offset > data->size || size > data->size - offset) {
		it.failed = 1;
		return it;
	}
	it.at += offset;
	it.end = it.at + size;
	return it;
}

static size_t bits_in(uint64_t value)
{
	return (size_t)__builtin_popcountll(value);
}

/* The time of a record that is no sample: behind it, if it is there. */
static uint64_t time_behind(const struct attr *attr, const struct cursor *record)
{
	struct cursor it = *record;
	uint64_t type = attr->sample_type;
	uint64_t behind = type & (PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				  PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
				  PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER);
	size_t words = bits_in(behind);

	if (!(attr->flags & SAMPLE_ID_ALL) || !(type & PERF_SAMPLE_TIME) ||
	    (size_t)(it.end - it.at) < words * sizeof(uint64_t))
		return 0;
	it.at = it.end - words * sizeof(uint64_t);
	if (type & PERF_SAMPLE_TID)
		take_u64(&it);
	return take_u64(&it);
}

static int read_map(struct perf_data *data, const struct attr *attr,
		    struct cursor record, int is_second)
{
	struct perf_map map = { .time_ns = time_behind(attr, &record) };
	struct perf_map *kept;

	map.pid = take_u32(&record);
	take_u32(&record);
	map.begin = take_u64(&record);
	map.end = map.begin + take_u64(&record);
	map.offset = take_u64(&record);
	if (is_second)
		skip_u64(&record, 4);
	if (record.failed || map.end < map.begin ||
	    !memchr(record.at, 0, (size_t)(record.end - record.at)))
		return -EINVAL;
	map.path = (const char *)record.at;
	kept = tw_one_more(&data->maps, &data->map_count);
	if (!kept)
		return -ENOMEM;
	*kept = map;
	return 0;
}

static int read_fork(struct perf_data *data, struct cursor record)
{
	uint32_t pid = take_u32(&record), parent = take_u32(&record);
	struct perf_fork *kept;

	if (record.failed)
		return -EINVAL;
	if (pid == parent)
		return 0;
	kept = tw_one_more(&data->forks, &data->fork_count);
	if (!kept)
		return -ENOMEM;
	*kept = (struct perf_fork) { pid, parent };
	return 0;
}

static int read_chain(struct perf_data *data, struct perf_sample *sample,
		      struct cursor *record)
{
	uint64_t count = take_u64(record);
	int is_user = 1;

	if (count > (uint64_t)(record->end - record->at) / sizeof(uint64_t))
		return -EINVAL;
	sample->first_frame = data->chain_count;
	for (uint64_t i = 0; i < count; i++) {
		uint64_t address = take_u64(record), *kept;

		if (address >= FIRST_CONTEXT) {
			is_user = address == (uint64_t)PERF_CONTEXT_USER;
			continue;
		}
		if (!is_user)
			continue;
		kept = tw_one_more(&data->chain, &data->chain_count);
		if (!kept)
			return -ENOMEM;
		*kept = address;
		sample->frames++;
	}
	return 0;
}

static void skip_counts(const struct attr *attr, struct cursor *record)
{
	uint64_t format = attr->read_format, count = 1;
	size_t times = bits_in(format & (PERF_FORMAT_TOTAL_TIME_ENABLED |
					 PERF_FORMAT_TOTAL_TIME_RUNNING));
	/* The id and what was lost; the latter is newer than some headers. */
	size_t each = 1 + bits_in(format & (PERF_FORMAT_ID | 1 << 4));

	if (format & PERF_FORMAT_GROUP)
		count = take_u64(record);
	skip_u64(record, times);
	if (count > (uint64_t)(record->end - record->at))
		record->failed = 1;
	else
		skip_u64(record, count * each);
}

static int read_sample(struct perf_data *data, const struct attr *attr,
		       const uint64_t *ids, size_t id_count,
		       struct cursor record, unsigned misc)
{
	struct perf_sample sample = { .weight = 1 }, *kept;
	uint64_t type = attr->sample_type, id = id_count ? ids[0] : 0;
	unsigned mode = misc & PERF_RECORD_MISC_CPUMODE_MASK;
	int is_ours = 0, failed = 0;

	if (type & PERF_SAMPLE_IDENTIFIER)
		id = take_u64(&record);
	if (type & PERF_SAMPLE_IP)
		sample.address = take_u64(&record);
	if (type & PERF_SAMPLE_TID) {
		sample.pid = take_u32(&record);
		take_u32(&record);
	}
	if (type & PERF_SAMPLE_TIME)
		sample.time_ns = take_u64(&record);
	if (type & PERF_SAMPLE_ADDR)
		take_u64(&record);
	if (type & PERF_SAMPLE_ID)
		id = take_u64(&record);
	if (type & PERF_SAMPLE_STREAM_ID)
		take_u64(&record);
	if (type & PERF_SAMPLE_CPU)
		take_u64(&record);
	if (type & PERF_SAMPLE_PERIOD)
		sample.weight = take_u64(&record);
	for (size_t i = 0; i < id_count; i++)
		is_ours |= ids[i] == id;
	if (!is_ours && id_count)
		return data->other_events = 1, record.failed ? -EINVAL : 0;
	if (type & PERF_SAMPLE_READ)
		skip_counts(attr, &record);
	sample.in_kernel = mode == PERF_RECORD_MISC_KERNEL ||
			   mode == PERF_RECORD_MISC_HYPERVISOR;
	if (type & PERF_SAMPLE_CALLCHAIN && !record.failed)
		failed = read_chain(data, &sample, &record);
	if (record.failed || failed)
		return failed ? failed : -EINVAL;
	kept = tw_one_more(&data->samples, &data->sample_count);
	if (!kept)
		return -ENOMEM;
	*kept = sample;
	return 0;
}

/* Its samples are counted in the first event's sense, if there are ids. */
struct events {
	struct attr attr;
	uint64_t *ids;
	size_t id_count;
};

static int read_record(struct perf_data *data, const struct events *events,
		       uint32_t type, unsigned misc, struct cursor record,
		       const char **why)
{
	switch (type) {
	case PERF_RECORD_MMAP:
		return read_map(data, &events->attr, record, 0);
	case PERF_RECORD_MMAP2:
		return read_map(data, &events->attr, record, 1);
	case PERF_RECORD_FORK:
		return read_fork(data, record);
	case PERF_RECORD_LOST:
		take_u64(&record);
		data->lost += take_u64(&record);
		return record.failed ? -EINVAL : 0;
	case PERF_RECORD_SAMPLE:
		return read_sample(data, &events->attr, events->ids,
				   events->id_count, record, misc);
	case USER_COMPRESSED:
	case USER_COMPRESSED2:
		*why = "it is compressed: record without -z";
		return -EPROTO;
	}
	return 0;
}

/* What stands behind a record, beyond its size. */
static uint64_t size_behind(uint32_t type, struct cursor record)
{
	if (type == USER_AUXTRACE)
		return take_u64(&record);
	if (type == USER_TRACING_DATA)
		return take_u32(&record);
	return 0;
}

static int read_records(struct perf_data *data, const struct events *events,
			struct cursor from, const char **why)
{
	while (from.at < from.end) {
		struct cursor header = from, record;
		uint32_t type = take_u32(&header), rest = take_u32(&header);
		unsigned misc = rest & 0xffff, size = rest >> 16;
		uint64_t behind;
		int failed;

		if (header.failed || size < 8 ||
		    size > (size_t)(from.end - from.at))
			return -EINVAL;
		record = (struct cursor) { header.at, from.at + size, 0 };
		behind = type < USER_FIRST ? 0 : size_behind(type, record);
		failed = read_record(data, events, type, misc, record, why);
		if (failed)
			return failed;
		from.at += size;
		if (behind > (uint64_t)(from.end - from.at))
			return -EINVAL;
		from.at += behind;
	}
	return 0;
}

static int read_attr(struct attr *attr, struct cursor *from)
{
	attr->type = take_u32(from);
	attr->size = take_u32(from);
	attr->config = take_u64(from);
	attr->period = take_u64(from);
	attr->sample_type = take_u64(from);
	attr->read_format = take_u64(from);
	attr->flags = take_u64(from);
	return from->failed ? -EINVAL : 0;
}

/* The first event, and what its samples are told by. */
static int read_events(struct perf_data *data, struct events *events,
		       uint64_t each, uint64_t offset, uint64_t size,
		       const char **why)
{
	struct cursor it = part(data, offset, size), ids;
	uint64_t ids_offset, ids_size;

	/* Sixteen of them say where the ids are. */
	if (it.failed || each < 64 || each > size || read_attr(&events->attr, &it))
		return -EINVAL;
	it = part(data, offset + each - 16, 16);
	ids_offset = take_u64(&it);
	ids_size = take_u64(&it);
	ids = part(data, ids_offset, ids_size);
	if (it.failed || ids.failed)
		return -EINVAL;
	events->ids = calloc(ids_size / 8 + 1, sizeof(*events->ids));
	if (!events->ids)
		return -ENOMEM;
	for (; events->id_count < ids_size / 8; events->id_count++)
		events->ids[events->id_count] = take_u64(&ids);
	/* Only then do samples say whose they are. */
	if (!(events->attr.sample_type &
	      (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER))) {
		events->id_count = 0;
		if (size / each > 1) {
			*why = "its samples don't say of which event they are";
			return -EPROTO;
		}
	}
	if (!(events->attr.sample_type & PERF_SAMPLE_IP)) {
		*why = "its samples have no addresses";
		return -EPROTO;
	}
	data->event_type = events->attr.type;
	data->event_config = events->attr.config;
	data->has_chains = !!(events->attr.sample_type & PERF_SAMPLE_CALLCHAIN);
	data->has_times = !!(events->attr.sample_type & PERF_SAMPLE_TIME);
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct perf_sample *left = a, *right = b;

	if (left->time_ns != right->time_ns)
		return left->time_ns < right->time_ns ? -1 : 1;
	return (left->first_frame > right->first_frame) -
	       (left->first_frame < right->first_frame);
}

static int parse(struct perf_data *data, struct events *events,
		 const char **why)
{
	struct cursor it = part(data, 0, data->size);
	uint64_t header_size, each, attrs, attrs_size, offset, size;
	struct cursor records;
	int failed;

	if (data->size < 8 || memcmp(data->bytes, "PERFILE2", 8))
		return -EINVAL;
	take_u64(&it);
	header_size = take_u64(&it);
	each = take_u64(&it);
	if (header_size == 16) {
		*why = "it was written into a pipe: record with -o FILE";
		return -EPROTO;
	}
	attrs = take_u64(&it);
	attrs_size = take_u64(&it);
	offset = take_u64(&it);
	size = take_u64(&it);
	if (it.failed)
		return -EINVAL;
	/* perf fills the size in at its end. */
	if (!size) {
		*why = "perf did not end well: it says of no records";
		return -EPROTO;
	}
	failed = read_events(data, events, each, attrs, attrs_size, why);
	if (failed)
		return failed;
	records = part(data, offset, size);
	if (records.failed)
		return -EINVAL;
	failed = read_records(data, events, records, why);
	if (!failed && data->has_times && data->sample_count)
		qsort(data->samples, data->sample_count, sizeof(*data->samples),
		      by_time);
	return failed;
}

int tw_perf_data_parse(struct perf_data *data, const void *bytes, size_t size,
		       const char **why)
{
	struct events events = { .ids = NULL };
	int failed;

	*data = (struct perf_data) { .size = size };
	/* A path at the very end has its 0, whatever the file says. */
	data->bytes = calloc(size + 1, 1);
	if (!data->bytes)
		return -ENOMEM;
	memcpy(data->bytes, bytes, size);
	failed = parse(data, &events, why);
	free(events.ids);
	if (failed)
		tw_perf_data_free(data);
	return failed;
}

/* All of @file; NULL with errno set. */
static void *read_all(FILE *file, size_t *size)
{
	unsigned char *bytes = NULL, *more;
	size_t room = 0;

	*size = 0;
	do {
		if (*size == room) {
			room = room ? 2 * room : 1 << 16;
			more = realloc(bytes, room);
			if (!more) {
				free(bytes);
				return NULL;
			}
			bytes = more;
		}
		*size += fread(bytes + *size, 1, room - *size, file);
	} while (!feof(file) && !ferror(file));
	if (!ferror(file))
		return bytes;
	free(bytes);
	return NULL;
}

int tw_perf_data_read(struct perf_data *data, const char *path,
		      const char **why)
{
	FILE *file = fopen(path, "re");
	void *bytes;
	size_t size;
	int failed;

	if (!file)
		return -errno;
	bytes = read_all(file, &size);
	failed = bytes ? 0 : errno ? -errno : -EIO;
	fclose(file);
	if (!failed)
		failed = tw_perf_data_parse(data, bytes, size, why);
	free(bytes);
	return failed;
}

void tw_perf_data_free(struct perf_data *data)
{
	free(data->bytes);
	free(data->maps);
	free(data->forks);
	free(data->samples);
	free(data->chain);
	*data = (struct perf_data) { 0 };
}

/* Of those that were there by then the last; maps without a time always were. */
static const struct perf_map *map_of(const struct perf_data *data, uint32_t pid,
				     uint64_t address, uint64_t time_ns)
{
	const struct perf_map *found = NULL;

	for (size_t i = 0; i < data->map_count; i++) {
		const struct perf_map *map = &data->maps[i];

		if (map->pid == pid && address >= map->begin &&
		    address < map->end && map->time_ns <= time_ns &&
		    (!found || map->time_ns >= found->time_ns))
			found = map;
	}
	return found;
}

const struct perf_map *tw_perf_data_map(const struct perf_data *data,
					uint32_t pid, uint64_t address,
					uint64_t time_ns)
{
	const struct perf_map *found = map_of(data, pid, address, time_ns);

	/* A child has what its parent had. Forks come in the order of time. */
	for (size_t i = data->fork_count; i-- && !found;)
		if (data->forks[i].pid == pid) {
			pid = data->forks[i].parent;
			found = map_of(data, pid, address, time_ns);
		}
	return found;
}

const char *tw_perf_data_event(const struct perf_data *data)
{
	static const char *const software[] = { "cpu-clock", "task-clock" };

	if (data->event_type == PERF_TYPE_SOFTWARE && data->event_config < 2)
		return software[data->event_config];
	/* A processor with two kinds of core has the kind above. */
	if (data->event_type == PERF_TYPE_HARDWARE &&
	    !(uint32_t)data->event_config)
		return "cycles";
	return "an event that is no time";
}
