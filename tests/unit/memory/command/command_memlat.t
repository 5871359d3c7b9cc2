#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: core/memory core/memory/command
#
# tickwise memlat measures this machine's memory, in each form of output, and tells which pages
# are not to be had. It fits into a small memory cgroup. No figure is judged here. Whole
# outputs and refusals are in golden/memlat.t, Ctrl-C in unit/command/command_line.t.

. "$(dirname "$0")/../../../tap.sh"

# refuses TEXT ARGUMENT...: passes if the command has exit code 70, one line, and no output
refuses() {
	text=$1
	shift
	run_calibrated memlat "$@"
	is "$status $(wc -l <"$err") $(wc -c <"$out") $(grep -cF "tickwise memlat: $text" "$err")" \
		'70 1 0 1' "memlat $*: $text"
}
refuses '64T of memory are wanted and' --max=64T
refuses 'there is no memory on a NUMA node 1023' --node=1023
refuses "can't run on CPU 65535" --cpu=65535

# The pool of reserved pages is empty nearly everywhere.
if [ "$(cat /proc/sys/vm/nr_hugepages 2>/dev/null || echo 0)" = 0 ]; then
	refuses 'no reserved pages: ' --max=16K --pages=reserved
else
	skip 'there are reserved pages'
fi

# There are no transparent pages either for a process that is kept off them.
small=${TW_BUILD:-$root/build}/tests/bench/small_pages
if [ -x "$small" ] && [ -e /sys/kernel/mm/transparent_hugepage/enabled ]; then
	real=$tickwise
	small_tickwise() { "$small" "$real" "$@"; }
	tickwise=small_tickwise
	run_calibrated memlat --max=128K --window=64K --steps=1 --point=1 --json
	has "$out" '"no_translation": "there are too few huge pages' \
		'no transparent pages: no cost of translations'
	refuses 'no transparent pages: none is available' --max=16K --pages=transparent
	tickwise=$real
else
	skip 'no transparent pages to be kept off'
fi

# Small pages are quick, also under sanitizers. The exit code is 2 if others kept the CPU busy all
# the time.
run_calibrated memlat --min=4K --max=128K --steps=1 --point=1 --curves=random,window \
	--pages=small --json --html="$scratch/page.html"
[ "$status" -eq 0 ] || [ "$status" -eq 2 ]
ok $? "measured, or too disturbed (exit code $status)"
json "$out" 'my @curves = (@{$j->{curves}}, $j->{levels_from});
	@curves == 3 && $curves[2]{visits} == 6 &&
	!grep({ @{$_->{points}} != 6 || $_->{huge_share} } @curves) &&
	!grep { $_->{batches} && ($_->{warm_passes} < 1 || $_->{loads_per_batch} % 64) }
		map { @{$_->{points}} } @curves'
ok $? 'two curves, and what levels were found in'
is "$(tail -n 1 "$scratch/page.html")" '</html>' '--html: whole'

# The kernel kills who takes more than its memory cgroup has.
group=
for base in /sys/fs/cgroup/memory:memory.limit_in_bytes /sys/fs/cgroup:memory.max; do
	file=${base#*:}
	base=${base%:*}
	[ -z "${TW_SANITIZE:-}" ] && [ -e "$base/cgroup.procs" ] && mkdir "$base/tickwise.$$" 2>/dev/null || continue
	group=$base/tickwise.$$
	[ -e "$group/$file" ] && break
	rmdir "$group"
	group=
done
if [ -n "$group" ]; then
	trap 'rmdir "$group"; rm -rf "$scratch"' EXIT
	for limit in 8 32 64; do
		echo ${limit}M >"$group/$file"
		sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" \
			"$tickwise" memlat --steps=1 --point=1 --batch=10 >"$out" 2>"$err"
		code=$?
		case $code in 0 | 2 | 70) code=fits ;; esac
		is "$code" fits "in a memory cgroup of $limit MiB"
	done
else
	skip 'no memory cgroup can be made here, or a sanitizer needs more'
fi
done_testing
