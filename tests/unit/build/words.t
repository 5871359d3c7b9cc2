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

# The test of the test: each defect is found, and what is none is not.
cat >"$scratch/bad.md" <<'END'
One two three four five six seven eight nine ten eleven twelve thirteen fourteen
fifteen sixteen seventeen eighteen nineteen twenty a b c d e f g h i j k.

It looks good.

| a cell | has so many words |
END
is "$(words "$scratch/bad.md" | wc -l)" 3 'a long sentence and two words are found'
cat >"$scratch/good.md" <<'END'
One two three four five six seven eight nine ten eleven twelve thirteen fourteen
fifteen sixteen seventeen eighteen nineteen twenty a b c d e f g h i j. And more
follows: `a`, `b`, `c` and `d` are one word.

    code looks as it looks
END
is "$(words "$scratch/good.md")" '' 'thirty words are fine, names and code are not counted'
cat >"$scratch/bad.7" <<'END'
.SH NAME
a page that looks \- is not read here
.SH DESCRIPTION
It stands
.B beside
the other.
END
is "$(words "$scratch/bad.7" | wc -l)" 1 'a word is found in a manual page'

cat >"$scratch/bad.c" <<'END'
/* A comment that looks bad. */
/*
 * Two lines with so
 * many words.
 */
int said(void)
{
	return puts("so " "many"); // he said
}
END
is "$(words "$scratch/bad.c" | cut -d: -f2 | tr '\n' ' ')" '1 2 8 8 ' \
	'words are found in comments and strings of C'
cat >"$scratch/good.c" <<'END'
/* @looks: as in engine_looks.c and memory-beside-reads.fio, of --load=hogs; "said". */
int looks = '"', said[] = { looks, "'"["hogs"] };
END
is "$(words "$scratch/good.c")" '' 'names in C are not counted'
cat >"$scratch/bad.sh" <<'END'
# Two lines with so
# many words.
echo 'it is said'
END
is "$(words "$scratch/bad.sh" | cut -d: -f2 | tr '\n' ' ')" '1 3 ' \
	'words are found in a script'
cat >"$scratch/good.sh" <<'END'
looks=1 # $looks, ${said}, find/beside, 'hogs'
$said{looks} = $beside->{said};
END
is "$(words "$scratch/good.sh")" '' 'names in a script are not counted'

# clean NAME FILE...
clean()
{
	name=$1
	shift
	is "$(words "$@")" '' "$name"
}

for page in README.md CONTRIBUTING.md CHANGELOG.md SECURITY.md core/README.md \
	core/clock/QUESTIONS.md \
	patches/README.md plugin/README.md tests/README.md tests/bench/README.md; do
	clean "$page" "$root/$page"
done
lines=$(wc -l <"$root/README.md")
[ "$lines" -le 150 ]
ok $? "README.md has $lines lines, at most 150"
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
