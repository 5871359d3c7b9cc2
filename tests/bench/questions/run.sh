#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Answers the five questions that WTMLIB's author left open, each by a table. The
# answers are in core/clock/QUESTIONS.md.
#
#	tests/bench/questions/run.sh [QUESTION...]
#
#	1  parameters	what is a conversion's cost, by the place of its parameters?
#	2  modulus	how short can the modulus be?
#	3  balance	how are the errors of modulus and rate balanced?
#	4  virtual	can the counter be used in a virtual machine? (a quarter of an
#			hour; make vm-base prepares the machines)
#	5  timespec	what does it cost to keep times as a struct timespec? (builds
#			four fios)
#
# Without numbers it answers all. `make questions` builds the programs first.
set -eu

case ${1-} in
-*)
	[ "$1" = -h ] || [ "$1" = --help ] || exec >&2
	sed -n '4,/^set/s/^# \{0,1\}//p' "$0"
	case $1 in -h | --help) exit 0 ;; *) exit 64 ;; esac ;;
esac
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
TW_BUILD=${TW_BUILD:-$root/build}
export TW_BUILD
programs=$TW_BUILD/tests/bench/questions
failed=0

# answer NUMBER NAME COMMAND...: prints a heading and runs the command
answer()
{
	printf '\n== %d %s\n\n' "$1" "$2"
	shift 2
	"$@" || { echo "$1: no answer (exit $?)"; failed=1; }
}

[ $# -gt 0 ] || set -- 1 2 3 4 5
for question; do
	case $question in
	1) answer 1 parameters "$programs/parameters" ;;
	2) answer 2 modulus "$programs/modulus" ;;
	3) answer 3 balance "$programs/balance" ;;
	4) answer 4 virtual "$root/tests/vm/questions.sh" ;;
	5)
		answer 5 timespec "$programs/timespec"
		answer 5 "timespec, a whole run" "$here/timespec.sh" ;;
	*) echo "run.sh: no such question: $question" >&2; exit 64 ;;
	esac
done
exit $failed
