#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A program that tickwise starts does not run if tickwise has ended already, however
# early. Fails if a child only asks to be told of its parent's end, and does not
# check whether the parent had ended before.
. "$(dirname "$0")/../../../tap.sh"

early=${TW_BUILD:-$root/build}/tests/preload/parent_dies.so
if [ -n "${TW_SANITIZE-}" ]; then
	echo '1..0 # SKIP nothing can be preloaded into a sanitized program'
	exit 0
fi
cd "$scratch" || exit 1
printf '#!/bin/sh\ntouch %s/ran\necho fio-9.99\n' "$scratch" >fio
chmod +x fio
: >tickwise.so
printf '[a]\nioengine=io_uring\n' >job.fio

# killed ARGUMENT...: kills tickwise as it starts fio; returns when both have ended,
# as both have the pipe
killed() {
	rm -f ran
	{ LD_PRELOAD=$early "$tickwise" "$@" 9>&1; } 2>/dev/null | cat >/dev/null
}

FIO=$scratch/fio "$tickwise" run --engine=tickwise.so job.fio >"$out" 2>&1
[ -e ran ]
ok $? 'run: fio runs'
FIO=$scratch/fio killed run --engine=tickwise.so job.fio
[ ! -e ran ]
ok $? 'but not if tickwise has ended'
rm -f ran
"$tickwise" compare --fio="$scratch/fio" --starts=1 --seconds=0.1 --load=idle \
	--rounds=0 >"$out" 2>&1
[ -e ran ]
ok $? 'compare: fio runs'
killed compare --fio="$scratch/fio" --starts=1 --seconds=0.1 --load=idle --rounds=0
[ ! -e ran ]
ok $? 'but not if tickwise has ended'

# This perf reads samples for profile.
printf 'PERFILE2' >samples
printf '#!/bin/sh\ntouch %s/ran\n' "$scratch" >perf
chmod +x perf
PATH=$scratch:$PATH
rm -f ran
"$tickwise" profile --against=samples -- true >"$out" 2>&1
[ -e ran ]
ok $? 'profile: perf runs'
killed profile --against=samples -- true
[ ! -e ran ]
ok $? 'but not if tickwise has ended'
done_testing
