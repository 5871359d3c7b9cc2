#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Prints the other names of manual pages: a line "SECTION/NAME/PAGE" for each name in
# the NAME section of a page that is not the page's own.
#
#	core/man/links.sh PAGE-FILE...
#
# The names of a page are the words before " \- ", separated by commas.
exec awk '
FNR == 1 {
	page = FILENAME
	sub(/.*\//, "", page)
	section = page
	sub(/.*\./, "", section)
	sub(/\.[^.]*$/, "", page)
	in_names = 0
}
/^\.SH/ { in_names = $2 == "NAME"; next }
in_names {
	line = $0
	if (sub(/ +\\- .*/, "", line))
		in_names = 0
	gsub(/\\-/, "-", line)
	count = split(line, names, /[ ,]+/)
	for (i = 1; i <= count; i++)
		if (names[i] != "" && names[i] != page)
			print section "/" names[i] "/" page
}' "$@"
