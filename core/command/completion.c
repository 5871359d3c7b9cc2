/* SPDX-License-Identifier: MIT */
/*
 * Prints completion scripts from the tables of options. The scripts do not run
 * the program: all that can be completed is in the script.
 */
#include <string.h>

#include "command/command.h"
#include "command/options.h"

/* How a value is completed: in the script for bash, and by zsh; NULL: not at all. */
static const struct {
	const char *bash, *zsh;
} kinds[] = {
	[TW_OPTION_FILE] = { "file", "_files" },
	[TW_OPTION_PROGRAM] = { "program", "_command_names -e" },
	[TW_OPTION_WORD] = { "words", NULL }, [TW_OPTION_WORDS] = { "words", NULL },
	[TW_OPTION_TEXTS] = { NULL, NULL },
};

static void print_names(const struct tw_command *commands, FILE *out)
{
	for (; commands->name; commands++)
		fprintf(out, "%s ", commands->name);
	fputs("help", out);
}

/* ---- bash ---- */

static const char bash_begin[] =
"# Completion of tickwise for bash, made from the program's own options.\n"
"_tickwise()\n"
"{\n"
"	local word=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]}\n"
"	local all= words= kind=none after_equals= command=${COMP_WORDS[1]}\n"
"\n"
"	# bash takes --name=value for three words.\n"
"	if [ \"$word\" = = ]; then\n"
"		word= after_equals=1\n"
"	elif [ \"$option\" = = ]; then\n"
"		option=${COMP_WORDS[COMP_CWORD - 2]} after_equals=1\n"
"	fi\n"
"	[ \"$COMP_CWORD\" -gt 1 ] || command=help all='-h --help -V --version'\n"
"	case $command in\n";

static const char bash_end[] =
"	esac\n"
"	COMPREPLY=()\n"
"	if [ -z \"$after_equals\" ] && [ \"${word:0:1}\" = - ]; then\n"
"		kind=words words=$all\n"
"	fi\n"
"	if [ $kind = words ]; then\n"
"		local last=${word##*,}	# of a list\n"
"		COMPREPLY=($(compgen -P \"${word%\"$last\"}\" -W \"$words\" -- \"$last\"))\n"
"		[[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2>/dev/null\n"
"		return\n"
"	fi\n"
"	[ $kind != none ] || return 0\n"
"	compopt -o filenames 2>/dev/null\n"
"	local IFS=$'\\n'\n"
"	case $kind in\n"
"	file) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
"	program) COMPREPLY=($(compgen -c -- \"$word\"; compgen -f -- \"$word\")) ;;\n"
"	esac\n"
"} && complete -F _tickwise tickwise\n";

/* Print what a value can be. One that may be left out is no word of its own. */
static void print_bash_values(const struct tw_options *options, FILE *out)
{
	const struct tw_option *option;

	for (unsigned i = 0; (option = tw_options_number(options, i)); i++) {
		const char *kind = kinds[option->kind].bash;

		if (!kind)
			continue;
		fputs("		", out);
		if (option->letter)
			fprintf(out, "-%c|", option->letter);
		fprintf(out, "--%s) %skind=%s", option->name, !option->bare ? "" :
			"[ -z \"$after_equals\" ] || ", kind);
		if (option->words)
			fprintf(out, " words='%s'", tw_option_words(option, " ", " "));
		fputs(" ;;\n", out);
	}
}

static void print_bash_command(const struct tw_command *command, FILE *out)
{
	const struct tw_options *options = command->options;
	const char *kind = kinds[options->arguments_kind].bash;
	const struct tw_option *option;

	fprintf(out, "	%s)\n\t\tkind=%s all='", command->name,
		options->arguments && kind ? kind : "none");
	for (unsigned i = 0; (option = tw_options_number(options, i)); i++) {
		if (option->letter)
			fprintf(out, "-%c ", option->letter);
		fprintf(out, "--%s%s ", option->name,
			option->kind == TW_OPTION_SWITCH ? "" : "=");
	}
	fputs("'\n\t\tcase $option in\n", out);
	print_bash_values(options, out);
	fputs("		*) [ -z \"$after_equals\" ] || kind=none ;;\n"
	      "		esac ;;\n", out);
}

void tw_completion_print_bash(const struct tw_command *commands, FILE *out)
{
	fputs(bash_begin, out);
	fputs("	help) kind=words words='", out);
	print_names(commands, out);
	fputs("' ;;\n", out);
	for (const struct tw_command *command = commands; command->name; command++)
		print_bash_command(command, out);
	fputs(bash_end, out);
}

/* ---- zsh ---- */

/* Print '--name=[...', or '(-n --name)'{-n+,--name=}'[...': one of the two. A value
 * that may be left out is in the same word: '--name=-[...'. */
static void print_zsh_option(const struct tw_option *option, FILE *out)
{
	const char *value = option->bare ? "=-" :
			    option->kind == TW_OPTION_SWITCH ? "" : "=";

	fputs(" \\\n\t\t'", out);
	if (option->letter)
		fprintf(out, "(-%c --%s)'{-%c%s,--%s%s}'[", option->letter,
			option->name, option->letter, *value ? "+" : "",
			option->name, value);
	else
		fprintf(out, "--%s%s[", option->name, value);
	/* Without characters that would end the text. */
	for (const char *text = option->help; *text; text++)
		if (!strchr("'[]:`\\", *text))
			fputc(*text, out);
	fputc(']', out);
	if (option->kind != TW_OPTION_SWITCH)
		fputs(option->bare ? "::value:" : ":value:", out);
	if (option->words)
		fprintf(out, "(%s)", tw_option_words(option, " ", " "));
	fprintf(out, "%s'", kinds[option->kind].zsh ? kinds[option->kind].zsh : "");
}

static void print_zsh_command(const struct tw_command *command, FILE *out)
{
	const struct tw_options *options = command->options;
	const struct tw_option *option;

	fprintf(out, "	%s)\n\t\t_arguments -S", command->name);
	for (unsigned i = 0; (option = tw_options_number(options, i)); i++)
		print_zsh_option(option, out);
	if (options->arguments && kinds[options->arguments_kind].zsh)
		fprintf(out, " \\\n\t\t'*:argument:%s'", kinds[options->arguments_kind].zsh);
	fputs(" ;;\n", out);
}

void tw_completion_print_zsh(const struct tw_command *commands, FILE *out)
{
	fputs("#compdef tickwise\n"
	      "# Completion of tickwise for zsh, made from the program's own options.\n"
	      "local curcontext=$curcontext state line\n"
	      "_arguments -C '1:command:(", out);
	print_names(commands, out);
	fputs(")' '*::argument:->rest'\n"
	      "[[ $state = rest ]] || return\n"
	      "case $words[1] in\n", out);
	for (const struct tw_command *command = commands; command->name; command++)
		print_zsh_command(command, out);
	fputs("	help) _arguments '1:command:(", out);
	print_names(commands, out);
	fputs(")' ;;\nesac\n", out);
}
