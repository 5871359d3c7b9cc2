#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Prints the patches of a series, a path a line, in the order in which they are
# applied:
#
#	patches/list.sh SERIES
#
# SERIES is a directory beside this file. If it has a file named series, as
# quilt and `git quiltimport` know it, that says which, some of other releases;
# else they are all that it has, without the cover letter.
set -eu
LC_ALL=C
export LC_ALL

dir=$(cd "$(dirname "$0")" && pwd)/$1
if [ -f "$dir/series" ]; then
	while read -r name; do
		echo "$dir/$name"
	done <"$dir/series"
else
	for patch in "$dir"/0*.patch; do
		case $patch in */0000-*) ;; *) echo "$patch" ;; esac
	done
fi
