#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Help and parser share one table: each command takes every option that its --help
# shows, has -h, and refuses what --help does not show. Fails if a command reads its
# options in another way.

. "$(dirname "$0")/../../tap.sh"

run --help
sed -n 's/^  \([a-z][a-z-]*\)  *.*/\1/p' "$out" >"$scratch/commands"
while read -r command; do
	run "$command" --help
	cp "$out" "$scratch/help"
	is "$(grep -cE '^.{81}| $' "$out")" 0 "$command --help: 80 columns, no stray blanks"
	run "$command" -h
	cmp -s "$out" "$scratch/help"
	ok $? "$command -h"
	run help "$command"
	cmp -s "$out" "$scratch/help"
	ok $? "help $command"
	: >"$scratch/unknown"
	for option in $(sed -n 's/^  \(-., \|    \)--\([a-z-]*\).*/--\2/p' "$scratch/help"); do
		run "$command" "$option=" --help
		! grep -q 'unknown option' "$err" || echo "$option" >>"$scratch/unknown"
	done
	is "$(cat "$scratch/unknown")" '' "$command knows the options of its help"
	[ "$command" != run ] || continue	# hands them on to fio
	run "$command" --no-such-option --help
	is "$status $(cat "$err")" \
		"64 tickwise $command: unknown option --no-such-option (see --help)" \
		"$command refuses another one"
done <"$scratch/commands"
done_testing
