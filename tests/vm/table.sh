#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Puts the rows that the last `make check-vm` left into a file, between its lines
# "<!-- rows of tests/vm -->" and "<!-- end of rows -->".
#
#	tests/vm/table.sh ROWS-DIRECTORY FILE
set -eu

rows=$1
file=$2
table=$(mktemp)
trap 'rm -f "$table"' EXIT

{
	echo '| injected | must happen | happened here | what stock fio did |'
	echo '|---|---|---|---|'
	cat "$rows"/rows-*
} >"$table"
awk -v table="$table" '
	/^<!-- end of rows -->/ { inside = 0 }
	!inside
	/^<!-- rows of tests\/vm -->/ {
		inside = 1
		while ((getline line < table) > 0)
			print line
	}' "$file" >"$table.new"
cat "$table.new" >"$file"
rm -f "$table.new"
