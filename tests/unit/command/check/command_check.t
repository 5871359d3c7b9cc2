#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: core/counter
#
# tickwise check on this machine: either method, one CPU of several, a signal in the middle.
# Fails if a signal kills a check without its output, or if a counter that is forbidden is
# read.
# tests/golden/check.t compares what it prints.

. "$(dirname "$0")/../../../tap.sh"

# json PERL: prints what an expression returns for the last object $o of the output
json() {
	perl -MJSON::PP -0777 -ne 'BEGIN { $code = shift } my $o = decode_json($_);
		print eval $code // die' "$1" "$out"
}

# The verdict depends on this machine and on what else runs:
# machine/estimate is about that.
for method in cas switch; do
	run check --json --method=$method
	[ "$status" -le 2 ]
	ok $? "--method=$method: exit code $status"
	is "$(json '$o->{method}') $(wc -c <"$err")" "$method 0" \
		'the object names it, and nothing is on stderr'
done

# Use the first allowed CPU, alone; the others are named.
first=$(sed -n 's/^Cpus_allowed_list:[[:blank:]]*\([0-9]*\).*/\1/p' /proc/self/status)
if taskset -c "$first" true 2>/dev/null; then
	# One CPU takes one turn: all differences have only that in common.
	taskset -c "$first" "$tickwise" check --json --method=switch >"$out" 2>"$err"
	is "$(json 'my $c = $o->{facts}{cpus}; join " ", $c->{judged}, $c->{allowed},
		$o->{step_ticks} // "null", grep { !/^(affinity|not_allowed|cpuset|offline)$/ }
		map { $_->{code} } @{$c->{not_judged}}')" "$first $first null" \
		'one CPU alone: it is judged, the others not allowed; no step'
else
	skip 'no taskset'
fi

# Where a process may not read the counter, it is not read. Sanitizers want to be loaded first.
preload=${TW_BUILD:-$root/build}/tests/preload/forbid_counter.so
export ASAN_OPTIONS=verify_asan_link_order=0
if [ "$(uname -m)" = x86_64 ] && LD_PRELOAD=$preload "$tickwise" --version >"$out" 2>&1; then
	for command in check calibrate; do
		LD_PRELOAD=$preload "$tickwise" $command >"$out" 2>"$err"
		is "$? $(wc -c <"$out") $(wc -l <"$err") $(grep -c PR_SET_TSC "$err")" \
			'70 0 1 1' "$command without the counter: one line, which says why"
	done
else
	skip 'only x86-64 can forbid a process its counter'
fi

# A signal ends a check that would last ten minutes, and what was read by then is judged.
: >"$out"
perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' "$tickwise" check --json --least-time=600000 \
	>"$out" 2>"$err" &
pid=$!
polls=0
# It has threads when it measures, and has ended if there is none. Before, the shell that becomes
# the program may take the signal.
until [ "$(ls "/proc/$pid/task" 2>/dev/null | wc -l)" -ne 1 ] || [ $polls -ge 3000 ]; do
	sleep 0.1
	polls=$((polls + 1))
done
kill -s INT "$pid" 2>/dev/null
wait "$pid"
status=$?
[ "$status" -le 2 ]
ok $? "SIGINT: exit code $status"
is "$(json '$o->{schema}')" tickwise-check 'and the object is printed'
done_testing
