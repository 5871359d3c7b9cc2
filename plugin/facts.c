/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A job's surroundings: see facts.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "block_device.h"
#include "collect/machine_json.h"
#include "report/json_text.h"
#include "base/plain_text.h"
#include "facts.h"
#include "files.h"
#include "fio.h"
#include "latency/histogram_json.h"
#include "parse.h"
#include "report/json_memory.h"
#include "report/report.h"
#include "report_file.h"
#include "text_file.h"

struct tw_facts {
	json_t *options, *machine, *files;
	uint64_t options_left_out, files_left_out;
	const struct tw_files *where;
};

/* ---- options ------------------------------------------------------------ */

/* Return @value without control characters. A value that is cut off ends in "...". */
static json_t *option_text(const char *value)
{
	char text[TW_FACTS_OPTION_BYTES + 1];

	if (!value)
		value = "";
	if (snprintf(text, sizeof(text), "%s", value) > TW_FACTS_OPTION_BYTES)
		memcpy(&text[TW_FACTS_OPTION_BYTES - 3], "...", 3);
	return tw_json_text(tw_plain_text(text));
}

static void set_option(struct tw_facts *facts, const char *name,
		       const char *value)
{
	if (json_object_size(facts->options) < TW_FACTS_OPTIONS ||
	    json_object_get(facts->options, name))
		json_object_set_new(facts->options, name, option_text(value));
	else
		facts->options_left_out++;
}

static const struct print_option *option_at(struct flist_head *entry)
{
	return flist_entry(entry, struct print_option, list);
}

static bool same_value(const struct print_option *one,
		       const struct print_option *other)
{
	return !strcmp(one->value ? one->value : "",
		       other->value ? other->value : "");
}

/* True if @option has the same value wherever @list contains it. */
static bool is_clear(struct flist_head *list, const struct print_option *option)
{
	struct flist_head *entry;

	flist_for_each(entry, list)
		if (!strcmp(option_at(entry)->name, option->name) &&
		    !same_value(option_at(entry), option))
			return false;
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

static bool has_split(const struct thread_options *o)
{
	return o->bssplit_nr[DDIR_READ] || o->bssplit_nr[DDIR_WRITE] ||
	       o->bssplit_nr[DDIR_TRIM];
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
	if (!strcmp(name, "bsrange"))
		return has_range(o) && is_clear(globals, option);
	if (!strcmp(name, "bssplit"))
		return has_split(o) && is_clear(globals, option);
	if (!strcmp(name, "bs") || !strcmp(name, "iodepth") ||
	    !strcmp(name, "direct"))
		return false;
	return is_clear(globals, option);
}

static void set_global_options(struct tw_facts *facts, struct thread_data *td)
{
	struct flist_head *globals = &get_global_options()->opt_list, *entry;

	flist_for_each(entry, globals)
		if (is_of_job(&td->o, globals, option_at(entry)))
			set_option(facts, option_at(entry)->name,
				   option_at(entry)->value);
}

/* Set the options of the job's own section. They override those of [global]. */
static void set_own_options(struct tw_facts *facts, struct thread_data *td)
{
	struct flist_head *entry;

	flist_for_each(entry, &td->opt_list)
		set_option(facts, option_at(entry)->name,
			   option_at(entry)->value);
}

static void set_if_missing(struct tw_facts *facts, const char *name,
			   const char *value)
{
	if (value && !json_object_get(facts->options, name))
		json_object_set_new(facts->options, name, option_text(value));
}

static void set_number_if_missing(struct tw_facts *facts, const char *name,
				  uint64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long) number);
	set_if_missing(facts, name, text);
}

static const char *size_text(uint64_t bytes, char text[24])
{
	const unsigned kib = 1U << 10, mib = 1U << 20;
	const char *unit = "";

	if (bytes && !(bytes % mib)) {
		bytes /= mib;
		unit = "m";
	} else if (bytes && !(bytes % kib)) {
		bytes /= kib;
		unit = "k";
	}
	snprintf(text, 24, "%llu%s", (unsigned long long) bytes, unit);
	return text;
}

static void set_block_size(struct tw_facts *facts,
			   const struct thread_options *o)
{
	char read[24], write[24], trim[24], text[80];

	if (json_object_get(facts->options, "bsrange") ||
	    json_object_get(facts->options, "bssplit"))
		return;
	size_text(o->bs[DDIR_READ], read);
	size_text(o->bs[DDIR_WRITE], write);
	size_text(o->bs[DDIR_TRIM], trim);
	if (!strcmp(read, write) && !strcmp(read, trim))
		snprintf(text, sizeof(text), "%s", read);
	else
		snprintf(text, sizeof(text), "%s,%s,%s", read, write, trim);
	set_if_missing(facts, "bs", text);
}

/* Collect the options. Those that every reader needs (rw, bs, iodepth, direct) are
 * there even if the job does not give them. */
static void take_options(struct tw_facts *facts, struct thread_data *td)
{
	set_global_options(facts, td);
	set_own_options(facts, td);
	set_if_missing(facts, "rw", ddir_str(td->o.td_ddir));
	set_block_size(facts, &td->o);
	set_number_if_missing(facts, "iodepth", td->o.iodepth);
	set_number_if_missing(facts, "direct", td->o.odirect);
}

/* ---- files -------------------------------------------------------------- */

static void take_file(struct tw_facts *facts, const struct fio_file *f, unsigned i)
{
	json_t *object = json_pack("{so, so}", "host", tw_report_host(),
				   "path", tw_json_text(f->file_name));
	const struct tw_files *files = facts->where;

	if (f->real_file_size != -1ULL)
		json_object_set_new(object, "size",
				    tw_json_of_u64(f->real_file_size));
	if (*files->filesystem[i])
		json_object_set_new(object, "filesystem",
				    tw_json_text(files->filesystem[i]));
	if (files->of_file[i] < TW_FILES_DEVICES)
		json_object_set_new(object, "device", tw_file_device_name(
			&files->devices[files->of_file[i]]));
	json_array_append_new(facts->files, object);
}

static void take_files(struct tw_facts *facts, struct thread_data *td)
{
	const unsigned named = min(facts->where->count, TW_FILES_NAMED);
	unsigned i;

	for (i = 0; i < named; i++)
		take_file(facts, td->files[i], i);
	facts->files_left_out = facts->where->count - named;
}

/* ---- together ----------------------------------------------------------- */

struct tw_facts *tw_facts_take(struct thread_data *td,
			       const struct tw_cpu_list *cpus,
			       const struct tw_files *files)
{
	struct tw_facts *facts = calloc(1, sizeof(*facts));

	if (!facts)
		return NULL;
	tw_json_forget_lack();
	facts->where = files;
	facts->options = json_object();
	facts->files = json_array();
	facts->machine = tw_machine_to_json("", cpus);
	json_object_set_new(facts->machine, "host", tw_report_host());
	take_options(facts, td);
	take_files(facts, td);
	if (!tw_json_lacked_memory())
		return facts;
	tw_facts_free(facts);
	return NULL;
}

void tw_facts_put(const struct tw_facts *facts, struct tw_report *report)
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
	tw_row_put(&report->tally.has, TW_ROW_files_left_out);
}

/* Return the facts of a device. Without /sys, which a container may hide, they are
 * only its name. */
static json_t *device_to_json(const struct tw_file_device *device)
{
	json_t *object = device->block ? tw_block_device_json(device->block) :
					 json_object();

	json_object_set_new(object, "host", tw_report_host());
	json_object_set_new(object, "device", tw_file_device_name(device));
	return object;
}

json_t *tw_facts_devices(const struct tw_facts *facts)
{
	json_t *devices = json_array();
	unsigned i;

	for (i = 0; i < facts->where->device_count; i++)
		json_array_append_new(devices,
				      device_to_json(&facts->where->devices[i]));
	if (!tw_json_lacked_memory())
		return devices;
	json_decref(devices);
	return NULL;
}

void tw_facts_free(struct tw_facts *facts)
{
	if (!facts)
		return;
	json_decref(facts->options);
	json_decref(facts->machine);
	json_decref(facts->files);
	free(facts);
}
