#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The manual is of this version: every function of the header has a page with its
# exact prototype, every command and option of the program has its words, and no
# page describes what does not exist. Fails if a function or an option is added,
# changed or removed and its page is not.
#
# Functions that begin with tw__ are parts of inline ones and have no page.

. "$(dirname "$0")/../../tap.sh"
. "$(dirname "$0")/header_names.sh"

man=$root/core/man
# The pages as they are installed, with the options of the program.
made=${TW_BUILD:-$root/build}/man
sections='NAME SYNOPSIS DESCRIPTION RETURN_VALUE ERRORS ATTRIBUTES SEE_ALSO'

# synopsis PAGE-FILE: prints its text without any blank, macro or quote
synopsis() {
	awk '/^\.SH/ { show = $2 == "SYNOPSIS"; next } show' "$1" |
		sed -e 's/^\.[A-Z]* *//' -e 's/["\\]//g' | tr -d ' \n\t'
}

# ---- section 3 ----

prototypes "$root/core/tickwise.h" | grep -v '^[a-z]* tw__' \
	>"$scratch/prototypes"
"$man/links.sh" "$man"/*.[1-9] >"$scratch/links"
{
	sed 's|.*/\(.*\)/\(.*\)|\1 \2|' "$scratch/links"
	for page in "$man"/*.3; do
		name=$(basename "$page" .3)
		echo "$name $name"
	done
} >"$scratch/pages"

while read -r _ name prototype; do
	page=$(awk -v name="$name" '$1 == name { print $2 }' "$scratch/pages")
	if [ -z "$page" ]; then
		ok 1 "$name has a page"
		continue
	fi
	synopsis "$man/$page.3" |
		grep -qF "$(echo "$prototype" | tr -d ' \t');"
	ok $? "$name has a page with its prototype"
done <"$scratch/prototypes"

: >"$scratch/wrong"
while read -r name page; do
	[ "${name#tw_}" != "$name" ] || continue
	grep -q "^[a-z]* $name " "$scratch/prototypes" ||
		echo "$name in $page.3" >>"$scratch/wrong"
done <"$scratch/pages"
empty "$scratch/wrong" 'no page is of a function that there is not'

: >"$scratch/wrong"
for page in "$man"/*.3; do
	for section in $sections; do
		grep -qx ".SH $(echo "$section" | tr _ ' ')" "$page" ||
			echo "$(basename "$page"): no $section" >>"$scratch/wrong"
	done
done
empty "$scratch/wrong" "every page of section 3 has $(echo "$sections" | wc -w) sections"

# ---- section 1 ----
#
# The options of a page come from the program's tables (unit/command/options.c).

# options: prints the long options of the text that it reads
options() {
	sed 's/\\-/-/g' | grep -oE -- '--[a-z][a-z-]+' | sort -u
}

"$tickwise" --help | sed -n 's/^  \([a-z][a-z-]*\)  *.*/\1/p' >"$scratch/commands"
[ "$(wc -l <"$scratch/commands")" -ge 3 ]
ok $? "tickwise has $(wc -l <"$scratch/commands") commands"
: >"$scratch/wrong"
while read -r command; do
	page=$man/tickwise-$command.1
	sections=$(awk -v options="@OPTIONS $command@" '/^\.SH/ { before = $2 }
		before == "EXAMPLES" && last == "SYNOPSIS" && /^\.EX/ { examples++ }
		/^\.SH/ && $2 != "EXAMPLES" { last = $2 }
		index($0, options) || /^\.SH EXIT STATUS/ { parts++ }
		END { print parts + 0, (examples >= 3) }' "$page")
	[ "$sections" = '2 1' ] || echo "$page: $sections" >>"$scratch/wrong"
done <"$scratch/commands"
empty "$scratch/wrong" 'each has a page with its options, exit codes and three examples'
is "$(grep -hE '@(OPTIONS|ROWS) ' "$man"/*.? | grep -vc '^See build/man')" 0 \
	'a page that is not filled tells where the whole one is'

: >"$scratch/wrong"
for page in "$man"/tickwise*.1; do
	sed -n 's/\\-/-/g; /^\.EX/,/^\.EE/p' "$page" | sed 's/^[#$] //; s/^sudo //' |
		grep '^tickwise [a-z-]* ' |
		while read -r _ command rest; do
			[ "$command" != run ] || continue
			"$tickwise" "$command" --help | options >"$scratch/helped"
			echo "${rest%% -- *}" | options | while read -r option; do
				grep -qxe "$option" "$scratch/helped" ||
					echo "$(basename "$page"): $command $option"
			done
		done >>"$scratch/wrong"
done
empty "$scratch/wrong" 'examples have options that there are'

awk '/^\.B \\-\\-csv/ { show = 1 } show && /^\.TP/ { exit } show' "$man/tickwise.1" |
	sed -n 's/^\.BR\{0,1\} \([a-z][a-z-]*\).*/\1/p' | sort >"$scratch/written"
while read -r command; do
	! "$tickwise" "$command" --help | grep -q '^      --csv ' || echo "$command"
done <"$scratch/commands" | sort >"$scratch/helped"
is "$(cat "$scratch/written")" "$(cat "$scratch/helped")" \
	'tickwise(1) names the commands that have --csv'

: >"$scratch/wrong"
for page in "$man"/tickwise-*.1; do
	command=$(basename "$page" .1)
	grep -qx "${command#tickwise-}" "$scratch/commands" ||
		echo "$command" >>"$scratch/wrong"
	grep -q "^\.BR $(echo "$command" | sed 's/-/\\\\-/g') (1)" \
		"$man/tickwise.1" || echo "$command is not in tickwise.1" \
		>>"$scratch/wrong"
done
empty "$scratch/wrong" 'every page is of a command, and tickwise(1) names it'

# ---- all ----

# The pages that a page refers to, if they would be ours.
sed -n 's/^\.BR \(t[iw][a-z_0-9\\-]*\) (\([1-9]\)).*/\1 \2/p' "$man"/*.[1-9] |
	sed 's/\\-/-/g' | sort -u >"$scratch/references"
: >"$scratch/wrong"
while read -r name section; do
	[ -f "$man/$name.$section" ] ||
		grep -q "^$section/$name/" "$scratch/links" ||
		echo "$name($section)" >>"$scratch/wrong"
done <"$scratch/references"
empty "$scratch/wrong" "$(wc -l <"$scratch/references") pages are referred to and there"

: >"$scratch/wrong"
for page in "$man"/*.[1-9]; do
	grep -q '^\.TH .*"Tickwise @VERSION@"' "$page" ||
		echo "$page" >>"$scratch/wrong"
done
empty "$scratch/wrong" 'no page has a version of its own'

# lint NAME COMMAND...: runs a checker of pages that prints nothing if all is well
lint() {
	name=$1
	shift
	command -v "$1" >/dev/null || { skip "no $1"; return; }
	for page in "$made"/*.[1-9]; do
		"$@" "$page" 2>&1 | sed "s|^|$(basename "$page"): |"
	done >"$scratch/wrong"
	empty "$scratch/wrong" "$name finds nothing"
}
lint 'mandoc -T lint' mandoc -T lint -W warning
lint groff groff -man -Tutf8 -ww -z
done_testing
