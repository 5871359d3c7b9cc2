#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The demonstration: is the counter good, one real fio job through the engine,
# and what the engine saw beside what fio says.
#
#	plugin/demo.sh BUILD-DIRECTORY
set -eu

build=$1
here=$(cd "$(dirname "$0")" && pwd)
fio=${FIO:-fio}
work=$build/demo
data=$work/data

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

direct=1
dd if=/dev/zero of="$work/probe" bs=4096 count=1 oflag=direct 2>/dev/null ||
	direct=0

title "1  Can this machine's counter be trusted?   ($build/tickwise check)"
status=0
"$build/tickwise" check || status=$?
[ "$status" -le 2 ] || fail "the check could not run (exit $status)"

title "2  A fio job on our engine: $($fio --version), 4k random reads, depth 32"
[ "$direct" = 1 ] ||
	echo "(this file system has no O_DIRECT: reads come from the page cache)"
echo "ENG=external:$build/tickwise.so fio plugin/examples/randread.fio"
echo
# The engine puts its report where fio's own logs go: the current directory.
engine=$(cd "$build" && pwd)/tickwise.so
(cd "$work" && ENG=external:$engine TW_DIRECT=$direct TW_FILE=data \
	"$fio" "$here/examples/randread.fio") ||
	fail "fio failed (exit $?); its message is above"

title "3  What the engine saw   ($build/tickwise report $work/*.json)"
"$build/tickwise" report "$work"/randread.*.tickwise.json
