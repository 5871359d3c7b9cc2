#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: core/command core/command/output
#
# Pages fit a terminal of 80 columns: no line of their golden outputs is wider than
# 79. Outputs that are no page are left out (JSON, CSV, other formats, messages with
# the user's words), and so is the command line that a golden output begins with.
# Names are not broken: a line may end with a name that begins on the page. Fails if
# a table outgrows the page.
. "$(dirname "$0")/../tap.sh"

cd "$root/tests/golden/expected" || exit 1
for page in *.txt; do
	case $page in
	*_json.txt | *_csv.txt | *_folded.txt | *_svg.txt | *_trace.txt) continue ;;
	*_errors.txt | *_changes.txt | run_* | profile_names_*) continue ;;
	esac
	is "$(perl -CSD -ne '
		last if /^---- stderr$/;
		chomp;
		s/\bCOUNTER\b/time/;
		next if /^\$ tickwise / || length() < 80;
		print "$_\n" unless /^.{0,78} \S{20,}$/' "$page")" '' "$page"
done
done_testing
