#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: core/counter
#
# tickwise check on this machine: either method, one CPU of several, a watch that a
# signal ends with a summary and the worst verdict. Fails if a signal kills a watch, if
# its JSON is not one object a line, or if a counter that is forbidden is read.
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

# ---- watches ----

# await COMMAND...: waits until it succeeds, for five minutes at most
await() {
	polls=0
	until "$@" || [ $polls -ge 3000 ]; do
		sleep 0.1
		polls=$((polls + 1))
	done
}

has_checks() { [ "$(grep -cE '^[0-9:]{8}  |"check":' "$out")" -ge "$1" ]; }
# SIGTERM is bit 14.
catches_term() { grep -qE '^SigCgt:.*[4567cdef]...$' "/proc/$pid/status"; }

# watch SIGNAL CHECKS ARGUMENT...: runs a watch, and ends it after CHECKS checks or,
# with 0, in the first; sets $status, $out and $err
watch() {
	signal=$1 checks=$2
	shift 2
	: >"$out"
	# A shell without job control has its children ignore SIGINT.
	perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' "$tickwise" check "$@" \
		>"$out" 2>"$err" &
	pid=$!
	if [ "$checks" = 0 ]; then await catches_term; else await has_checks "$checks"; fi
	kill -s "$signal" "$pid"
	wait "$pid"
	status=$?
}

watch INT 2 --watch=1 --json
[ "$status" -le 2 ]
ok $? "SIGINT, JSON: exit code $status"
is "$(perl -MJSON::PP -ne 'my $o = decode_json($_);
	$n++ if $o->{schema} eq "tickwise-check" && $o->{check} == $. &&
		ref $o->{changes} eq "ARRAY";
	$s++ if $o->{schema} eq "tickwise-check-summary" && $o->{checks} == $. - 1;
	END { print $n + 1, " $s" }' "$out" 2>&1)" "$(wc -l <"$out") 1" \
	'one object a line, and one that sums up'

# Without the signal it goes on.
: >"$out"
"$tickwise" check --watch=1 --json >"$out" 2>"$err" &
pid=$!
await has_checks 1
kill -s INT "$pid"
await has_checks $(($(grep -c '"check":' "$out") + 1))
kill -s TERM "$pid"
ok $? 'SIGINT that is ignored does not end it'
wait "$pid"

# A full pipe without a reader.
perl -e 'use Fcntl; use POSIX ();
	pipe(my $r, my $w) or exit 2;
	fcntl($w, 1031, 4096) or exit 2;	# F_SETPIPE_SZ
	my $pid = fork;
	if (!$pid) {
		POSIX::dup2(fileno($w), 1);
		exec @ARGV;
		exit 3;
	}
	syswrite $w, "x" x 4096;
	sleep 1;
	kill "TERM", $pid;
	for (1 .. 600) {
		exit $? >> 8 if waitpid($pid, POSIX::WNOHANG()) == $pid;
		select undef, undef, undef, 0.1;
	}
	kill "KILL", $pid;
	exit 1' "$tickwise" check --watch=1 --json 2>"$err"
is "$? $(cat "$err")" "74 tickwise check: can't write the output: its reader has stopped \
reading" 'SIGTERM ends a watch whose reader has stopped reading'

watch TERM 0 --watch --least-time=600000
is "$status $(cat "$err")" '70 tickwise check: ended before the first check was done' \
	'a signal ends a first check that would last ten minutes'
done_testing
