# SPDX-License-Identifier: MIT
#
# Test Anything Protocol for the shell tests, to be sourced. It sets $tickwise, the
# program (TICKWISE, else the one in build/), and $scratch, a directory that is
# removed at the end.

set -u
LC_ALL=C
export LC_ALL
# Make the result the same on any machine, as root or not: the engine loads nothing
# into the kernel unless a test asks for it (tw_kernel=).
TICKWISE_KERNEL=off
# Keep the engine from asking a helper that runs here.
TICKWISE_KERNEL_SOCKET=/dev/null/none
export TICKWISE_KERNEL TICKWISE_KERNEL_SOCKET

root=$(cd "$(dirname "$0")" && until [ -e Makefile ] || [ "$PWD" = / ]; do cd ..; done; pwd)
tickwise=${TICKWISE:-$root/build/tickwise}
[ -x "$tickwise" ] || { echo "Bail out! no program $tickwise"; exit 1; }
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
# Some tests run what they have made. Not every folder of temporary files allows
# that.
printf '#!/bin/sh\n' >"$scratch/runs"
chmod 755 "$scratch/runs"
if ! "$scratch/runs" 2>/dev/null; then
	rm -rf "$scratch"
	scratch=$(mktemp -d -p "${TW_BUILD:-$root/build}/tests") || exit 1
fi
rm -f "$scratch/runs"
tap_count=0
tap_failed=0

# ok STATUS DESCRIPTION: passes if the status is 0. This and the next ones return whether
# they pass.
ok() {
	tap_count=$((tap_count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $tap_count - $2"
	else
		echo "not ok $tap_count - $2"
		tap_failed=1
	fi
	return "$1"
}

# is GOT WANTED DESCRIPTION
is() {
	[ "$1" = "$2" ]
	ok $? "$3" && return
	printf 'is %s\nshould be %s\n' "$1" "$2" | sed 's/^/# /'
	return 1
}

# shows FILE...: prints what a check that failed was about; its status is 1
shows() {
	sed 's/^/# /' "$@"
	return 1
}

# has FILE TEXT DESCRIPTION: passes if the fixed text occurs in the file
has() {
	grep -qF -e "$2" "$1"
	ok $? "$3" || shows "$1"
}

# has_not FILE TEXT DESCRIPTION: passes if it does not occur there
has_not() {
	! grep -qF -e "$2" "$1"
	ok $? "$3" || shows "$1"
}

# empty FILE DESCRIPTION: passes if nothing is in the file; else shows it
empty() {
	[ ! -s "$1" ]
	ok $? "$2" || shows "$1"
}

# works DESCRIPTION COMMAND...: passes if the command does; else shows what it printed
works() {
	works_description=$1
	shift
	"$@" >"$scratch/works" 2>&1
	ok $? "$works_description" || shows "$scratch/works"
}

# skip REASON: counts one check that can't be made here
skip() {
	tap_count=$((tap_count + 1))
	echo "ok $tap_count # SKIP $1"
}

# skip_all REASON: ends a test that can't be made here
skip_all() {
	echo "1..0 # SKIP $*"
	exit 0
}

# from_json FILE PERL: runs PERL, where $j is the parsed file. fio from 3.42 on may
# print an error in front of its JSON.
from_json() {
	perl -MJSON::PP -e '
		local $/; open my $f, "<", $ARGV[0] or exit 2;
		my $text = <$f>; $text =~ s/\A.*?^(?=\{)//ms;
		our $j = eval { JSON::PP->new->decode($text) } or exit 3;
		eval $ARGV[1]; die $@ if $@' "$1" "$2"
}

# json FILE PERL-EXPRESSION: true or false, where $j is the parsed file
json() {
	from_json "$1" "exit !do { $2 }"
}

# value FILE PERL-EXPRESSION: prints the expression
value() {
	from_json "$1" "print scalar do { $2 }"
}

# run ARGUMENT...: runs the program; sets $status, $out and $err (files)
out=$scratch/stdout
err=$scratch/stderr
run() {
	"$tickwise" "$@" >"$out" 2>"$err"
	status=$?
}

# run_calibrated ARGUMENT...: the same, until the counter could be calibrated. A
# window in which others always have the CPU is no reason to fail.
run_calibrated() {
	for run_try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		run "$@"
		grep -qE 'Resource temporarily unavailable|too busy' "$err" || break
	done
}

done_testing() {
	echo "1..$tap_count"
	exit "$tap_failed"
}
