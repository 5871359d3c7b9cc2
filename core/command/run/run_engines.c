/* SPDX-License-Identifier: MIT */
/*
 * Finds the tickwise engines, tells which of fio's engines they replace, and which
 * options each engine has. The options differ between versions of fio, so fio is asked
 * (--enghelp, --cmdhelp). `tickwise build-engine` puts engines into a folder for each
 * version of this program and of fio, since an engine works with one of each.
 */
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/child.h"
#include "command/command.h"
#include "command/own_files.h"
#include "command/run/run_parts.h"
#include "tickwise.h"

#define ENGINE		"tickwise.so"
#define COMMAND_ENGINE	"tickwise-cmd.so"
#define MEMORY_ENGINE	"tickwise-memory.so"

/* Next to the installed engines: folders of engines for other fios. */
#define READY_FOLDER	"engines"

#define SYSTEM_FOLDER	"/var/lib/tickwise"
#define FOLDER		"%s/engines/" TW_VERSION "/%s"	/* of a version of fio */

/* For a name without a path, which the dynamic linker searches. */
#define LINK_PREFIX	"fio-"

/* An option that no other engine has. */
#define OUR_OPTION	"tw_report"

/* Engines that read or write a file or a device. Others do something different:
 * a mapping, a pipe, a network, no I/O at all. */
static const struct {
	const char *name;
	enum tw_run_kind kind;
} kinds[] = {
	{ "sync", TW_RUN_ONE_AT_A_TIME }, { "psync", TW_RUN_ONE_AT_A_TIME },
	{ "vsync", TW_RUN_ONE_AT_A_TIME }, { "pvsync", TW_RUN_ONE_AT_A_TIME },
	{ "pvsync2", TW_RUN_ONE_AT_A_TIME },
	{ "libaio", TW_RUN_QUEUED }, { "linuxaio", TW_RUN_QUEUED },
	{ "aio", TW_RUN_QUEUED }, { "posixaio", TW_RUN_QUEUED },
	{ "io_uring", TW_RUN_RING }, { "io_uring_cmd", TW_RUN_COMMAND },
	/* fio has no engine of this name. It is for job files that `tickwise
	 * run` runs. */
	{ "tickwise-memory", TW_RUN_MEMORY },
	/* ${ENG}, with no ENG in the environment. */
	{ "", TW_RUN_RING },
};

/* Return the last part of a path, if fio is to load an engine from it. */
static const char *file_of(const char *engine)
{
	const char *path = strncmp(engine, "external:", 9) == 0 ? engine + 9 :
		engine;
	const char *slash = strrchr(path, '/');

	if (strncmp(path, LINK_PREFIX, strlen(LINK_PREFIX)) == 0)
		return path + strlen(LINK_PREFIX);
	return slash ? slash + 1 : path;
}

enum tw_run_kind tw_run_kind(const char *engine)
{
	const char *file = file_of(engine);
	/* fio ends the name at the colon. */
	size_t length = strcspn(engine, ":");

	if (strcmp(file, ENGINE) == 0 || strcmp(file, COMMAND_ENGINE) == 0)
		return TW_RUN_OURS;
	if (strcmp(file, MEMORY_ENGINE) == 0)
		return TW_RUN_OUR_MEMORY;
	for (size_t i = 0; i < TW_LENGTH(kinds); i++)
		if (strlen(kinds[i].name) == length &&
		    strncmp(kinds[i].name, engine, length) == 0)
			return kinds[i].kind;
	return TW_RUN_OTHER;
}

const char *tw_run_engine_for(const struct tw_run_engines *engines,
			      enum tw_run_kind kind)
{
	return kind == TW_RUN_COMMAND ? engines->command_path :
	       kind == TW_RUN_MEMORY ? engines->memory_path : engines->path;
}

const char *tw_run_file_for(enum tw_run_kind kind)
{
	return kind == TW_RUN_COMMAND ? COMMAND_ENGINE :
	       kind == TW_RUN_MEMORY ? MEMORY_ENGINE : ENGINE;
}

/* ---- fio ---- */

/* Return a copy that lives until tw_release_texts(), and free @found; NULL with errno if it
 * is NULL. */
static char *keep(char *found)
{
	char *kept = found ? tw_format("%s", found) : NULL;

	free(found);
	return kept;
}

/* Return what fio prints; NULL with errno: it can't be run. */
static char *ask(const char *fio, char *argument)
{
	char *argv[] = { (char *)fio, argument, NULL };
	int code;

	return keep(tw_child_output(argv, &code));
}

/* Return "fio-3.33", as fio prints it, for the name of a folder; NULL: this is
 * no fio. */
static const char *version_of(const char *fio)
{
	const char *printed = ask(fio, tw_format("--version"));
	size_t length = !printed || strncmp(printed, "fio-", 4) != 0 ? 0 :
		strspn(printed, TW_RUN_PLAIN "+~-");

	return length && printed[length] == '\n' ?
		tw_format("%.*s", (int)length, printed) : NULL;
}

/* Return the user's own data folder; for root the system's. */
static char *own_folder(void)
{
	const char *data = getenv("XDG_DATA_HOME");
	const char *home = getenv("HOME");

	/* su keeps the environment of a user, who could choose what root loads. */
	if (geteuid() == 0)
		return tw_format("%s", SYSTEM_FOLDER);
	if (data && *data == '/')
		return tw_format("%s/tickwise", data);
	if (!home || *home != '/')
		return tw_format("%s", SYSTEM_FOLDER);
	return tw_format("%s/.local/share/tickwise", home);
}

char *tw_run_built_folder(const char *fio)
{
	const char *version = version_of(fio);

	return version ? tw_format(FOLDER, own_folder(), version) : NULL;
}

/* Return an engine that was built for this version of fio; NULL: none. */
static char *find_built(const char *fio)
{
	const char *const folders[] = { own_folder(), SYSTEM_FOLDER };
	const char *version = NULL;

	for (size_t i = 0; i < TW_LENGTH(folders); i++) {
		char *path;

		/* Ask fio only if something was built. */
		if (access(tw_format(FOLDER, folders[i], ""), X_OK))
			continue;
		version = version ? version : version_of(fio);
		path = version ? tw_format(FOLDER "/" ENGINE, folders[i], version) : NULL;
		if (path && access(path, R_OK) == 0)
			return path;
	}
	return NULL;
}

/* ---- where the tickwise engines are ---- */

/* Return the path of another engine in the directory of @path; NULL: it is not
 * there. */
static char *find_next_to(const char *path, const char *file)
{
	char *found = tw_format("%.*s/%s", (int)(strrchr(path, '/') - path), path, file);

	return access(found, R_OK) == 0 ? found : NULL;
}

/* Return the first of the ready-made engines that this fio loads; NULL: none. */
static char *find_ready(struct tw_run_engines *engines)
{
	const char *folder = keep(tw_own_file(READY_FOLDER, R_OK));
	char *found = NULL;
	glob_t paths;

	if (!folder || glob(tw_format("%s/*/" ENGINE, folder), 0, NULL, &paths))
		return NULL;
	for (size_t i = 0; i < paths.gl_pathc && !found; i++)
		if (tw_run_has_option(engines, paths.gl_pathv[i], OUR_OPTION))
			found = tw_format("%s", paths.gl_pathv[i]);
	globfree(&paths);
	return found;
}

char *tw_run_find_engine(struct tw_run_engines *engines)
{
	char *installed = keep(tw_own_file(ENGINE, R_OK));
	char *other;

	if (installed && tw_run_has_option(engines, installed, OUR_OPTION))
		return installed;
	other = find_ready(engines);
	other = other ? other : find_built(engines->fio);
	return other ? keep(realpath(other, NULL)) : installed;
}

int tw_run_find_engines(struct tw_run_engines *engines, const char *path)
{
	engines->path = path ? keep(realpath(path, NULL)) : tw_run_find_engine(engines);
	if (!engines->path && path)
		return tw_run_fail(TW_EXIT_NO_INPUT, "%s: %s", path, strerror(errno));
	if (!engines->path)
		return tw_own_file_missing(tw_run_name, ENGINE, "install fio-tickwise, or type: "
					   "tickwise build-engine");
	/* fio would take these characters for a comment, a variable or the end
	 * of the path. */
	if (strpbrk(engines->path, ",;#$\n"))
		return tw_run_fail(TW_EXIT_USAGE, "%s: fio can't load an engine from a path with "
				   "one of , ; # $ in it", engines->path);
	engines->command_path = find_next_to(engines->path, COMMAND_ENGINE);
	engines->memory_path = find_next_to(engines->path, MEMORY_ENGINE);
	return TW_EXIT_GOOD;
}

void tw_run_name_engines(struct tw_run_engines *engines)
{
	engines->by_name = tw_run_has_option(engines, LINK_PREFIX ENGINE, OUR_OPTION);
}

char *tw_run_named(const struct tw_run_engines *engines, const char *path)
{
	return engines->by_name ? tw_format("ioengine=" LINK_PREFIX "%s", file_of(path)) :
				  tw_format("ioengine=external:%s", path);
}

/* ---- what fio knows ---- */

/* Read the names from lines such as "NAME : what it does". An option that is of use
 * with another one only stands further right. Of a name that is cut too short, getopt
 * prints: "possibilities: '--NAME' '--OTHER'". */
static void read_names(struct tw_run_options *options, char *help)
{
	char *list = strstr(help, "possibilities:");

	for (char *name = list ? strtok(list, " '\n") : NULL; name; name = strtok(NULL, " '\n"))
		if (strncmp(name, "--", 2) == 0)
			*tw_grow_by_one(options->names, options->count) = name + 2;
	for (char *line = list ? NULL : strtok(help, "\n"); line; line = strtok(NULL, "\n")) {
		size_t length;

		line += strspn(line, " ");
		length = strcspn(line, " :");

		if (!length || line[length + strspn(line + length, " ")] != ':')
			continue;
		*tw_grow_by_one(options->names, options->count) =
			tw_format("%.*s", (int)length, line);
	}
}

const struct tw_run_options *tw_run_options_of(struct tw_run_engines *engines, char *asked)
{
	struct tw_run_options *options;
	char *help;

	for (size_t i = 0; i < engines->known_count; i++)
		if (strcmp(engines->known[i].asked, asked) == 0)
			return &engines->known[i];
	options = tw_grow_by_one(engines->known, engines->known_count);
	options->asked = asked;
	help = ask(engines->fio, asked);
	if (help)
		read_names(options, help);
	return options;
}

int tw_run_has_option(struct tw_run_engines *engines, const char *engine,
		      const char *option)
{
	/* fio ends a name, but not a path, at the colon. */
	size_t length = strcspn(engine, strchr(engine, '/') ? "" : ":");
	const struct tw_run_options *options;

	if (!length)
		return 0;
	options = tw_run_options_of(engines, tw_format("--enghelp=%.*s", (int)length, engine));
	for (size_t i = 0; i < options->count; i++)
		if (strcmp(options->names[i], option) == 0)
			return 1;
	return 0;
}

const char *tw_run_try_quietly(struct tw_run_engines *engines, const char *path)
{
	const char *printed, *reason, *refused;

	if (tw_run_has_option(engines, path, OUR_OPTION))
		return NULL;
	printed = ask(engines->fio, tw_format("--enghelp=%s", path));
	/* Use the engine's own message if it was loaded so far; fio's is short. */
	reason = printed ? strstr(printed, "tickwise: ") : NULL;
	if (!reason)
		return "";
	reason += strlen("tickwise: ");
	/* The engine prints what to do on a line of its own. */
	refused = strstr(reason, ": refused");
	return tw_format("%.*s", refused ? (int)(refused - reason) : (int)strcspn(reason, "\n"),
			 reason);
}

int tw_run_try_engine(struct tw_run_engines *engines, const char *path)
{
	const char *reason = tw_run_try_quietly(engines, path), *printed;
	int is_usual = strcmp(engines->fio, "fio") == 0;

	if (!reason)
		return TW_EXIT_GOOD;
	printed = *reason ? "" : ask(engines->fio, tw_format("--enghelp=%s", path));
	if (!printed)
		return tw_run_fail(TW_EXIT_SOFTWARE, "can't run %s: %s", engines->fio,
				   strerror(errno));
	/* fio may not get so far, as of a limit of memory. */
	if (!*reason && !version_of(engines->fio))
		return tw_run_fail(TW_EXIT_SOFTWARE, "%s %s%.*s", engines->fio,
				   *printed ? "does not run: " : "is no fio: it prints nothing",
				   (int)strcspn(printed, "\n"), printed);
	return tw_run_fail(TW_EXIT_SOFTWARE, "%s can't load %s: %s Type: tickwise build-engine%s%s",
			   engines->fio, path, *reason ? tw_format("%s.", reason) :
			   "is it built for this fio?", is_usual ? "" : " --fio=",
			   is_usual ? "" : engines->fio);
}

int tw_run_takes_next(struct tw_run_engines *engines, const char *option)
{
	char *arguments[] = {
		tw_format("--cmdhelp=%s", option),
		tw_format("--enghelp=%s,%s", engines->path, option),
	};

	for (size_t i = 0; i < 2; i++) {
		char *help = ask(engines->fio, arguments[i]);

		/* For a name that is not known, fio may show another one. */
		if (help && strstr(help, "type:") && !strstr(help, "No such command"))
			return !strstr(help, "empty or boolean");
	}
	return 0;
}
