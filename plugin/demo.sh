#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The demonstration: is the counter good, one real fio job through the engine,
# how fio's clock and ours compare, what a load from memory takes, and what the
# engine saw beside what fio says.
#
#	plugin/demo.sh BUILD-DIRECTORY
set -eu

build=$1
here=$(cd "$(dirname "$0")" && pwd)
fio=${FIO:-fio}
work=$build/demo
data=$work/randread.0.0

fail()
{
	echo "demo: $*" >&2
	exit 1
}

title()
{
	printf '\n== %s\n\n' "$*"
}

# The data goes away however this ends; the reports stay.
trap 'rm -f "$data" "$work/probe"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

rm -rf "$work"
mkdir -p "$work" || fail "can't make $work"
free_mb=$(df -Pm "$work" | awk 'NR == 2 { print $4 }')
[ "$free_mb" -ge 300 ] ||
	fail "$work has $free_mb MB free; the job needs 256 MB for its file"

# The example as it is, where the file system knows O_DIRECT.
job=plugin/examples/randread.fio
cp "$here/examples/randread.fio" "$work/job.fio"
if ! dd if=/dev/zero of="$work/probe" bs=4096 count=1 oflag=direct 2>/dev/null
then
	job="$job, with direct=0: this file system has no O_DIRECT"
	sed -i 's/^direct=1/direct=0/' "$work/job.fio"
fi

title "1  Can this machine's counter be trusted?   ($build/tickwise check)"
status=0
"$build/tickwise" check || status=$?
[ "$status" -le 2 ] || fail "the check could not run (exit $status)"

title "2  A fio job on our engine: $($fio --version), 4k random reads, depth 32"
engine=$(cd "$build" && pwd)/tickwise.so
echo "ENG=external:$build/tickwise.so fio $job"
echo
# Where fio lays out its file and the engine puts its report: here.
(cd "$work" && ENG=external:$engine "$fio" job.fio) ||
	fail "fio failed (exit $?); its message is above"

title "3  fio's clock beside ours   ($build/tickwise compare)"
# Not what the demonstration is for: a failure is said, and it goes on.
"$build/tickwise" compare --fio="$fio" --starts=3 --seconds=2 --rounds=1 ||
	echo "demo: the comparison failed (exit $?)" >&2

title "4  What a load takes, cache by cache   ($build/tickwise memlat, shortened)"
"$build/tickwise" memlat --curves=window --pages=small --max=8M --point=5 ||
	echo "demo: memory was not measured (exit $?)" >&2

title "5  What the engine saw   ($build/tickwise report $work/*.json)"
"$build/tickwise" report "$work"/randread.*.tickwise.json
