#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A wrong command line is one line on stderr and exit code 64; help and version
# go to stdout. Fails if a mistyped command does something, or if help can't be
# piped into a pager.

. "$(dirname "$0")/../../tap.sh"

# refuses TEXT ARGUMENT...: passes if the command is refused with this text
refuses() {
	text=$1
	shift
	run "$@"
	is "$status" 64 "tickwise $*: exit code 64"
	is "$(wc -l <"$err") $(wc -c <"$out")" '1 0' 'one line, no output'
	has "$err" "$text" "$text"
}

run
is "$status" 64 'no command: exit code 64'
has "$err" 'usage: tickwise COMMAND' 'and the usage on stderr'
refuses "tickwise: unknown command 'chekc'" chekc
refuses "tickwise: unknown command ''" ''
refuses "tickwise: unknown option '--json'" --json check
refuses 'tickwise report: no file given' report
refuses "tickwise report: unknown option --jsn" report --jsn file
refuses 'tickwise report: --json takes no value' report --json=3 file
refuses "tickwise report: unknown option -xy" report file -xy

run --help
is "$status $(wc -c <"$err")" '0 0' '--help: exit code 0, nothing on stderr'
for command in check calibrate bench compare memlat profile run report diff \
	engine build-engine; do
	grep -q "^  $command " "$out"
	ok $? "lists $command"
	"$tickwise" "$command" --help >"$scratch/help" 2>&1
	is "$?" 0 "$command --help: exit code 0"
	has "$scratch/help" "tickwise $command" 'speaks of the command'
done
run --version
grep -qE '^tickwise [0-9]+\.[0-9]+$' "$out"
ok $? '--version'
done_testing
