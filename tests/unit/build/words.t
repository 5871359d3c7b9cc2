#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: no sentence of the README, the manual and --help is longer than 30 words, and
# none of the words is there that CONTRIBUTING.md rules out (words.pl names them). They are
# not in the comments and strings of the sources, either. Fails if somebody writes one.
. "$(dirname "$0")/../../tap.sh"

made=${TW_BUILD:-$root/build}/man
words()
{
	perl "$root/tests/unit/build/words.pl" 30 "$@"
}

# clean NAME FILE...
clean()
{
	name=$1
	shift
	is "$(words "$@")" '' "$name"
}

for page in README.md CONTRIBUTING.md CHANGELOG.md SECURITY.md core/README.md \
	core/clock/QUESTIONS.md \
	patches/README.md plugin/README.md tests/README.md tests/bench/README.md \
	tests/bench/results.md; do
	clean "$page" "$root/$page"
done
lines=$(wc -l <"$root/README.md")
[ "$lines" -le 120 ]
ok $? "README.md has $lines lines, at most 120"
for page in "$made"/*.[1-9]; do
	clean "${page##*/}" "$page"
done
"$tickwise" --help >"$scratch/tickwise"
for command in $(sed -n 's/^  \([a-z][a-z-]*\)  *.*/\1/p' "$scratch/tickwise"); do
	"$tickwise" "$command" --help >"$scratch/$command"
	clean "tickwise $command --help" "$scratch/$command"
done
clean 'tickwise --help' "$scratch/tickwise"

# sources FOLDER...: what people write, not what programs made or other projects wrote.
# This test and words.pl contain the words, and the recorded header never changes.
sources()
{
	find "$@" \( -name 'build*' -o -path '*/golden/expected' -o -path '*/tests/abi' \
		-o -path '*/tests/fuzz/corpus' -o -path '*/patches/series' \) -prune -o \
		-type f \( -name '*.[ch]' -o -name '*.sh' -o -name '*.pl' -o -name '*.py' \
		-o -name '*.t' \) ! -path '*/unit/words.*' -print
}

# SECURITY.md names the test of each promise.
grep -oE '`(unit|fio|vm)/[a-z_]+\.[a-z]+`' "$root/SECURITY.md" | tr -d '\140' | sort -u >"$scratch/named"
[ "$(wc -l <"$scratch/named")" -ge 5 ]
ok $? "SECURITY.md names $(wc -l <"$scratch/named") tests"
is "$(while read -r test; do
	[ -f "$root/tests/$test" ] || echo "$test"
done <"$scratch/named")" '' 'each of which there is'
is "$(awk -F '|' '/^## /{ table = /runs with|Files|Who may|may try/ } table && /^\|/ &&
	!/^\|-/ && !/\| test \|/ && $(NF - 1) !~ /`/' "$root/SECURITY.md")" '' \
	'and one in each row of its promises'

for folder in core plugin patches tests debian; do
	sources "$root/$folder" >"$scratch/list"
	is "$(tr '\n' '\0' <"$scratch/list" | xargs -0 perl "$root/tests/unit/build/words.pl" 30)" '' \
		"sources in $folder"
done
clean 'Makefile and .ci/run' "$root/Makefile" "$root/.ci/run"
[ "$(sources "$root/core" | wc -l)" -gt 200 ]
ok $? 'the sources were read'
done_testing
