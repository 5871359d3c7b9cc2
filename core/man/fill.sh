#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Prints a manual page with what the programs know: @VERSION@ becomes the version, a line
# that ends with @OPTIONS COMMAND@ the options of that command, and one with @ROWS KIND@ the
# rows of a report. The text before it is for readers of a page that is not filled.
#
#	core/man/fill.sh TICKWISE DESCRIBE VERSION PAGE-FILE
set -eu
sed "s/@VERSION@/$3/" "$4" | while IFS= read -r line; do
	case $line in
	*'\" @OPTIONS '*@)
		command=${line#*@OPTIONS }
		"$1" --manual-options "${command%@}" || exit 1
		;;
	*'\" @ROWS '*@)
		kind=${line#*@ROWS }
		"$2" manual "${kind%@}" || exit 1
		;;
	*) printf '%s\n' "$line" ;;
	esac
done
