#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Prints the patches of a series, a path a line, in the order in which they are
# applied:
#
#	patches/list.sh SERIES
#
# SERIES is a file next to this one, as fio-3.33: names of files in series/, as
# quilt reads them. Lines that begin with # are comments.
set -eu

dir=$(cd "$(dirname "$0")" && pwd)
while read -r name; do
	case $name in
	'' | '#'*) ;;
	*) echo "$dir/series/$name" ;;
	esac
done <"$dir/$1"
