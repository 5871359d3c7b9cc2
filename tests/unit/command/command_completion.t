#!/bin/sh
# SPDX-License-Identifier: MIT
#
# bash completes after tickwise: commands, each command's options with their
# letters, and the values of an option by their kind. zsh's script offers the same.
# Fails if an option of --help is not completed, if an option is completed that does
# not exist, or if a name with a blank becomes two.

. "$(dirname "$0")/../../tap.sh"

script=${TW_BUILD:-$root/build}/completion/bash-completion/completions/tickwise
cd "$scratch" || exit 1
mkdir files 'files/a folder'
: >'files/a file.json'
: >files/b.json

# completes WORD...: prints completions of the last of the words of a line that
# begins with tickwise. bash takes an = for a word of its own.
completes()
{
	bash --norc -uc '. "$1" && shift || exit 1
		COMP_WORDS=(tickwise "$@") COMP_CWORD=$#
		_tickwise tickwise "${COMP_WORDS[COMP_CWORD]}"
		for word in "${COMPREPLY[@]}"; do echo "$word"; done' \
		bash "$script" "$@" 2>&1 | tr -d = | sort | tr '\n' ';'
}

is "$(bash --norc -c '. "$1" && complete -p tickwise' bash "$script")" \
	'complete -F _tickwise tickwise' 'complete -p'

# options_of FILE: prints the names and letters in a page of --help
options_of()
{
	sed -n 's/^  \(-.\), --\([a-z-]*\).*/\1\n--\2/p
		s/^      --\([a-z-]*\).*/--\1/p' "$1"
}

"$tickwise" --help | sed -n 's/^  \([a-z][a-z-]*\)  *.*/\1/p' >commands
while read -r command; do
	"$tickwise" "$command" --help >help
	is "$(completes "$command" -)" \
		"$(options_of help | sort | tr '\n' ';')" \
		"all options of $command"
done <commands

# values_of VALUE: what is completed of it, by its form in --help
values_of()
{
	case $1 in
	=FILE | =FOLDER | =PERF | =PREFIX | =TRACE | =PATH)
		echo 'files/a file.json;files/a folder;files/b.json;' ;;
	*'|'*)
		echo "${1#=}" | tr '|' '\n' | sort | tr '\n' ';' ;;
	esac
}
while read -r command; do
	"$tickwise" "$command" --help >help
	sed -n 's/^  \(-., \|    \)\(--[a-z-]*\)\[*=\([^] ]*\).*/\2 =\3/p' help >options
	while read -r option value; do
		case $value in =PROGRAM | =LIST) continue ;; esac
		wanted=$(values_of "$value")
		word=
		case $wanted in files/*) word=files/ ;; esac
		is="$(completes "$command" "$option" = "$word")"
		[ "$is" = "$wanted" ] || echo "$option$value: $is"
	done <options >wrong
	is "$(cat wrong)" '' "$command: values of $(wc -l <options | tr -d ' ') options"
done <commands
while IFS='|' read -r wanted what line; do
	# shellcheck disable=SC2086	# words of a line
	eval "set -- $line"
	is "$(completes "$@")" "$wanted" "$what: $line"
done <<'LINES'
calibrate;check;compare;|commands|c
--help;--version;-V;-h;|options without a command|-
calibrate;|commands of help|help ca
small,reserved;small,small;small,transparent;|words of a second list|memlat --pages = small,
|nothing after an unknown command|no-such-command --
cas;switch;|words after =|check --method =
switch;|a word after =|check --method = s
switch;|a word of its own|check --method s
|no number|calibrate --window = ''
|no argument where there is none|calibrate --json ''
random,window;|a word in a list|memlat --curves = random,wi
files/a file.json;files/a folder;files/b.json;|files, with a blank|report --html = files/
files/b.json;|a file of its own|report --html files/b
files/b.json;|a file behind a letter|attach -o files/b
files/b.json;|an argument that is a file|report --json files/b
|no program|compare --fio = no-such-program
LINES
ln -s /bin/true program-of-mine
is "$(PATH=$PATH:$scratch completes compare --fio = program-of)" \
	'program-of-mine;program-of-mine;' \
	'a program in PATH, and as a file'
is "$(PATH=$PATH:$scratch completes attach --json program-of)" 'program-of-mine;program-of-mine;' \
	'an argument behind a value that is left out'

# Few machines have zsh: its script is read, without a shell. A command's part ends
# with ";;", and an option is '--NAME=[' or {-L+,--NAME=}, without the = if it is a
# switch.
zsh=${TW_BUILD:-$root/build}/completion/zsh/site-functions/_tickwise
while read -r command; do
	"$tickwise" "$command" --help >help
	sed -n "/^	$command)\$/,/;;\$/p" "$zsh" >part
	is "$(sed -n "s/^\t\t'\(--[a-z-]*\)=\{0,1\}-\{0,1\}\[.*/\1/p
		s/^\t\t'(\(-.\) \(--[a-z-]*\))'{\1+\{0,1\},\2=\{0,1\}}'\[.*/\1\n\2/p" part |
			sort)" "$(options_of help | sort)" "zsh: all options of $command"
done <commands
part()
{
	sed -n "/^	$1)\$/,/;;\$/p" "$zsh" | grep -cF "$2"
}
for shell in bash zsh; do
	made=$script
	[ $shell = bash ] || made=$zsh
	"$tickwise" --completion $shell >now
	cmp -s now "$made"
	ok $? "$shell: the script that is installed is the one that this program prints"
done
"$tickwise" --completion fish >now 2>err
is "$? $(wc -c <now) $(wc -l <err)" '64 0 1' 'another shell: one line'

is "$(part attach "'*:argument:_command_names -e' ;;")" 1 'zsh: a program is an argument'
is "$(part report "'*:argument:_files' ;;")" 1 'zsh: a file is an argument'
is "$(part calibrate "'*:")" 0 'zsh: no argument where there is none'
is "$(part calibrate ':value:(on off)')" 1 'zsh: words'
is "$(part compare ':value:_command_names -e')" 2 'zsh: programs are values'
is "$(part attach "}'[Print to FILE]:value:_files'")" 1 'zsh: a file behind a letter'
is "$(part attach ']::value:')" 1 'zsh: a value that may be left out'
done_testing
