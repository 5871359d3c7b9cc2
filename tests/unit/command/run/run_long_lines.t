#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A job file with lines as long as fio accepts is read in little memory, and nothing
# of them gets lost. Fails if each character of a line, or each of its variables,
# costs a copy of the line.
. "$(dirname "$0")/../../../tap.sh"

if [ -n "${TW_SANITIZE-}" ]; then
	echo '1..0 # SKIP a sanitizer takes all the address space there is'
	exit 0
fi
. "$(dirname "$0")/run_fake.sh"

# 50 lines of characters and 50 of variables, each of some 8000 bytes. Copies for
# each character would take 8000 * 8000 / 2 bytes a line, 1.6 GB for the first 50,
# and for each variable 0.4 GB. The limit is on address space, of which the program
# and its libraries take some 20 MB.
awk 'BEGIN {
	print "[a]"; print "ioengine=io_uring"
	for (i = 0; i < 8000; i++) x = x "x"
	for (i = 0; i < 2000; i++) v = v "${V}"
	for (i = 0; i < 50; i++) { print "description=" x; print "comment=" v }
}' >job.fio
V=abcd
export V
ulimit -S -v 200000
is "$(changed | cut -c 1-200)" '< ioengine=io_uring > ioengine=external:ENGINE' \
	'in 200 MB of address space, with one line changed'
is "$(cut -c 1-200 "$err" | grep -vc ': changed to ')" 0 'and nothing reported'

# The values of the variables count.
# shellcheck disable=SC2016
printf '[a]\nioengine=i${A}u${NOTHING}r${EMPTY}${B}\n' >job.fio
A=o_ B=ing EMPTY='' fio_run --dry-run job.fio
has "$err" '[a] ioengine=io_uring: changed' 'the values in place of the variables'
# shellcheck disable=SC2016
printf '[a]\nioengine=io_${A\n' >job.fio
A=uring fio_run --dry-run job.fio
has_not "$err" io_uring 'and what is not closed is none'
done_testing
