/* SPDX-License-Identifier: GPL-2.0 */
/* A job's surroundings. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/plain_text.h"
#include "collect/sys_facts.h"
#include "job_report.h"
#include "latency/histogram_json.h"
#include "parse.h"
#include "report/facts.h"
#include "report/report.h"
#include "report/report_json.h"
#include "text_file.h"

/* Options beyond this number are only counted. */
#define OPTIONS		128
#define OPTION_BYTES	256

/* ---- where files are ---------------------------------------------------- */

/* Where a file is, or will be. */
struct place {
	struct statx status;
	bool exists;
	char filesystem[32];
	char source[256];	/* what is mounted, maybe the path of a device */
};

/* Find the file system of @place in @mounts, the text of /proc/self/mountinfo. A line is
 * "ID ... - TYPE SOURCE OPTIONS". */
static void find_mount(const char *mounts, struct place *place)
{
	const char *line, *separator;

	if (!mounts || !(place->status.stx_mask & STATX_MNT_ID))
		return;
	for (line = mounts; *line; line += strcspn(line, "\n"),
				   line += *line == '\n') {
		if (strtoull(line, NULL, 10) != place->status.stx_mnt_id)
			continue;
		separator = strstr(line, " - ");
		if (separator)
			sscanf(separator, " - %31s %255s", place->filesystem,
			       place->source);
		return;
	}
}

static int look(const char *path, struct statx *status)
{
	return statx(AT_FDCWD, path, AT_STATX_DONT_SYNC,
		     STATX_BASIC_STATS | STATX_MNT_ID, status);
}

/* Find where the file @path is. If fio has not made the file yet, its folder tells the
 * same. False: unknown. @place: zeroed. */
static bool find_place(const char *path, const char *mounts, struct place *place)
{
	bool is_found;
	char *copy;

	place->exists = is_found = !look(path, &place->status);
	if (!is_found) {
		copy = strdup(path);
		is_found = copy && !look(dirname(copy), &place->status);
		free(copy);
	}
	if (is_found && (!place->exists || S_ISREG(place->status.stx_mode) ||
			 S_ISDIR(place->status.stx_mode)))
		find_mount(mounts, place);
	return is_found;
}

static struct tw_file_device device_at(const struct place *place)
{
	const struct statx *status = &place->status;
	const dev_t own = makedev(status->stx_rdev_major, status->stx_rdev_minor);
	const dev_t below = makedev(status->stx_dev_major, status->stx_dev_minor);
	struct tw_file_device device = { .number = own, .block = own };
	struct stat source;

	if (place->exists && S_ISBLK(status->stx_mode))
		return device;
	if (place->exists && S_ISCHR(status->stx_mode)) {
		device.is_character = true;
		device.block = tw_block_device_of_char_in("", own);
		return device;
	}
	device.number = device.block = below;
	if (major(below))
		return device;
	/* The device number of a file of btrfs and others belongs to no device. What is
	 * mounted may be one. */
	device.block = *place->source == '/' && !stat(place->source, &source) &&
		       S_ISBLK(source.st_mode) ? source.st_rdev : 0;
	return device;
}

/* Return the index of @device in the list. A new device is added to the list. */
static unsigned add_device(struct tw_files *files, struct tw_file_device device)
{
	unsigned i;

	for (i = 0; i < files->device_count; i++)
		if (files->devices[i].number == device.number &&
		    files->devices[i].is_character == device.is_character)
			return i;
	if (i < TW_FILES_DEVICES)
		files->devices[files->device_count++] = device;
	return i;
}

/* Return how many bytes of a file have no blocks: a read of them never reaches the device. Other
 * file systems may compress. */
static uint64_t holes_of(const struct place *place)
{
	const uint64_t size = place->status.stx_size;
	const uint64_t has = place->status.stx_blocks * 512;

	return place->exists && S_ISREG(place->status.stx_mode) && has < size &&
	       (!strncmp(place->filesystem, "ext", 3) || !strcmp(place->filesystem, "xfs")) ?
	       size - has : 0;
}

/* Return "MAJOR:MINOR", or "char MAJOR:MINOR", since a character device may have the
 * number of a block device. */
static json_t *device_name(const struct tw_file_device *device)
{
	return json_sprintf("%s%u:%u", device->is_character ? "char " : "",
			    major(device->number), minor(device->number));
}

/* @device: NULL: it is not known, or not kept. */
static json_t *file_to_json(const struct thread_data *td, const struct fio_file *f,
			    const struct place *place, const struct tw_file_device *device)
{
	const uint64_t holes = td_read(td) ? holes_of(place) : 0;

	return json_pack("{so, so, so*, so*, so*, so*}",
		"host", tw_host_to_json(),
		"path", tw_json_text(f->file_name),
		"size", f->real_file_size != -1ULL ? tw_json_of_u64(f->real_file_size) : NULL,
		"holes", holes ? tw_json_of_u64(holes) : NULL,
		"filesystem", *place->filesystem ? tw_json_text(place->filesystem) : NULL,
		"device", device ? device_name(device) : NULL);
}

static void take_file(struct tw_facts *facts, const struct thread_data *td,
		      const struct fio_file *f, const char *mounts)
{
	struct tw_files *files = facts->where;
	struct place place = { .exists = false };
	unsigned at = TW_FILES_DEVICES;

	if (f->file_name && find_place(f->file_name, mounts, &place))
		at = add_device(files, device_at(&place));
	if (place.exists && files->count < TW_FILES_LISTED)
		files->at[files->count] = (struct tw_file_at) {
			.inode = place.status.stx_ino,
			.device = makedev(place.status.stx_dev_major, place.status.stx_dev_minor),
		};
	files->of_file[files->count++] = (uint8_t) at;
	files->other_files += at == TW_FILES_DEVICES;
	if (files->count > TW_FILES_LISTED)
		facts->files_left_out++;
	else
		json_array_append_new(facts->files, file_to_json(td, f, &place,
			at < TW_FILES_DEVICES ? &files->devices[at] : NULL));
}

/* Find the job's files and their devices. Return false without memory. */
static bool take_files(struct tw_facts *facts, const struct thread_data *td)
{
	char *mounts = tw_text_file("/proc/self/mountinfo");
	const bool has_memory = mounts || errno != ENOMEM;
	unsigned i;

	facts->where = calloc(1, sizeof(*facts->where) + td->files_index);
	for (i = 0; facts->where && has_memory && i < td->files_index; i++)
		take_file(facts, td, td->files[i], mounts);
	free(mounts);
	return facts->where && has_memory;
}

/* ---- options ------------------------------------------------------------ */

/* Set an option without control characters. A value that is cut off ends in "...". */
static void set_option(struct tw_facts *facts, const char *name, const char *value)
{
	char text[OPTION_BYTES + 1];

	/* A token is another one on each host. */
	if (!strcmp(name, "tw_send"))
		return;
	if (json_object_size(facts->options) >= OPTIONS &&
	    !json_object_get(facts->options, name)) {
		facts->options_left_out++;
		return;
	}
	if (snprintf(text, sizeof(text), "%s", value ? value : "") > OPTION_BYTES)
		memcpy(&text[OPTION_BYTES - 3], "...", 3);
	json_object_set_new(facts->options, name, tw_json_text(tw_plain_text(text)));
}

/* Set what every reader needs, unless the job gives it. */
static void set_if_missing(struct tw_facts *facts, const char *name, const char *value)
{
	if (value && !json_object_get(facts->options, name))
		json_object_set_new(facts->options, name, json_string(value));
}

static const struct print_option *option_at(struct flist_head *entry)
{
	return flist_entry(entry, struct print_option, list);
}

/* True if @option has the same value wherever @list contains it. */
static bool is_clear(struct flist_head *list, const struct print_option *option)
{
	const char *value = option->value ? option->value : "";
	struct flist_head *entry;

	flist_for_each(entry, list) {
		const struct print_option *other = option_at(entry);

		if (!strcmp(other->name, option->name) &&
		    strcmp(other->value ? other->value : "", value) != 0)
			return false;
	}
	return true;
}

static bool has_range(const struct thread_options *o)
{
	enum fio_ddir ddir;

	for (ddir = DDIR_READ; ddir <= DDIR_TRIM; ddir++)
		if (o->min_bs[ddir] != o->max_bs[ddir])
			return true;
	return false;
}

/* True if @value names @direction. "randread:8" names "randread", and "readwrite" is
 * "rw". */
static bool is_direction(const char *value, enum td_ddir direction)
{
	const char *name = ddir_str(direction);
	const size_t length = strcspn(value, ":");

	if (direction == TD_DDIR_RW && length == strlen("readwrite"))
		name = "readwrite";
	return name && length == strlen(name) && !strncmp(value, name, length);
}

/*
 * True if the value of @option in [global] is the job's. fio keeps one list of the
 * options of all [global] sections, even of sections after the job, which don't apply
 * to it. For some options the job itself tells the value; take_options() reads them.
 * If another option has several values in the list, the job's value is unknown.
 */
static bool is_of_job(const struct thread_options *o, struct flist_head *globals,
		      const struct print_option *option)
{
	const char *name = option->name;

	if (!strcmp(name, "rw"))
		return option->value && is_direction(option->value, o->td_ddir);
	if (!strcmp(name, "bs") || !strcmp(name, "iodepth") || !strcmp(name, "direct"))
		return false;
	if (!strcmp(name, "bsrange") && !has_range(o))
		return false;
	if (!strcmp(name, "bssplit") && !o->bssplit_nr[DDIR_READ] &&
	    !o->bssplit_nr[DDIR_WRITE] && !o->bssplit_nr[DDIR_TRIM])
		return false;
	return is_clear(globals, option);
}

static void size_text(uint64_t bytes, char text[24])
{
	const unsigned shift = bytes && !(bytes % (1U << 20)) ? 20 :
			       bytes && !(bytes % (1U << 10)) ? 10 : 0;

	snprintf(text, 24, "%llu%s", (unsigned long long) bytes >> shift,
		 shift == 20 ? "m" : shift ? "k" : "");
}

static void set_block_size(struct tw_facts *facts, const struct thread_options *o)
{
	char read[24], write[24], trim[24], text[80];

	if (json_object_get(facts->options, "bsrange") ||
	    json_object_get(facts->options, "bssplit"))
		return;
	size_text(o->bs[DDIR_READ], read);
	size_text(o->bs[DDIR_WRITE], write);
	size_text(o->bs[DDIR_TRIM], trim);
	snprintf(text, sizeof(text), "%s,%s,%s", read, write, trim);
	set_if_missing(facts, "bs", strcmp(read, write) || strcmp(read, trim) ? text : read);
}

/* Collect the options. Those of the job's own section override those of [global]. rw, bs,
 * iodepth and direct are there even if the job does not give them. */
static void take_options(struct tw_facts *facts, struct thread_data *td)
{
	struct flist_head *globals = &get_global_options()->opt_list, *entry;
	char depth[24];

	flist_for_each(entry, globals)
		if (is_of_job(&td->o, globals, option_at(entry)))
			set_option(facts, option_at(entry)->name, option_at(entry)->value);
	flist_for_each(entry, &td->opt_list)
		set_option(facts, option_at(entry)->name, option_at(entry)->value);
	set_if_missing(facts, "rw", ddir_str(td->o.td_ddir));
	set_block_size(facts, &td->o);
	snprintf(depth, sizeof(depth), "%u", td->o.iodepth);
	set_if_missing(facts, "iodepth", depth);
	set_if_missing(facts, "direct", td->o.odirect ? "1" : "0");
}

/* ---- together ----------------------------------------------------------- */

struct tw_facts *tw_facts_take(struct thread_data *td, const struct tw_cpu_list *cpus)
{
	struct tw_facts *facts = calloc(1, sizeof(*facts));

	if (!facts)
		return NULL;
	tw_json_forget_lack();
	facts->options = json_object();
	facts->files = json_array();
	facts->machine = tw_machine_to_json("", cpus);
	take_options(facts, td);
	if (take_files(facts, td) && !tw_json_lacked_memory())
		return facts;
	tw_facts_free(facts);
	return NULL;
}

/* Without /sys, which a container may hide, the facts of a device are only its name. */
static json_t *device_facts(const struct tw_facts *facts, unsigned i)
{
	const struct tw_file_device *device = &facts->where->devices[i];
	json_t *object = device->block ? tw_block_device_json_in("", device->block) :
					 json_object();

	json_object_set_new(object, "host", tw_host_to_json());
	json_object_set_new(object, "device", device_name(device));
	return object;
}

static int put_devices(const struct tw_facts *facts, struct tw_devices *devices,
		       struct tw_report *report)
{
	const struct tw_files *files = facts->where;
	unsigned i;

	tw_metric_put(&report->tally.has, TW_METRIC_other_files);
	tw_metric_put(&report->tally.has, TW_METRIC_other_ios);
	report->tally.scalars.other_files = files->other_files;
	report->tally.scalars.other_ios = devices ? devices->other_ios : 0;
	report->devices = calloc(files->device_count + 1, sizeof(*report->devices));
	if (!report->devices)
		return -ENOMEM;
	report->device_count = files->device_count;
	for (i = 0; i < files->device_count; i++) {
		struct tw_report_device *device = &report->devices[i];

		if (devices) {
			*device = devices->list[i];
			device->has_ios = 1;
			tw_windows_close(&device->over_time);
		}
		tw_report_take_facts(device, device_facts(facts, i));
		device->has_all = !devices && files->device_count == 1 &&
				  !files->other_files;
		device->jobs = device->has_ios || device->has_all;
	}
	if (devices)
		devices->count = 0;
	tw_report_sort_devices(report);
	return 0;
}

int tw_facts_put(const struct tw_facts *facts, struct tw_devices *devices,
		 struct tw_report *report)
{
	struct tw_report_job *job = report->jobs;

	json_object_set(job->json, "options", facts->options);
	job->options = facts->options;
	if (facts->options_left_out)
		json_object_set_new(job->json, "options_left_out",
				    tw_json_of_u64(facts->options_left_out));
	report->machines = json_pack("[O]", facts->machine);
	report->files = json_incref(facts->files);
	report->tally.scalars.files_left_out = facts->files_left_out;
	tw_metric_put(&report->tally.has, TW_METRIC_files_left_out);
	return put_devices(facts, devices, report);
}

void tw_facts_free(struct tw_facts *facts)
{
	if (!facts)
		return;
	json_decref(facts->options);
	json_decref(facts->machine);
	json_decref(facts->files);
	free(facts->where);
	free(facts);
}
