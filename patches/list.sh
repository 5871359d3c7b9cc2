#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Print the paths of a series' patches, one on each line, in the order in which they are
# applied:
#
#	patches/list.sh SERIES
#
# SERIES is a file in this folder, such as fio-3.33. It has names of files in series/, in
# the format of quilt. Lines that begin with # are comments.
set -eu

dir=$(cd "$(dirname "$0")" && pwd)
while read -r name; do
	case $name in
	'' | '#'*) ;;
	*) echo "$dir/series/$name" ;;
	esac
done <"$dir/$1"
