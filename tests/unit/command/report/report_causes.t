#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A report with causes shows below each of its slowest I/Os what happened in its
# longest stage. It begins with a sentence that has the stages of the I/Os beyond a
# high percentile and what kept the job from running. It groups I/Os that one stall
# has hit, of several jobs, too. Without causes the sentence has the stages alone,
# and stalls are in the longest stage. Fails if a share, a count, a name or a member
# of a stall is wrong. Fails also if contradictions, and bytes that control a
# terminal, are accepted.
. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/../../../well_formed.sh"
. "$(dirname "$0")/../../../report_files.sh"

# slow OFFSET BEGIN_NS COMPLETE_NS [CAUSES]: prints an I/O with 100 us elsewhere
slow() {
	causes=
	[ -z "${4-}" ] || causes=", \"causes\": {$4}"
	cat <<-END
	{"job": 0, "offset": $1, "size": 4096, "ddir": "read", "monotonic_ns": "$2",
	"stages": {"queue": 0, "submit": 10000, "blockq": 10000, "device": 60000,
	"complete": $3, "reap": 10000, "deliver": 10000, "lat": $(($3 + 100000))}
	$causes}
	END
}

# waited FROM_NS NS WAITED_NS RAN_NS KIND ID NAME: prints causes of complete
waited() {
	cat <<-END
	"stage": "complete", "stall": {"from_ns": "$1", "ns": $2}, "ran_ns": $4,
	"waited_ns": $3, "interrupts_ns": 0, "woken_late_ns": 0, "asleep_ns": 0,
	"unexplained_ns": 0, "since_interrupt_ns": 0, "stolen_at_most_ns": 0,
	"lost": false, "had_cpu": [{"kind": "$5", "id": $6, "name": "$7",
	"ns": $3}]
	END
}

# with_slowest FILE SLOWEST [variable=value]...: writes a report of 100 I/Os that has them
with_slowest() {
	file=$1
	list=$2
	shift 2
	write_report "$file" split=all slow=5100000 queue=0 deliver=10000 \
		kernel='"causes": {"state": "on"},' "$@"
	sed '/^"slowest"/d' "$file" >"$file.head"
	{ cat "$file.head"; echo "\"slowest\": [$list]}"; } >"$file"
}

# Two I/Os of one stall, one of another, and one in which the job ran.
one=$scratch/one.json
with_slowest "$one" "
$(slow 8192 1000000 5000000 "$(waited 1080000 5000000 4900000 100000 kernel 9 kworker/1:2)"),
$(slow 4096 1100000 4900000 "$(waited 1180000 4900000 4900000 0 kernel 9 kworker/1:2)"),
$(slow 0 90000000 4000000 "$(waited 90080000 4000000 4000000 0 process 7 loop)"),
$(slow 0 190000000 3000000 '"stage": "complete", "stall": {"from_ns": 190080000,
	"ns": 3000000}, "ran_ns": 3000000')"

# sentence: prints the first sentence of the page
sentence() {
	sed -n '/^read: p99/,/^$/p' "$out" | tr -s ' \n' ' '
}

# stalls: prints those of the page
stalls() {
	sed -n '/^  1 stall/,/^$/p' "$out" | tr -s ' \n' ' '
}

begins='read: p99 is 900 ns. The time of the 4 I/Os beyond: complete 98 %. The thread of the job: ready but not running in 2 of 3 stalls, kworker/1:2 had its CPU in 1 of them'

run report "$one"
is "$status" 0 'a report with causes'
is "$(sentence)" "$begins " \
	'begins with what is beyond p99'
is "$(stalls)" ' 1 stall of 5.000 ms hit 2 I/Os in complete: from 1080000 ns of CLOCK_MONOTONIC on, offsets 4096 to 12288, job 1 ' \
	'two of its I/Os have one stall'
is "$(grep -A1 '^  *complete: the job' "$out" | head -n 2 | tr -s ' \n' ' ')" \
	' complete: the job was ready to run but not running for 4.900 ms: kworker/1:2 had its CPU for 4.900 ms ' \
	'each I/O has its cause'
has "$out" 'complete: the job was running for 3.000 ms' 'if the job itself ran, too'
is "$(awk 'length > 80' "$out")" '' 'nothing wider than 80 columns'

run report --json "$one"
is "$(of_json 'join "; ", map { "$_->{stage} $_->{from_ns} $_->{ns} $_->{ios} " .
	"$_->{offset_from} $_->{offset_to} @{$_->{jobs}}" }
	@{$r->{answers}{stalls}}')" \
	'complete 1080000 5000000 2 4096 12288 0; '\
'complete 90080000 4000000 1 0 4096 0; complete 190080000 3000000 1 0 4096 0' \
	'--json: all stalls'
is "$(of_json 'my $why = $r->{answers}{why}{read};
	"$why->{percent} $why->{lat_ns} $why->{ios} $why->{beyond} " .
	sprintf("%.3f", $why->{shares}{complete})')" \
	'99 900 4 1 0.977' 'and the sentence in numbers'

run report --html="$scratch/page" "$one"
well_formed "$scratch/page" 'the HTML'
has "$scratch/page" "<p>$begins</p>" 'begins with it, too'
has "$scratch/page" '<p>1 stall of 5.000 ms hit 2 I/Os in complete' 'has the stalls'
has "$scratch/page" 'not running for 4.900 ms: kworker/1:2 had its CPU for' \
	'and the causes'

# ---- several jobs ----

two=$scratch/two.json
with_slowest "$two" "
$(slow 40960 1200000 5000000 "$(waited 1280000 4800000 4800000 0 process 7 loop)"),
$(slow 0 90000000 4500000 "$(waited 190080000 4000000 4000000 0 process 7 loop)"),
$(slow 0 390000000 4500000), $(slow 0 391000000 4400000)" thread=2 pid=101
run report "$one" "$two"
is "$(stalls | sed 's/ 1 stall/\n&/g' | sed -n '/5.000 ms/p')" \
	' 1 stall of 5.000 ms hit 3 I/Os in complete: from 1080000 ns of CLOCK_MONOTONIC on, offsets 4096 to 45056, jobs 1, 2 ' \
	'a stall of two jobs'
run report "$two"
is "$(stalls | grep -c '4.500 ms hit 2 I/Os in complete: from 390080000 ns')" 1 \
	'stalls without causes: the longest stage'
sed 's/"host": "box"/"host": "other"/' "$two" >"$scratch/other.json"
run report --merge-hosts "$one" "$scratch/other.json"
has "$out" '1 stall of 5.000 ms hit 2 I/Os' 'clocks of two hosts are not one'

# ---- without ----

plain=$scratch/plain.json
with_slowest "$plain" "$(slow 0 1000 5000000)" \
	kernel='"causes": {"state": "off", "why": "no privilege"},'
run report "$plain"
is "$(sentence)" 'read: p99 is 900 ns. The time of the 1 I/O beyond: complete 98 % ' \
	'without causes: the stages alone'
has "$out" '  causes: not known: no privilege' 'and why there are no causes'
with_slowest "$plain" "$(slow 0 1000 5000000)" \
	kernel=' '
run report "$plain"
has_not "$out" 'causes:' 'nothing where none were asked for'

# ---- what is wrong ----

with_slowest "$plain" "$(slow 0 1000 5000000 "$(waited 1 5 5000000 1 process 7 x)")"
run report "$plain"
is "$status" 65 'more than the stage'
has "$err" 'add up to more than their stage' 'is refused'
with_slowest "$plain" "$(slow 0 1000 5000000 '"stage": "complete"')"
run report "$plain"
is "$status" 65 'no stall'
with_slowest "$plain" "$(slow 0 1000 5000000 '"stage": "new", "stall":
	{"from_ns": 1, "ns": 2}')"
run report "$plain"
is "$status" 0 'a stage that is not known'
has "$out" 'left out: slowest[].causes.new' 'is named'
with_slowest "$plain" "$(slow 0 1000 5000000 "$(waited 1080000 5000000 4900000 \
	100000 process 7 '\u001b[31m<b>')")"
run report --html="$scratch/page" "$plain"
is "$(grep -c "$(printf '\033')" "$out")" 0 'a name does not reach the terminal raw'
well_formed "$scratch/page" 'nor the HTML'
done_testing
