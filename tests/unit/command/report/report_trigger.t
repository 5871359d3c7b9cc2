#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: the events that tw_trigger has kept of a slow I/O are on the page in a
# few lines. They are whole in the HTML, the JSON and the trace, each event at its
# time. Jobs are added up; a job without events has the reason. Reports that
# contradict themselves are refused. Defect: an event at another time or on another
# CPU, a page that is full of events, text of a report that is taken for markup or
# moves the cursor.
. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/../../../well_formed.sh"
. "$(dirname "$0")/../../../report_files.sh"

# event US CPU TASK PID EVENT ARGS [OWN]: prints an event; @US is since the
# beginning of the I/O
event() {
	echo "{\"monotonic_ns\": \"$((9007199254000 + $1))000\", \"cpu\": $2,
	\"task\": \"$3\", \"pid\": $4, \"event\": \"$5\", \"args\": \"$6\"${7:+,
	\"own\": true}}"
}

# trigger_of SLOWER EVENT-COUNT EVENTS [MORE]: prints it; the I/O began 740 ns after
# a microsecond
trigger_of() {
	cat <<-END
	"triggers": [{"job": 0, "state": "on", "above_ns": 5000000, "slower": $1, "io": {"offset":
	8192, "size": 4096, "ddir": "read", "ticks": "7", "monotonic_ns":
	"9007199254000740", "lat_ns": 8100000}, "event_count": $2, ${4-}
	"events": [$3]}],
	END
}

# report_of FILE TRIGGER [variable=value]...: writes a report
report_of() {
	file=$1 trigger=$2
	shift 2
	write_report "$file" kernel_stages="$trigger" "$@"
}

some="$(event -3 0 sh 22 sched_switch 'prev_comm=sh prev_pid=22 prev_prio=120 prev_state=R+ ==> next_comm=a fio next_pid=9 next_prio=120' own),
$(event 1 0 'a fio' 9 io_uring_submit_req 'ring 0000000012345678, req 00000000deadbeef, user_data 0x100000003, opcode READ' own),
$(event 2 13 kworker/0:1 44 workqueue_execute_start 'work struct 0000: function flush')"
report_of "$scratch/1" "$(trigger_of 3 3 "$some")"
run report --html="$scratch/page" --trace="$scratch/trace" "$scratch/1"
is "$status" 0 'a report with it is read'
sed -n '/^  trigger:/,/^$/p' "$out" | sed '/^$/d' >"$scratch/shown"
is "$(sed '/ us CPU/,$d' "$scratch/shown" | tr -s ' \n' ' ')" \
	" trigger: 3 I/Os above 5.000 ms; the first was a read of 4096 bytes at 8192, \
8.100 ms, which began at 9007199254000740 ns of CLOCK_MONOTONIC; the kernel recorded 3 \
events around it (more with --json, --html, --trace) " 'what fired'
is "$(sed -n '/ us CPU/,$p' "$scratch/shown")" \
'       us CPU  task               event (those of the I/O and its thread)
       -3   0  sh-22              sched_switch R+, then a fio-9
        1   0  a fio-9            io_uring_submit_req user_data 0x100000003, op' \
	'and what happened to the I/O and its thread'
well_formed "$scratch/page" 'the HTML'
is "$(grep -c '<td class="text"><b>' "$scratch/page")" 2 'its own are bold'
has "$scratch/page" '<tr><td>2</td><td>13</td><td class="text">kworker/0:1</td>'\
'<td>44</td><td class="text">workqueue_execute_start</td><td class="text">'\
'work struct 0000: function flush</td></tr>' 'the others are there, too'
has "$scratch/page" '<summary>3 events of the kernel around the I/O of job 1' 'folded'

# ask PERL: runs it; @e are the events of the trace
ask() {
	perl -MJSON::PP -e '
		local $/; open my $f, "<", $ARGV[0];
		our @e = @{JSON::PP->new->decode(<$f>)->{traceEvents}};
		eval $ARGV[1]; die $@ if $@' "$scratch/trace" "$1"
}
is "$(ask 'print join "|", map { $_->{args}{name} } grep { $_->{ph} eq "M" &&
	$_->{pid} == 2 } @e')" \
	"the kernel's events around a slow I/O of randread, job 1|CPU 0|CPU 13" \
	'a process of the trace, with a track a CPU'
is "$(ask 'print join "|", map { join " ", @{$_}{"name", "tid", "s"},
	$_->{args}{task}, $_->{args}{pid}, $_->{args}{own} ? 1 : 0 }
	grep { $_->{ph} eq "i" } @e')" \
	'sched_switch 1 t sh 22 1|io_uring_submit_req 1 t a fio 9 1|workqueue_execute_start 14 t kworker/0:1 44 0' \
	'each event on its own'
is "$(grep -o '"ts": [0-9.]*' "$scratch/trace" | tr '\n' ' ')" \
	'"ts": 9007199253997.000 "ts": 9007199254001.000 "ts": 9007199254002.000 ' \
	'at its time'

run report --json "$scratch/1"
is "$(of_json '"@{$r->{triggers}[0]}{qw(job above_ns slower)} " .
	"$r->{triggers}[0]{io}{lat_ns} " . @{$r->{triggers}[0]{events}}')" \
	'0 5000000 3 8100000 3' 'as JSON'

# ---- many events ----

many=
i=0
while [ $i -lt 57 ]; do
	many="$many${many:+,}$(event $i 1 t 5 "event_$i" 'x')"
	i=$((i + 1))
done
report_of "$scratch/2" "$(trigger_of 1 1234 "$many" \
	'"whole_from_ns": "9007199255000740",')"
run report --html="$scratch/page" "$scratch/2"
is "$(grep -oE 'event_[0-9]*' "$out" | tr -d 'event_\n')" \
	'012345678947484950515253545556' 'the first ten and the last ten'
has "$out" '      ... 37 more' 'and how many are between them'
is "$(tr -s ' \n' ' ' <"$out" | grep -o 'trigger: 1 I/O above.* task event ')" \
	"trigger: 1 I/O above 5.000 ms; the first was a read of 4096 bytes at 8192, \
8.100 ms, which began at 9007199254000740 ns of CLOCK_MONOTONIC; the kernel recorded \
1234 events around it, those of its first 1.000 ms on some CPU are lost (more with \
--json, --html, --trace) us CPU task event " 'what was overwritten is told'
is "$(grep -c 'event_[0-9]' "$scratch/page")" 57 'all are in the HTML'

report_of "$scratch/2" "$(trigger_of 1 1 "$(event 5 1 t 5 x y)" \
	'"whole_from_ns": "9007199262100740",')"
run report "$scratch/2"
has "$out" 'around it, those of some CPU are lost' 'none of a CPU is left'

# ---- jobs ----

report_of "$scratch/3" '"triggers": [{"job": 0, "state": "on", "above_ns": 5000000,
	"slower": 4}],' thread=2
report_of "$scratch/4" '"triggers": [{"job": 0, "state": "off", "why": "<b>\u001b[2Jno", "above_ns":
	5000000, "slower": 9}],' thread=3
report_of "$scratch/5" '"triggers": [{"job": 0, "state": "on", "above_ns": 5000000,
	"slower": 0}],' thread=4
report_of "$scratch/6" "$(trigger_of 2 3 "$some" | sed 's/8100000/9100000/')" thread=5
report_of "$scratch/7" '' thread=6
# says FILE...: prints the sentence on the page, without the part about the I/O
says() {
	run report --html="$scratch/page" "$@"
	tr -s ' \n' ' ' <"$out" | grep -o 'trigger: .* submitted by' |
		sed 's/ us CPU task.*//; s/ submitted by//; s/ was a read.*TONIC//'
}
is "$(says "$scratch/3")" 'trigger: 4 I/Os above 5.000 ms; the kernel'"'"'s events were stopped for another job then' \
	'the events were of another job'
report_of "$scratch/8" '"triggers": [{"job": 0, "state": "on", "above_ns": 5000000, "slower": 4,
	"stopped_for": 17}],' thread=2
is "$(says "$scratch/8")" 'trigger: 4 I/Os above 5.000 ms; the kernel'"'"'s events were stopped for job 17 then' \
	'which is named'
is "$(says "$scratch/5")" 'trigger: 0 I/Os above 5.000 ms' 'none was slower'
is "$(says "$scratch/4")" 'trigger: 9 I/Os above 5.000 ms; no events of the kernel: <b>?[2Jno' \
	'there are no events, and why'
has "$scratch/page" 'no events of the kernel: &#60;b&#62;?[2Jno</p>' 'as text in the HTML'
is "$(says "$scratch/7")" '' 'not asked for'
is "$(says "$scratch/"[134567])" 'trigger: 18 I/Os of 5 jobs above 5.000 ms; the first of job 5; the kernel recorded 3 events around it; 1 other job has events, too (more with --json, --html, --trace)' \
	'several jobs: the slowest of the first ones'
is "$(grep -c '<summary>3 events' "$scratch/page")" 2 'all of them are in the HTML'
run report --json "$scratch/"[134567]
is "$(of_json 'join " ", map { "$_->{job}:$_->{state}:$_->{slower}:" .
	@{$_->{events} // []} } @{$r->{triggers}}')" \
	'0:on:3:3 1:on:4:0 2:off:9:0 3:on:0:0 4:on:2:3' 'and in the JSON'
run report --json "$scratch/7"
has_not "$out" '"triggers"' 'nothing where no job has it'

# ---- text ----

long=$(printf '%0300d' 0)
report_of "$scratch/8" "$(trigger_of 1 2 "$(event 1 2 'x\u001b]0;<i>\u00e9' 5 \
	'ev\u0007ent<u>' "$long"),$(event 1 2 '\u20ac\u20ac\u20ac\u20ac\u20ac' 5 \
	'\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac' sched_switch)")"
run report --html="$scratch/page" --trace="$scratch/trace" "$scratch/8"
well_formed "$scratch/page" 'names of any kind: the HTML'
! LC_ALL=C grep -q "$(printf '[\033\007]')" "$out"
ok $? 'no control character on the page'
is "$(perl -CSD -ne 'chomp; print if length > 79' "$out")" '' 'no line is too wide'
perl -MEncode -e 'local $/; Encode::decode("UTF-8", <STDIN>, 1)' <"$out"
ok $? 'all of it is UTF-8'
has "$scratch/page" 'ev?ent&#60;u&#62;' 'no markup comes along'

# ---- refused ----

# wrong_in SED-SCRIPT TEXT: passes if the report @1, edited, is refused
wrong_in() {
	sed "$1" "$scratch/1" >"$scratch/wrong"
	run report "$scratch/wrong"
	is "$status $(grep -cF "wrong: $2" "$err")" '65 1' "$2"
}
wrong_in 's/"triggers": \[{/"triggers": [3, {/' 'triggers[].job is missing'
wrong_in 's/"state": "on"/"state": "of"/' 'triggers[].state is neither on nor off'
wrong_in 's/"state": "on"/"state": "off"/' 'triggers[].why is missing'
wrong_in 's/"slower": 3/"slower": -3/' 'triggers[].slower is not a whole'
wrong_in 's/"slower": 3/"slower": 101/' 'triggers[].slower counts more than ios'
wrong_in 's/"io": {/"io": [], "x": {/' 'triggers[].io is not an object'
wrong_in 's/"lat_ns": 8100000/"lat_ns": "18446744073709551615"/' \
	'triggers[].io ends after all time'
wrong_in 's/"events": \[/"events": 3, "x": [/' 'triggers[].events is not an array'
wrong_in 's/"cpu": 13/"cpu": "x"/' 'triggers[].events[].cpu is not a whole'
wrong_in 's/"task": "kworker[^"]*",/"task": 7,/' 'triggers[].events[].task is not a string'
wrong_in 's/"own": true/"own": 1/' 'triggers[].events[].own is not true or false'
wrong_in 's/"event_count": 3/"event_count": null/' 'triggers[].event_count is not a whole'
done_testing
