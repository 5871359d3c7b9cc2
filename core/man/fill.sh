#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Prints a manual page with what the program knows: @VERSION@ becomes the version, and a
# line .\" @OPTIONS COMMAND@ the options of that command.
#
#	core/man/fill.sh TICKWISE VERSION PAGE-FILE
set -eu
sed "s/@VERSION@/$2/" "$3" | while IFS= read -r line; do
	case $line in
	'.\" @OPTIONS '*@)
		command=${line#*@OPTIONS }
		"$1" --manual-options "${command%@}" || exit 1
		;;
	*) printf '%s\n' "$line" ;;
	esac
done
