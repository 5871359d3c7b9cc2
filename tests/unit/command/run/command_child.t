#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The programs that tickwise starts. One that can't be run is named in one line, with the
# reason, by each command that runs a program. Fails if a child that could not become that
# program passes for the program. One does not run if tickwise has ended already, however
# early. Fails if a child only asks to be told of its parent's end, and does not check
# whether the parent had ended before.
. "$(dirname "$0")/../../../tap.sh"

cd "$scratch" || exit 1
printf '[a]\nioengine=io_uring\n' >job.fio
: >tickwise.so
: >no_program
none=$scratch/none

# refuses CODE LINE ARGUMENT...: passes if the command prints the line, and no output; run
# first prints what it changed
refuses() {
	code=$1 line="tickwise $2"
	shift 2
	run "$@"
	is "$status $(tail -n 1 "$err") $(wc -c <"$out")" "$code $line 0" "$line"
}

FIO=$none refuses 70 "run: can't run $none: No such file or directory" \
	run --engine=tickwise.so job.fio
FIO=$scratch/no_program refuses 70 "run: can't run $scratch/no_program: Permission denied" \
	run --engine=tickwise.so job.fio
# This program answers for its options, and is gone when it should run.
printf '#!/bin/sh\necho "tw_report : File"\nrm -f "$0"\n' >once
chmod +x once
FIO=$scratch/once refuses 70 "run: can't run $scratch/once: No such file or directory" \
	run --engine=tickwise.so job.fio
refuses 66 "compare: can't run $none: No such file or directory" compare --fio="$none"
refuses 66 "compare: can't run $scratch/no_program: Permission denied" \
	compare --fio=none --fio-patched="$scratch/no_program"
refuses 70 "profile: can't start $none: No such file or directory" profile -- "$none"
refuses 70 "profile: can't start $scratch/no_program: Permission denied" \
	profile -- "$scratch/no_program"

# A parent may ignore SIGCHLD. The kernel then forgets how a child ended.
env --ignore-signal=CHLD "$tickwise" profile -- true >"$out" 2>"$err"
is "$? $(sed 's/true wrote .*/true wrote/' "$err")" '66 tickwise profile: true wrote' \
	'a parent that ignores SIGCHLD: the end of a program is known'

# Nothing can be preloaded into a sanitized program.
[ -z "${TW_SANITIZE-}" ] || done_testing
early=${TW_BUILD:-$root/build}/tests/preload/parent_dies.so
printf '#!/bin/sh\ntouch %s/ran\necho fio-9.99\n' "$scratch" >fio
chmod +x fio
FIO=$scratch/fio
export FIO

# With the library tickwise is killed as it starts the program; both have the pipe.
for command in 'run --engine=tickwise.so job.fio' \
		"compare --fio=$FIO --starts=1 --seconds=0.1 --load=idle --rounds=0"; do
	rm -f ran
	# shellcheck disable=SC2086	# words
	run $command
	[ -e ran ]
	ok $? "${command%% *}: a program runs"
	rm -f ran
	# shellcheck disable=SC2086
	{ LD_PRELOAD=$early "$tickwise" $command 9>&1; } 2>/dev/null | cat >/dev/null
	[ ! -e ran ]
	ok $? 'but not if tickwise has ended'
done
done_testing
