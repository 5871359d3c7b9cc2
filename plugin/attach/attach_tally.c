// SPDX-License-Identifier: GPL-2.0
/*
 * Add up records: see attach_tally.h.
 */
#include "attach/attach_tally.h"

#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "kernel/stages/clock_map.h"
#include "latency/histogram.h"

/* ---- operations, whose numbers the kernel never changes ---- */

enum {
	READV = 1, WRITEV = 2, FSYNC = 3, READ_FIXED = 4, WRITE_FIXED = 5,
	SYNC_FILE_RANGE = 8, READ = 22, WRITE = 23, URING_CMD = 46,
	READV_FIXED = 60, WRITEV_FIXED = 61,
};

static const char *const names[] = {
	"nop", "readv", "writev", "fsync", "read_fixed", "write_fixed", "poll_add",
	"poll_remove", "sync_file_range", "sendmsg", "recvmsg", "timeout",
	"timeout_remove", "accept", "async_cancel", "link_timeout", "connect",
	"fallocate", "openat", "close", "files_update", "statx", "read", "write",
	"fadvise", "madvise", "send", "recv", "openat2", "epoll_ctl", "splice",
	"provide_buffers", "remove_buffers", "tee", "shutdown", "renameat",
	"unlinkat", "mkdirat", "symlinkat", "linkat", "msg_ring", "fsetxattr",
	"setxattr", "fgetxattr", "getxattr", "socket", "uring_cmd", "send_zc",
	"sendmsg_zc", "read_multishot", "waitid", "futex_wait", "futex_wake",
	"futex_waitv", "fixed_fd_install", "ftruncate", "bind", "listen", "recv_zc",
	"epoll_wait", "readv_fixed", "writev_fixed", "pipe",
};

const char *tw_attach_operation(uint8_t opcode)
{
	static __thread char number[16];

	if (opcode < sizeof(names) / sizeof(*names))
		return names[opcode];
	if (opcode == TW_ATTACH_FDATASYNC)
		return "fdatasync";
	snprintf(number, sizeof(number), "opcode %u", opcode);
	return number;
}

unsigned tw_attach_direction(uint8_t opcode)
{
	switch (opcode) {
	case READV:
	case READ_FIXED:
	case READ:
	case READV_FIXED:
		return TW_READ;
	case WRITEV:
	case WRITE_FIXED:
	case WRITE:
	case WRITEV_FIXED:
		return TW_WRITE;
	case FSYNC:
	case SYNC_FILE_RANGE:
	case TW_ATTACH_FDATASYNC:
		return TW_SYNC;
	case URING_CMD:
		return TW_ATTACH_COMMAND;
	default:
		return TW_ATTACH_OTHER;
	}
}

/* ---- why an I/O was slow ---- */

/* True if the stage begins and ends in the submitting thread. */
static bool takes_part(const struct tw_attach_io *io, unsigned stage, const struct tw_io_times *times)
{
	const bool dispatches = io->flags & TW_ATTACH_DISPATCHED_ITSELF;
	const bool posts = io->flags & TW_ATTACH_POSTED_ITSELF;

	if (!io->thread || io->thread > TW_ATTACH_THREADS)
		return false;
	switch (stage) {
	case TW_BLOCKQ:
		return dispatches && !io->retries;
	case TW_COMPLETE:
		return posts;
	case TW_KERNEL:
		return posts && !io->retries && !tw_io_has(times, TW_COMPLETE);
	default:
		return false;
	}
}

/* Return a map from CLOCK_MONOTONIC to the time since @zero_ns. */
static struct tw_clock_map clock_map_from(uint64_t zero_ns)
{
	const struct tw_reading zero = { .monotonic_ns = (int64_t)zero_ns };

	return (struct tw_clock_map) {
		.first = zero, .before = zero, .last = zero, .rate = 1, .older_rate = 1,
	};
}

void tw_attach_why_find(const struct tw_offcpu *offcpu, const struct tw_attach_io *io,
			const struct tw_io_times *times, struct tw_attach_why *why)
{
	const uint64_t *ns = times->ns;
	/* When each stage begins, since the I/O was accepted. The stage kernel stands for
	 * the stages that the I/O lacks. */
	const uint64_t begins_ns[TW_LAT] = {
		[TW_KERNEL] = ns[TW_BLOCKQ], [TW_DEVICE] = ns[TW_BLOCKQ] + ns[TW_KERNEL],
		[TW_COMPLETE] = ns[TW_LAT] - ns[TW_COMPLETE],
	};
	unsigned longest = TW_BLOCKQ;
	struct tw_clock_map map;

	for (unsigned i = 0; i < TW_LAT; i++)
		if (ns[i] > ns[longest])
			longest = i;
	*why = (struct tw_attach_why) {
		.stage = longest, .ns = ns[longest],
		.from_ns = io->accepted_ns + begins_ns[longest],
		.followed = offcpu && takes_part(io, longest, times) && ns[longest],
	};
	/* The zero of own time is the beginning of the stage. */
	map = clock_map_from(why->from_ns);
	if (why->followed)
		tw_find_causes(&offcpu[io->thread - 1], &map, &(struct tw_part) {
				.to_ns = (int64_t)ns[longest],
				.ends_by_wakeup = longest == TW_COMPLETE,
			}, &why->causes);
}

/* ---- begin and end ----------------------------------------------------------- */

#define DIGITS		3	/* of the histograms of all I/Os, as the engine's */
#define ROW_DIGITS	2

/* Times of all I/Os, and those of calls: the parts of syncs without a worker. */
static const unsigned io_times[] = { TW_BLOCKQ, TW_DEVICE, TW_COMPLETE, TW_KERNEL, TW_LAT };

#define IO_TIMES	(sizeof(io_times) / sizeof(*io_times))
#define FIRST_OF_CALL	TW_SYNC_DATA
#define LAST_OF_CALL	TW_SYNC_WAKE

/* Return the metrics of a report that are counted here. */
static struct tw_metric_set counted(void)
{
	static const enum tw_metric_number rows[] = {
		TW_METRIC_ios, TW_METRIC_bytes, TW_METRIC_zero_byte, TW_METRIC_linked, TW_METRIC_drained,
		TW_METRIC_errors, TW_METRIC_cancelled, TW_METRIC_no_cqe, TW_METRIC_unseen, TW_METRIC_split,
		TW_METRIC_no_request, TW_METRIC_missing_stamp, TW_METRIC_sync_write,
		TW_METRIC_not_chosen, TW_METRIC_every, TW_METRIC_waited, TW_METRIC_requests, TW_METRIC_retries, TW_METRIC_negative_beyond,
		TW_METRIC_more_rings, TW_METRIC_in_flight, TW_METRIC_more_cqes,
		TW_METRIC_lost_records, TW_METRIC_lost_ios, TW_METRIC_lost_rings,
		TW_METRIC_lost_names, TW_METRIC_lost_processes, TW_METRIC_OVER_TIME,
		TW_METRIC_unsplit_syncs, TW_METRIC_sync_bytes, TW_METRIC_calls_that_waited,
		TW_METRIC_ready_in_waits_ns, TW_METRIC_not_over, TW_METRIC_lost_waits,
		TW_METRIC_of_32_bits, TW_METRIC_SLOWEST,
	};
	struct tw_metric_set has = { 0 };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		tw_metric_put(&has, rows[i]);
	for (size_t i = 0; i < IO_TIMES; i++)
		tw_metric_put(&has, TW_METRIC_TIMES + io_times[i]);
	for (unsigned i = FIRST_OF_CALL; i <= LAST_OF_CALL; i++)
		tw_metric_put(&has, TW_METRIC_TIMES + i);
	return has;
}

int tw_attach_tally_init(struct tw_attach_tally *tally, uint64_t start_ns,
			 uint64_t start_realtime_ns, uint32_t slowest)
{
	const struct tw_metric_set has = counted();
	int error;

	*tally = (struct tw_attach_tally) {
		.start_ns = start_ns, .start_realtime_ns = start_realtime_ns,
	};
	tally->rows = calloc(TW_ATTACH_MAX_ROWS + 1, sizeof(*tally->rows));
	tally->rings = calloc(TW_ATTACH_MAX_RINGS, sizeof(*tally->rings));
	if (!tally->rows || !tally->rings)
		return -ENOMEM;
	error = tw_tally_init(&tally->all, &has, DIGITS, TW_WINDOWS_MOST);
	tally->all.scalars.every = 1;
	if (!error)
		error = tw_slowest_init(&tally->slowest, slowest,
					sizeof(struct tw_attach_slow));
	return error ? error : tw_attach_waits_init(&tally->waits, slowest);
}

/* The other tree has it, too. */
static void keep(void *path)
{
	(void)path;
}

void tw_attach_tally_free(struct tw_attach_tally *tally)
{
	/* Also those of a row that lacked memory. */
	for (uint32_t i = 0; tally->rows && i <= TW_ATTACH_MAX_ROWS; i++)
		for (unsigned time = 0; time < TW_TIMES; time++)
			tw_histogram_free(&tally->rows[i].times[time]);
	tdestroy(tally->names, keep);
	tdestroy(tally->files, free);
	tw_tally_free(&tally->all);
	tw_slowest_free(&tally->slowest);
	tw_attach_waits_free(&tally->waits);
	free(tally->rows);
	free(tally->rings);
}

/* ---- rings and files --------------------------------------------------------- */

void tw_attach_add_ring(struct tw_attach_tally *tally,
			const struct tw_attach_ring *ring)
{
	struct tw_attach_ring *at = &tally->rings[tally->ring_count];

	if (tally->ring_count >= TW_ATTACH_MAX_RINGS) {
		tally->all.scalars.more_rings++;
		return;
	}
	tally->ring_count++;
	*at = *ring;
	at->program[sizeof(at->program) - 1] = '\0';
}

#define DELETED		" (deleted)"	/* as in /proc/PID/fd */

/* For tsearch(3), which knows it by its first member. */
struct path {
	struct tw_attach_inode inode;
	struct tw_attach_inode first;	/* the first file of this name, which has the row */
	char no_device[16];		/* type of its file system without a block device; "" */
	char text[];
};

static int by_inode(const void *left, const void *right)
{
	return memcmp(left, right, sizeof(struct tw_attach_inode));
}

static int by_name(const void *left, const void *right)
{
	const struct path *a = left, *b = right;

	return memcmp(&a->inode.device, &b->inode.device, sizeof(a->inode.device)) ?:
	       strcmp(a->text, b->text);
}

/* Put the names of a record together. @size: of its names. */
static void join_names(char *end, const struct tw_attach_file *file, size_t size)
{
	const bool cut = file->flags & TW_ATTACH_CUT;

	if (cut)
		end = stpcpy(end, "...");
	else if (!size)
		end = stpcpy(end, "/");
	while (size) {
		size_t from = size - 1;		/* the 0 of the name before it */

		while (from && file->names[from - 1])
			from--;
		*end++ = '/';
		end = mempcpy(end, &file->names[from], size - 1 - from);
		size = from;
	}
	strcpy(end, file->flags & TW_ATTACH_DELETED ? DELETED : "");
}

/* Some file systems have their devices elsewhere. */
static bool lacks_device(const struct tw_attach_file *file)
{
	static const char *const others[] = { "btrfs", "bcachefs", "zfs", "overlay" };

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (!strncmp(file->type, others[i], sizeof(file->type)))
			return false;
	return file->flags & TW_ATTACH_NO_DEVICE;
}

int tw_attach_add_file(struct tw_attach_tally *tally,
		       const struct tw_attach_file *file, size_t size)
{
	struct path *path, *const *named;

	if (tfind(&file->inode, &tally->files, by_inode))
		return 0;
	size -= offsetof(struct tw_attach_file, names);
	if (size > file->size)
		size = file->size;
	path = malloc(sizeof(*path) + size + sizeof("..." "/" DELETED));
	if (!path)
		return -ENOMEM;
	path->inode = path->first = file->inode;
	snprintf(path->no_device, sizeof(path->no_device), "%.15s",
		 lacks_device(file) ? file->type : "");
	join_names(path->text, file, size);
	if (!tsearch(path, &tally->files, by_inode)) {
		free(path);
		return -ENOMEM;
	}
	named = tsearch(path, &tally->names, by_name);
	if (!named)
		return -ENOMEM;
	path->first = (*named)->inode;
	return 0;
}

const char *tw_attach_file_name(const struct tw_attach_tally *tally,
				const struct tw_attach_inode *inode)
{
	const struct path *const *at = tfind(inode, &tally->files, by_inode);

	return at ? (*at)->text : inode->mode ? "?" : "-";
}

/* ---- rows ------------------------------------------------------------------ */

static struct tw_attach_row *row_of(struct tw_attach_tally *tally,
				    const struct tw_attach_key *key)
{
	const uint64_t mixed = (key->inode.number ^ (uint64_t)key->inode.device << 40 ^
				(uint64_t)key->ring << 20 ^ (uint64_t)key->opcode << 56) *
			       0x9e3779b97f4a7c15ULL;
	const bool full = tally->row_count >= TW_ATTACH_MAX_ROWS;
	const struct path *const *file;
	uint32_t place = (uint32_t)(mixed >> 32);
	struct tw_attach_row *row;
	uint16_t at;
	int error = 0;

	for (; (at = tally->row_at[place % TW_ATTACH_PLACES]); place++) {
		row = &tally->rows[at - 1];
		if (row->ring == key->ring && row->opcode == key->opcode &&
		    by_inode(&row->inode, &key->inode) == 0)
			return row;
	}
	file = tfind(&key->inode, &tally->files, by_inode);
	if (file && by_inode(&(*file)->first, &key->inode))
		return row_of(tally, &(struct tw_attach_key) {
			.inode = (*file)->first, .ring = key->ring, .opcode = key->opcode,
		});
	if (tally->row_count > TW_ATTACH_MAX_ROWS)
		return &tally->rows[TW_ATTACH_MAX_ROWS];
	row = &tally->rows[tally->row_count];
	for (size_t i = 0; i < IO_TIMES && !error; i++)
		error = tw_histogram_init(&row->times[io_times[i]], ROW_DIGITS);
	for (unsigned i = FIRST_OF_CALL; !key->ring && i <= LAST_OF_CALL && !error; i++)
		error = tw_histogram_init(&row->times[i], ROW_DIGITS);
	if (error)
		return NULL;
	tally->row_count++;
	row->rest = full;
	if (full)
		return row;
	row->ring = key->ring;
	row->opcode = (uint8_t)key->opcode;
	row->inode = key->inode;
	tally->row_at[place % TW_ATTACH_PLACES] = (uint16_t)tally->row_count;
	return row;
}

/* ---- I/Os ------------------------------------------------------------------ */

static uint64_t lat_of(const struct tw_attach_io *io)
{
	return io->posted_ns > io->accepted_ns ? io->posted_ns - io->accepted_ns : 0;
}

/* True if each stamp is at or after the one before it. */
static bool is_ordered(const struct tw_attach_io *io)
{
	const uint64_t dispatched_ns = io->dispatched_ns ? io->dispatched_ns :
							   io->accepted_ns;
	const uint64_t finished_ns = io->finished_ns ? io->finished_ns : dispatched_ns;

	return io->accepted_ns <= dispatched_ns && dispatched_ns <= finished_ns &&
	       finished_ns <= io->posted_ns;
}

/* True if the I/O had to wait for I/Os of its program, which is not the block layer's
 * queue. */
static bool has_waited(const struct tw_attach_io *io)
{
	return io->flags & (TW_ATTACH_LINKED | TW_ATTACH_DRAINED);
}

void tw_attach_split(const struct tw_attach_io *io, struct tw_io_times *times)
{
	const unsigned direction = tw_attach_direction(io->opcode);
	const bool ordered = is_ordered(io);
	/* The wait for other I/Os is before acceptance, of which the stamp is missing then. */
	struct tw_kernel_stamps stamps = {
		.accepted_ns = has_waited(io) ? 0 : io->accepted_ns,
		.dispatched_ns = ordered ? io->dispatched_ns : 0,
		.finished_ns = ordered ? io->finished_ns : 0,
		.posted_ns = io->posted_ns,
		.due_bytes = (uint32_t)io->due_bytes,
		.finished_bytes = (uint32_t)io->finished_bytes,
		.flags = io->flags & TW_ATTACH_OF_STAMPS,
	};
	const struct tw_clock_map map = clock_map_from(io->accepted_ns);
	const uint64_t lat_ns = lat_of(io);
	struct tw_negative_stages negative = { 0 };	/* an unordered I/O counts once */
	unsigned joined;

	tw_mark_unseen(&stamps, direction < TW_SYNC && io->result > 0 ?
		       (uint64_t)io->result : 0,
		       direction == TW_READ && S_ISREG(io->inode.mode));
	*times = (struct tw_io_times) { .has = TW_ATTACH_SPLIT, .ns[TW_LAT] = lat_ns };
	joined = tw_split(&map, &stamps, 0, (int64_t)lat_ns, &times->ns[TW_SUBMIT],
			  &times->ns[TW_KERNEL], &negative);
	times->has &= ~((uint64_t)joined << TW_SUBMIT);
	if (joined)
		times->has |= TW_TIME_BIT(TW_KERNEL);
}

/* Count an I/O as split, or the reason why it is not. */
static void count_split(struct tw_counts *counts, const struct tw_attach_io *io,
			const struct tw_io_times *times)
{
	const bool dispatched = is_ordered(io) && io->dispatched_ns;

	if (!tw_io_has(times, TW_KERNEL))
		counts->split = 1;
	else if (!io->dispatched_ns && !io->finished_ns)
		counts->no_request = 1;
	else if (dispatched && has_waited(io))
		counts->waited = 1;
	else if (dispatched && io->flags & TW_STAMPS_SYNC_WRITE)
		counts->sync_write = 1;
	else
		counts->missing_stamp = 1;
}

/* Return what an I/O adds to the counts. @times: if it has a lat. */
static struct tw_counts counts_of(const struct tw_attach_io *io, const struct tw_io_times *times)
{
	const bool moves = tw_attach_direction(io->opcode) < TW_SYNC;
	struct tw_counts counts = { 0 };

	if (io->kind == TW_ATTACH_NO_CQE) {
		counts.no_cqe = 1;
	} else if (io->result == -ECANCELED) {
		counts.cancelled = 1;
	} else if (io->result < 0) {
		counts.errors = 1;	/* also I/Os that the kernel did not accept */
	} else if (!io->accepted_ns && !(io->flags & TW_ATTACH_NOT_CHOSEN)) {
		counts.unseen = 1;
	} else {
		counts.ios = 1;
		counts.linked = (io->flags & TW_ATTACH_LINKED) != 0;
		counts.drained = (io->flags & TW_ATTACH_DRAINED) != 0;
		counts.bytes = moves ? (uint64_t)io->result : 0;
		counts.zero_byte = moves && !io->result;
		if (io->flags & TW_ATTACH_NOT_CHOSEN)
			counts.not_chosen = 1;
		else
			count_split(&counts, io, times);
	}
	return counts;
}

static void put_line(const struct tw_attach_tally *tally, const struct tw_attach_slow *slow)
{
	const struct tw_attach_io *io = &slow->io;
	const struct tw_had_cpu *had_cpu = &slow->why.causes.had_cpu[0];
	const struct tw_attach_ring *ring = NULL;
	char who[48] = "";

	for (uint32_t i = 0; i < tally->ring_count && !ring; i++)
		if (tally->rings[i].ring == io->ring)
			ring = &tally->rings[i];
	if (slow->why.followed && had_cpu->ns > slow->why.ns / 2)
		snprintf(who, sizeof(who), "%.16s (%u)", had_cpu->name, had_cpu->id);
	tw_attach_lines_put(tally->waits.lines, &(struct tw_attach_line) {
		.began_ns = io->accepted_ns, .ended_ns = io->posted_ns,
		.program = ring ? ring->program : "", .process = ring ? ring->process : 0,
		.call = tw_attach_operation(io->opcode),
		.file = tw_attach_file_name(tally, &io->inode),
		.reason = tw_time_metrics[slow->why.stage].name, .who = who,
		.offset = io->offset, .bytes = io->result > 0 ? (uint64_t)io->result : 0,
	});
}

static void add_slow(struct tw_attach_tally *tally, const struct tw_attach_io *io,
		     const struct tw_sync *synced, const struct tw_io_times *times)
{
	struct tw_attach_slow slow = {
		.lat_ns.value = times->ns[TW_LAT], .io = *io, .times = *times,
	};

	/* For other operations the kernel has another value at that place. */
	if (tw_attach_direction(io->opcode) >= TW_SYNC)
		slow.io.offset = UINT64_MAX;
	if (!tw_attach_is_slow(&tally->waits, &tally->slowest, slow.lat_ns.value))
		return;
	if (synced)
		slow.synced = *synced;
	tw_attach_why_find(tally->offcpu, io, times, &slow.why);
	/* The waits of a call have a line each. */
	if (tally->waits.lines && io->ring)
		put_line(tally, &slow);
	tw_slowest_add(&tally->slowest, &slow.lat_ns);
}

/* @weight: how many I/Os the I/O stands for in times; 0: it has no times */
static void add_to_row(struct tw_attach_row *row, const struct tw_counts *counts,
		       const struct tw_io_times *times, uint64_t weight)
{
	tw_counts_add(&row->counts, counts);
	if (!weight)
		return;
	for (uint64_t left = times->has; left;) {
		const unsigned time = tw_take_time(&left);

		tw__histogram_add_times(&row->times[time], times->ns[time], weight);
	}
}

/* @synced: NULL: it is no call. */
static void add_to_all(struct tw_attach_tally *tally, const struct tw_attach_io *io,
		       const struct tw_sync *synced, const struct tw_counts *counts,
		       const struct tw_io_times *times, uint64_t weight)
{
	const unsigned direction = tw_attach_direction(io->opcode);
	const uint64_t at_ns = tally->start_realtime_ns + (io->posted_ns - tally->start_ns);
	struct tw_tally *all = &tally->all;

	if (direction >= TW_DIRECTIONS)
		return;
	tw_counts_add(&all->counts[direction], counts);
	if (counts->errors)
		tw_windows_add_errors(&all->over_time, at_ns, direction, 1);
	if (!weight)
		return;
	if (all->scalars.every < weight)
		all->scalars.every = weight;
	for (uint64_t left = times->has; left;) {
		const unsigned time = tw_take_time(&left);

		tw__histogram_add_times(&all->times[time][direction], times->ns[time], weight);
	}
	if (counts->split) {
		all->scalars.requests += io->requests;
		all->scalars.retries += io->retries;
	}
	all->scalars.negative_beyond += counts->missing_stamp && !is_ordered(io);
	if (tw_io_has(times, TW_SYNC_JOURNAL))
		tw_others_sum_add_who(&tally->commits, TW_SYNC, TW_OTHERS_NONE, &synced->who,
				      times->ns[TW_SYNC_JOURNAL], 1);
	add_slow(tally, io, synced, times);
	tw_windows_add_times(&all->over_time, at_ns, direction, times->ns[TW_LAT], weight);
}

static int add(struct tw_attach_tally *tally, const struct tw_attach_io *io,
	       const struct tw_sync *synced)
{
	struct tw_attach_row *row = row_of(tally, &(struct tw_attach_key) {
		.inode = io->inode, .ring = io->ring, .opcode = io->opcode,
	});
	struct tw_io_times times;
	struct tw_counts counts;
	uint64_t weight;

	if (!row)
		return -ENOMEM;
	tw_attach_split(io, &times);
	counts = counts_of(io, &times);
	weight = (counts.ios - counts.not_chosen) << io->shift % 64;
	if (synced) {
		const struct tw_clock_map map = clock_map_from(io->accepted_ns);
		const struct tw_sync_parts parts = tw_sync_parts(&map, synced, 0, lat_of(io));

		tw_put_sync_parts(&times, TW_SYNC_WORKER, &parts);
		times.has &= ~TW_TIME_BIT(TW_SYNC_WORKER);	/* a call has none */
		counts.sync_bytes = counts.ios ? parts.written_bytes : 0;
	}
	if (tw_attach_direction(io->opcode) == TW_SYNC)
		counts.unsplit_syncs = counts.ios && !tw_io_has(&times, TW_SYNC_WAKE);
	tally->about_ios += weight;
	add_to_row(row, &counts, &times, weight);
	add_to_all(tally, io, synced, &counts, &times, weight);
	return 0;
}

int tw_attach_add_io(struct tw_attach_tally *tally, const struct tw_attach_io *io)
{
	if (tally->end_ns && io->posted_ns > tally->end_ns) {
		tally->all.scalars.in_flight += io->accepted_ns &&
						io->accepted_ns <= tally->end_ns;
		return 0;
	}
	return add(tally, io, NULL);
}

int tw_attach_add_call(struct tw_attach_tally *tally, const struct tw_attach_call *call)
{
	if (tally->end_ns && call->ran_ns > tally->end_ns)
		return 0;
	return add(tally, &(struct tw_attach_io) {
		.kind = TW_ATTACH_CALL, .opcode = (uint8_t)call->opcode, .inode = call->inode,
		.accepted_ns = call->stamps.begun_ns, .posted_ns = call->ran_ns,
	}, &call->stamps);
}

/* ---- waits ------------------------------------------------------------------------ */

int tw_attach_add_wait(struct tw_attach_tally *tally, const struct tw_attach_wait *record,
		       size_t size)
{
	const struct path *const *at = tfind(&record->inode, &tally->files, by_inode);
	struct tw_attach_wait wait = { .kind = 0 };
	const uint64_t before = tally->waits.waits;
	bool is_over = true;
	int error;

	memcpy(&wait, record, size < sizeof(wait) ? size : sizeof(wait));
	wait.path[sizeof(wait.path) - 1] = '\0';
	if (tally->end_ns && wait.slept_ns > tally->end_ns)
		return 0;
	if (tally->end_ns && wait.on_ns > tally->end_ns) {
		is_over = false;
		wait.on_ns = tally->end_ns;
		/* The kernel does not count a call that has not ended. */
		wait.flags &= (__u16)~TW_ATTACH_FIRST;
	}
	error = tw_attach_waits_add(&tally->waits, &wait, at ? (*at)->text : "-",
				    at ? (*at)->no_device : "");
	if (!is_over)
		tally->all.scalars.not_over += tally->waits.waits - before;
	return error;
}

/* ---- I/Os without a record ----------------------------------------------------- */

void tw_attach_forget_counted(struct tw_attach_tally *tally)
{
	memset(tally->only_counted, 0, sizeof(tally->only_counted));
	for (uint32_t i = 0; i < tally->row_count; i++)
		tally->rows[i].only_counted = (struct tw_attach_counted) { .ios = 0 };
}

static void add_counted(struct tw_attach_counted *into, const struct tw_attach_counted *from,
			bool moves)
{
	into->ios += from->ios;
	into->bytes += moves ? from->bytes : 0;
	into->zero_byte += moves ? from->zero_byte : 0;
}

int tw_attach_add_counted(struct tw_attach_tally *tally, const struct tw_attach_key *key,
			  const struct tw_attach_counted *counted)
{
	const unsigned direction = tw_attach_direction((uint8_t)key->opcode);
	struct tw_attach_row *row = row_of(tally, key);

	if (!row)
		return -ENOMEM;
	add_counted(&row->only_counted, counted, direction < TW_SYNC);
	if (direction < TW_DIRECTIONS)
		add_counted(&tally->only_counted[direction], counted, direction < TW_SYNC);
	return 0;
}

static void put_counted(struct tw_counts *into, const struct tw_attach_counted *from)
{
	into->ios += from->ios;
	into->not_chosen += from->ios;
	into->bytes += from->bytes;
	into->zero_byte += from->zero_byte;
}

void tw_attach_put_counted(struct tw_attach_tally *tally)
{
	for (unsigned i = 0; i < TW_DIRECTIONS; i++)
		put_counted(&tally->all.counts[i], &tally->only_counted[i]);
	for (uint32_t i = 0; i < tally->row_count; i++)
		put_counted(&tally->rows[i].counts, &tally->rows[i].only_counted);
	tw_attach_forget_counted(tally);
}
