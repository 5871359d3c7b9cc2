#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: core/command core/base
#
# Compares what tickwise prints by itself: its help, its version, and its answers to
# what it does not know. Fails if a character of it changes.
. "$(dirname "$0")/golden.sh"

golden help --help
cp "$out" "$scratch/help"
golden help_command help bench
cp "$out" "$scratch/help_command"
while read -r file line; do
	# shellcheck disable=SC2086	# words of a line
	run $line
	is "$status$(cat "$err" "$out")" "0$(cat "$scratch/$file")" "tickwise $line: as $file"
done <<'LINES'
help -h
help help help
help help --help
help_command --help bench
help_command bench -h
LINES
golden version --version
run -V
is "$status $(cat "$out")" "0 $(sed 1d "$got/program_version.txt" | head -n 1)" 'tickwise -V'
run
is "$status $(wc -c <"$out") $(cat "$err")" "64 0 $(cat "$scratch/help")" \
	'no command: the help on stderr, and exit code 64'
usage_errors <<'LINES'
no-such-command
chekc
--no-such-option
help no-such-command
help bench check
--version x
LINES
golden_done
