#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The demonstrations on this machine:
#
#	plugin/demo.sh BUILD-DIRECTORY			one fio job, and its report
#	plugin/demo.sh BUILD-DIRECTORY clock		the counter, and fio's clock
#	plugin/demo.sh BUILD-DIRECTORY memory		memory latency
set -eu

build=$1
part=${2:-job}
here=$(cd "$(dirname "$0")" && pwd)
fio=${FIO:-fio}
tickwise=$build/tickwise

fail()
{
	echo "demo: $*" >&2
	exit 1
}

title()
{
	printf '\n== %s\n\n' "$*"
}

case $part in
clock)
	title "Can this machine's counter be trusted?   ($tickwise check)"
	status=0
	"$tickwise" check || status=$?
	[ "$status" -le 2 ] || fail "the check could not run (exit $status)"
	title "fio's clock and Tickwise's   ($tickwise compare)"
	exec "$tickwise" compare --fio="$fio" --starts=3 --seconds=2 --rounds=1
	;;
memory)
	title "The time of a load, cache by cache   ($tickwise memlat, shortened)"
	exec "$tickwise" memlat --curves=window --pages=small --point=5
	;;
job) ;;
*) fail "unknown part: $part" ;;
esac

# The data file is removed however the script ends; the report and its page stay.
work=$build/demo
data=$work/randread.0.0
trap 'rm -f "$data" "$work/probe"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

rm -rf "$work"
mkdir -p "$work" || fail "can't make $work"
free_mb=$(df -Pm "$work" | awk 'NR == 2 { print $4 }')
[ "$free_mb" -ge 300 ] ||
	fail "$work has $free_mb MB free; the job needs 256 MB for its file"

# The example, unchanged if the file system has O_DIRECT.
job=plugin/examples/randread.fio
cp "$here/examples/randread.fio" "$work/job.fio"
if ! dd if=/dev/zero of="$work/probe" bs=4096 count=1 oflag=direct 2>/dev/null
then
	job="$job, with direct=0: this file system has no O_DIRECT"
	sed -i 's/^direct=1/direct=0/' "$work/job.fio"
fi

title "A fio job on Tickwise's engine: $($fio --version), 4k random reads, depth 32, 10 s"
engine=$(cd "$build" && pwd)/tickwise.so
echo "ENG=external:$build/tickwise.so fio $job"
echo
# fio makes its file and the engine its report in the current folder.
(cd "$work" && ENG=external:$engine "$fio" job.fio >fio.txt) || {
	cat "$work/fio.txt" >&2
	fail "fio failed (exit $?); its message is above"
}
sed -n '/err=/,/^ *lat (/p' "$work/fio.txt"
echo "(all of fio's text: $work/fio.txt)"

title "Its report   ($tickwise report --html=$work/page.html $work/*.json)"
"$tickwise" report --html="$work/page.html" "$work"/randread.*.tickwise.json
echo
echo "The same with plots: $(cd "$work" && pwd)/page.html"
[ "$(id -u)" = 0 ] || {
	echo "For stages inside the kernel, in another terminal: sudo $tickwise kernel-helper"
	echo "Then here: make demo"
}
echo "Your own job: $tickwise run JOB.fio   More: make demo-clock, make demo-memory"
