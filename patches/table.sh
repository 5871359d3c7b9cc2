#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Which fio takes which patches, and what `make check-patches` said of it: the
# rows of README.md's first table.
#
#	patches/table.sh [LOG...]
#
# LOG is build/check-patches.log, or others that tests/run.sh wrote. A series
# that none of them has is "not tried".
set -eu
LC_ALL=C
export LC_ALL

here=$(cd "$(dirname "$0")" && pwd)

# origins SERIES: "15 own, 3 of fio-3.33"
origins()
{
	"$here/list.sh" "$1" | sed "s|^$here/$1/||" | awk '
		{ from = "own" }
		/\// { from = $0; sub(/^.*\.\.\//, "", from)
			sub(/\/.*/, "", from); from = "of `" from "`" }
		{ if (!n[from]++) order[++kinds] = from }
		END { for (i = 1; i <= kinds; i++)
			printf "%s%d %s", (i > 1 ? ", " : ""),
				n[order[i]], order[i] }'
}

# tried SERIES LOG...
tried()
{
	series=$1
	shift
	[ $# -gt 0 ] || set -- /dev/null
	awk -v name="tests/patches/$series.t" '
		/^tests\/.*\.t \.\./ { inside = $1 == name }
		!inside { next }
		/^1\.\.0/ { sub(/.*SKIP */, ""); why = $0 }
		/^ok .*# SKIP/ { skipped++; next }
		/^ok [0-9]/ { good++ }
		/^not ok/ { bad++ }
		END {
			if (why != "") print "skipped: " why
			else if (!good && !bad) print "not tried"
			else printf "%d of %d%s\n", good, good + bad,
				(skipped ? ", " skipped " skipped" : "")
		}' "$@"
}

echo '| fio | its patches | `make check-patches` |'
echo '|---|---|---|'
for dir in "$here"/fio-*; do
	series=$(basename "$dir")
	release=${series#fio-}
	[ ! -f "$dir/COMMIT" ] ||
		release="commit $(cut -c 1-12 "$dir/COMMIT")"
	echo "| $release | $(origins "$series") | $(tried "$series" "$@") |"
done
