#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tickwise check: either method, a watch that a signal ends with a summary and the
# worst verdict, progress on stderr only, a page of 80 columns that names the CPUs.
# Fails if a signal kills a watch, if its JSON is not one object a line, or if
# progress gets into the output. Fails also if a stderr that is no terminal gets
# progress unasked, if a line of the page is too long, or if advice ignores the
# reason.

. "$(dirname "$0")/../../../tap.sh"

# refuses TEXT ARGUMENT...: passes if the command is refused with this text
refuses() {
	text=$1
	shift
	run check "$@"
	is "$status $(wc -l <"$err") $(wc -c <"$out")" '64 1 0' \
		"check $*: exit code 64, one line, no output"
	has "$err" "$text" "$text"
}

refuses "--method takes cas or switch, not 'both'" --method=both
refuses '--watch takes seconds, 1 to 86400' --watch=0
refuses '--least-time takes milliseconds' --least-time=x
refuses '--time-limit takes milliseconds' --time-limit=3600001
refuses '--tolerance takes nanoseconds' --tolerance=-1

# The verdict depends on this machine and on what else runs:
# machine/estimate_verdict is about that.
for method in cas switch; do
	run check --json --method=$method
	[ "$status" -le 2 ]
	ok $? "--method=$method: exit code $status"
	has "$out" "\"method\": \"$method\"" 'the object names it'
	has "$out" '"contradictions": [' 'and contradictions, if any'
	[ ! -s "$err" ]
	ok $? 'nothing on stderr'
done

# fits WHAT: passes if no line is too long, and none ends in a blank
fits() {
	is "$(grep -cE '^.{81}| $' "$out")" 0 "$1: 80 columns, no stray blanks"
}

run check --method=switch
has "$out" 'Method      switch' 'the page names the method'
fits 'the page'
run check --help
has "$out" '--least-time: 530;' 'the default limit is named'
fits '--help'
run check --json
is "$(perl -MJSON::PP -0777 -ne 'my $o = decode_json($_); print join " ",
	@{$o->{limits}}{qw(tolerance_ns pace_limit_ppb least_switches_per_cpu
	least_time_ns time_limit_ns)}' "$out")" \
	'500 1000 100 30000000 530000000' 'the limits in the object'
run check --json --tolerance=7 --least-time=10 --time-limit=20
is "$(perl -MJSON::PP -0777 -ne 'my $o = decode_json($_); print join " ",
	@{$o->{limits}}{qw(tolerance_ns least_time_ns time_limit_ns)}' "$out")" \
	'7 10000000 20000000' 'as they were given'

# The place where a sentence is folded depends on its numbers.
flat=$scratch/flat
flatten() {
	tr -s ' \n' ' ' <"$out" >"$flat"
}

# In most cases there is no time for a single turn; and the tolerance is out of reach.
for try in 1 2 3 4 5 6 7 8 9 10; do
	run check --time-limit=1
	flatten
	! grep -q 'too few switches' "$flat" || break
done
if [ "$status" -eq 2 ] && grep -q 'too few switches' "$flat"; then
	has "$flat" '(now 1 ms)' 'too few switches: give it more time'
	has_not "$flat" 'or accept' 'and no word of the tolerance'
	fits 'an undecided page'
else
	tap_count=$((tap_count + 1))
	echo "ok $tap_count # SKIP a millisecond was enough"
fi
for limit in 500 2000 8000 32000; do
	run check --tolerance=1 --time-limit=$limit
	flatten
	grep -q 'too few switches' "$flat" || break
done
if [ "$status" -eq 2 ] && ! grep -q 'too few switches' "$flat"; then
	has "$flat" 'or accept --tolerance=' 'too wide: a tolerance'
	has_not "$flat" 'switches between CPUs were seen, on' 'not more turns'
	fits 'an undecided page'
else
	tap_count=$((tap_count + 1))
	echo "ok $tap_count # SKIP exit code $status: other reasons"
fi

# Use the first allowed CPU, alone; the others are named.
first=$(sed -n 's/^Cpus_allowed_list:[[:blank:]]*\([0-9]*\).*/\1/p' \
	/proc/self/status)
if taskset -c "$first" true 2>/dev/null; then
	taskset -c "$first" "$tickwise" check >"$out" 2>"$err"
	status=$?
	is "$(sed -n 's/^CPUs  *judged: //p' "$out")" "$first" 'which was judged'
	has "$out" ' on 1 CPU' 'one CPU'
	has_not "$out" '1 CPUs' 'in the singular'
	fits 'a page of one CPU'
	# One CPU takes one turn: all differences have only that in common.
	taskset -c "$first" "$tickwise" check --json --method=switch >"$out"
	has "$out" '"step_ticks": null' 'one CPU alone can not tell the step'
	taskset -c "$first" "$tickwise" check --json >"$out" 2>"$err"
	is "$(perl -MJSON::PP -0777 -ne 'my $c = decode_json($_)->{facts}{cpus};
		print "$c->{judged} $c->{allowed}";
		$_->{code} =~ /^(affinity|not_allowed|cpuset|offline)$/ or
			print " $_->{code}" for @{$c->{not_judged}}' "$out")" \
		"$first $first" 'and in the object; the others not allowed'
else
	tap_count=$((tap_count + 1))
	echo "ok $tap_count # SKIP no taskset"
fi

# Without a place for the output nothing is good.
"$tickwise" check >&- 2>"$err"
is "$? $(wc -l <"$err")" '74 1' 'a closed stdout: exit code 74, one line'

# until_lines COUNT PATTERN: waits for them in $out, for five minutes at most
until_lines() {
	polls=0
	while [ "$(grep -cE -e "$2" "$out")" -lt "$1" ] && [ $polls -lt 3000 ]; do
		sleep 0.1
		polls=$((polls + 1))
	done
}

# until_ready: waits until a check runs, with SIGTERM (bit 14) blocked until its end
until_ready() {
	polls=0
	until grep -qE '^SigBlk:.*[4567cdef]...$' "/proc/$pid/status" ||
	      [ $polls -ge 3000 ]; do
		sleep 0.1
		polls=$((polls + 1))
	done
}

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
	if [ "$checks" = 0 ]; then
		until_ready
	else
		until_lines "$checks" '^[0-9:]{8}  |"check":'
	fi
	kill -s "$signal" "$pid"
	wait "$pid"
	status=$?
}

watch TERM 2 --watch
[ "$status" -le 2 ]
ok $? "SIGTERM ends a watch: exit code $status"
grep -qE '^[0-9]+ checks in [0-9]+ s: [0-9]+ reliable, [0-9]+ unreliable' "$out"
ok $? 'with a summary'
[ "$(grep -cE '^[0-9:]{8}  (reliable|unreliable|undecided) ' "$out")" -ge 2 ]
ok $? 'after a line for each check'
[ ! -s "$err" ]
ok $? 'nothing on stderr'
fits 'a watch'
# Bounds like those of a busy machine are long numbers.
watch TERM 2 --watch --method=switch --time-limit=60
fits 'a watch by switching'

watch INT 1 --watch=60
has "$out" '1 check: ' 'a single check is summed up in the singular'

watch INT 2 --watch=1 --json
[ "$status" -le 2 ]
ok $? "SIGINT, JSON: exit code $status"
lines=$(wc -l <"$out")
is "$(perl -MJSON::PP -ne 'my $o = decode_json($_);
	$n++ if $o->{schema} eq "tickwise-check" && $o->{check} == $. &&
		ref $o->{changes} eq "ARRAY";
	$s++ if $o->{schema} eq "tickwise-check-summary" &&
		$o->{checks} == $. - 1;
	END { print $n + 1, " $s" }' "$out" 2>&1)" "$lines 1" \
	'one object a line, and one that sums up'

# Without the signal it goes on.
: >"$out"
"$tickwise" check --watch=1 --json >"$out" 2>"$err" &
pid=$!
until_lines 1 '"check":'
kill -s INT "$pid"
until_lines $(($(grep -c '"check":' "$out") + 1)) '"check":'
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
		exit 0 if waitpid($pid, POSIX::WNOHANG()) == $pid;
		select undef, undef, undef, 0.1;
	}
	kill "KILL", $pid;
	exit 1' "$tickwise" check --watch=1 --json 2>"$err"
ok $? 'SIGTERM ends a watch whose reader has stopped reading'

watch TERM 0 --watch --least-time=600000
is "$status" 70 'a signal ends a first check that would last ten minutes'
has "$err" 'ended before the first check was done' 'and it is reported'

run check --json --least-time=2500 --time-limit=2500
[ ! -s "$err" ]
ok $? 'no progress unless asked for'
# On a busy machine seconds may pass between two readings of the time.
for limit in 2500 10500 40500; do
	run check --json --least-time=$limit --time-limit=$limit --progress
	[ "$(wc -l <"$err")" -lt 2 ] || break
done
! grep -qvE '^tickwise check: +[0-9]+ %, [0-9]+ s left, [0-9]+ CPUs?, [0-9]+ readings$' "$err"
ok $? '--progress: how far it is'
sed 's/.*check: *\([0-9]*\) %.*/\1/' "$err" >"$scratch/percent"
[ "$(wc -l <"$scratch/percent")" -ge 2 ] && sort -nuc "$scratch/percent"
ok $? 'a line each second at most'
has_not "$out" 's left' 'none of it in the output'
done_testing
