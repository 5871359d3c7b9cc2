#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: tests that run a fio are skipped, with the reason, if an ordinary user
# may lock too little memory for the rings of some jobs. Defect: jobs that end with
# "Cannot allocate memory", which fails the tests.
. "$(dirname "$0")/../../tap.sh"

skip_all()
{
	echo "1..0 # SKIP $1"
	exit 0
}

[ -z "${TW_SANITIZE-}" ] || skip_all 'they are skipped with sanitizers'
user=
if [ "$(id -u)" = 0 ]; then
	command -v setpriv >/dev/null || skip_all 'no setpriv to be another user with'
	user='setpriv --reuid=65534 --regid=65534 --clear-groups'
fi
have=${TW_BUILD:-$root/build}/tests/fio/have_io_uring
mkdir "$scratch/tmp"
chmod 711 "$scratch"
chmod 1777 "$scratch/tmp"
# shellcheck disable=SC2016,SC2086
$user sh -c '[ -w "$1" ] && [ -x "$2" ] && [ -r "$3" ]' sh "$scratch/tmp" "$have" \
	"$root/tests/fio/command.t" ||
	skip_all 'an ordinary user can not read what is here'
# shellcheck disable=SC2086
$user "$have" 2>"$err" || skip_all "no io_uring for an ordinary user: $(cat "$err")"

# locked LIMIT: runs a short test for a user who may lock LIMIT kB
locked()
{
	# shellcheck disable=SC2086
	(ulimit -l "$1" && TMPDIR=$scratch/tmp HOME=$scratch/tmp exec $user \
		"$root/tests/fio/command.t") >"$out" 2>"$err"
	status=$?
}

locked 64
is "$status $(cat "$out")" \
	'0 1..0 # SKIP this user may lock 64 kB of memory, 4096 are needed' \
	'64 kB: skipped'
if (ulimit -l 4096) 2>/dev/null; then
	locked 4096
	is "$status $(grep -c SKIP "$out")" '0 0' '4096 kB: run'
else
	echo 'ok 2 # SKIP this user may lock less than 4096 kB'
	tap_count=2
fi
done_testing
