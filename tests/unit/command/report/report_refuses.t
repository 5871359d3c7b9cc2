#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: core/base core/report core/command/analysis
#
# What is no report is refused in one line with the file's name, its fault and the
# right exit code, and then no other file is shown either. Fails if a damaged report,
# or one whose counts contradict each other, is shown, or if it crashes the program.
# report_schema.t tries each key without a value, and with one of another type.
. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/../../../report_files.sh"

cd "$scratch" || exit 1
case $tickwise in /*) ;; *) tickwise=$OLDPWD/$tickwise ;; esac
write_full full.json

# ---- values: PERL => MESSAGE; see report_change.pl ----
cat >cases <<'CASES'
$r = [] => not a report of the Tickwise engine (no "schema": "tickwise-report")
$r->{schema} = "fio" => not a report of the Tickwise engine (no "schema": "tickwise-report")
$r->{version} = 0 => version 0 of the report; this program reads version 1 only
$r->{version} = 2 => version 2 of the report; this program reads version 1 only
$r->{jobs} = [] => jobs is empty
$r->{jobs} = [$j, $j] => jobs is not in the order of start, host, run, pid and thread_number
$j->{name} = {} => jobs[].name is not a string
$j->{start} = "18446744073709551615"; $j->{run_ns} = 1 => jobs[] ends after all time
$j->{start} = "18446744073709551615"; $j->{first_ns} = 1 => jobs[] ends after all time
$j->{kernel}{state} = "of" => jobs[].kernel.state is neither on nor off
$j->{causes} = { state => "off" } => jobs[].causes.why is missing
$j->{causes} = { state => "on", cost => { cpus => [] } } => jobs[].causes.cost.over_ns is missing
$j->{causes} = { state => "on", cost => { over_ns => 1, cpus => [7] } }
	=> jobs[].causes.cost.cpus[] is not an object
$r->{options}{rw} = 3 => options.rw is not a string
$r->{files}[0] = 7 => files[] is not an object
$r->{machines} = 5 => machines is not an array
$r->{devices}[0]{lat}{read}{bins} = {} => devices[].lat.read: the bins do not add up to count
$r->{devices}[0]{jobs} = 2 => devices[].jobs is not 1 to the number of jobs
delete $r->{devices}[0]{ios} => devices[].jobs is not 0, but ios is missing
$r->{devices}[1] = { %{$r->{devices}[0]}, ios => counts(0), lat => {}, device_time => {} }
	=> a device is twice in devices
$r->{clocks}{tickwise}{hz} = "1" => clocks.tickwise.hz is not a number
$r->{counter}{verdict} = "fine"
	=> counter.verdict is none of reliable, unreliable, undecided, unchecked
$r->{counter}{reasons}[1] = 3 => counter.reasons[] is not an object
$r->{counter}{reasons} = [map +{ code => "c$_", text => "x" }, 1 .. 65]
	=> counter.reasons has more than 64 reasons
$r->{ios}{read} = -1 => ios.read is not a whole number of 0 or more
$r->{ios}{read} = 99 => stages.queue.read counts more than ios.read
$r->{ios}{sync} = "x" => ios.sync is not a whole number of 0 or more
$r->{zero_byte}{read} = 101 => zero_byte.read counts more than ios.read
delete $r->{stages}{lat} => stages.lat is missing
$r->{stages}{queue}{write} = delete $r->{stages}{queue}{read}; $r->{ios}{write} = 99
	=> stages.queue.write counts more than ios.write
$r->{stages}{queue} = reads(11, 89, 160, 10, 50, 1)
	=> the parts of stages.lat.read add up to more than it
$r->{stages}{lat} = { read => histogram(2, 100, 89, 900, 10, 1000, 1) }
	=> stages.lat.read has other digits than the histograms before it
$r->{stages}{queue}{read}{bins}{10} = 90 => stages.queue.read: the bins do not add up to count
$r->{stages}{queue}{read}{bins}{10} = 0 => stages.queue.read: a bin is empty
$r->{stages}{queue}{read}{weight} = 9 => stages.queue.read: weight is not a whole number above count
for (values %{$r->{kernel_stages}{not_split}}) { $_ = counts(0) } $r->{kernel_stages}{split} = counts(0); $r->{kernel_stages}{not_split}{not_chosen} = counts(99)
	=> stages.submit.read counts more than the I/Os that were chosen
$r->{stages}{queue}{read}{min_ns} = 11 => stages.queue.read: min_ns is not in the first bin
$r->{submitting_call}{sync} = reads(9, 1)->{read}
	=> submitting_call.sync counts more than ios.sync
$r->{response}{backlog}{sync} = reads(9, 1)->{read}; $r->{ios}{sync} = 1
	=> response.backlog is not for sync
$r->{response}{backlog}{read} = 3 => response.backlog.read: not an object
$r->{response}{backlog_at_end_ns}{read} = -1
	=> response.backlog_at_end_ns.read is not a whole number of 0 or more
$r->{fio_times}{residual} = reads(1, 101) => fio_times.residual.read counts more than ios.read
$r->{kernel_stages}{not_split}{no_stamps}{read} = 7
	=> kernel_stages.not_split.waited.read and the parts before it count more than ios.read
$r->{kernel_stages}{not_split}{waited}{read} = "18446744073709551615"
	=> kernel_stages.not_split.waited.read counts more than ios.read
$r->{kernel_stages}{missed_runs} = -1
	=> kernel_stages.missed_runs is not a whole number of 0 or more
$r->{lacks} = ["ios"] => lacks names ios, which is there
$r->{lacks} = [7] => lacks[] is not a string
$s->[1] = 3 => slowest[] is not an object
$s->[0]{job} = 1 => slowest[].job is not the index of a job
$r->{stages_by_lat}{read}[0]{from_ns} = -1
	=> stages_by_lat.DIRECTION[].from_ns is not a whole number of 0 or more
$r->{stages_by_lat}{read}[1]{stages} = { queue => -1 }
	=> stages_by_lat.DIRECTION[].stages.queue is not a whole number of 0 or more
$r->{over_time}{width_ns} = 1500000 => over_time: width_ns is not 1 ms, doubled some times
$r->{over_time}{width_ns} = 3000000 => over_time: width_ns is not 1 ms, doubled some times
$r->{over_time}{width_ns} = 0 => over_time: width_ns is not 1 ms, doubled some times
$r->{over_time}{width_ns} = "18446744073709000000"
	=> over_time: width_ns is not 1 ms, doubled some times
$r->{over_time}{windows}[0]{start} = 1700000000000000000
	=> over_time: start is not a text of digits
$r->{over_time}{windows}[0]{start} = "1700000000000000001"
	=> over_time: start is not where a window begins
$r->{over_time}{windows}[0]{start} = "9223372036855000000"
	=> over_time: start is not where a window begins
$r->{over_time} = windows(1, 1, 1); $r->{over_time}{windows}[1] = $r->{over_time}{windows}[0]
	=> over_time: the windows are not in ascending order
$r->{over_time} = windows(1, 0, 1, 128, 1)
	=> over_time: the windows are more than 128 widths apart
$r->{over_time}{windows}[0]{read}{digits} = 2
	=> over_time: digits is not what all histograms here have
delete @{$r->{over_time}{windows}[0]}{qw(read errors)}
	=> over_time: a window has no I/O and no error
$r->{triggers}[0] = 3 => triggers[] is not an object
$r->{triggers}[0]{state} = "of" => triggers[].state is neither on nor off
@{$r->{triggers}[0]}{qw(state why)} = ("off") => triggers[].why is not a string
$r->{triggers}[0]{events}[0]{cpu} = "x"
	=> triggers[].events[].cpu is not a whole number of 0 or more
$r->{in_flight_of_others}[0]{job} = 1 => in_flight_of_others[].job is not the index of a job
$r->{in_flight_of_others}[0]{who} = "x" => in_flight_of_others[].who is not an object
$r->{in_flight_of_others}[0]{device_ns} = -1 => in_flight_of_others[].device_ns is not a whole number of 0 or more
$r->{attached}{others}{recv} = [] => attached.others.recv is not a whole number of 0 or more
$r->{attached}{operations}[0]{linked} = -9
	=> attached.operations[].linked is not a whole number of 0 or more
$r->{attached}{operations}[0]{stages}{lat}{min_ns} = 101
	=> attached.operations[].stages.lat: min_ns is not in the first bin
$r->{attached}{rings}[0]{fd} = "9" => attached.rings[].fd is not a number
$r->{jobs}[1] = { %$j, start => "1800000000000000000" } => attached is of several jobs
CASES
perl -0pe 's/\n\t=>/ =>/g' cases >lines
sed 's/\(.*\) => .*/\1/; s/^/full\n\t/' lines | changes
sed 's/.* => //' lines >messages
exec 3<messages
while read -r number arguments && read -r text && read -r message <&3; do
	changed "$number" "$arguments"
	is "$status $(sed 's/ reads version 1 only: .*/ reads version 1 only/' "$err")" \
		"65 tickwise report: x.json: $message" "$text"
done <changes/list

# ---- files: between two good ones ----
write_report good.json
write_report other.json thread=2

# refuses CODE TEXT DESCRIPTION: passes if the file bad is refused
refuses()
{
	run report good.json bad other.json
	is "$status $(wc -l <"$err") $(wc -c <"$out") \
$(grep -cF "tickwise report: bad: $2" "$err")" \
		"$1 1 0 1" "$3: $2"
}

refuses 66 'No such file' 'a missing file'
mkdir bad
refuses 66 'Is a directory' 'a directory'
rmdir bad
printf 'latency: 3 us\n' >bad
refuses 65 'not JSON: line 1, column' 'a text'
head -c 4096 /dev/urandom >bad
refuses 65 '' 'random bytes'
printf '{"schema": "tickwise-report"\n,,}' >bad
refuses 65 'not JSON: line 2, column' 'a wrong comma'
printf '%s\n\n{"schema"\n,,}' "$(tr -d '\n' <good.json)" >bad
refuses 65 'report 2: not JSON: line 4, column' 'a wrong comma in the second report'
{ cat good.json; echo '{}'; } >bad
refuses 65 'report 2: not a report' 'something behind the report'
awk 'BEGIN { for (i = 0; i < 1000000; i++) printf "[" }' >bad
refuses 65 'not JSON: line 1, column' 'a million brackets'
for edit in 's/"error_ns": 1.5/"error_ns": NaN/ invalid token' \
	's/"error_ns": 1.5/"error_ns": 1e999/ real number overflow' \
	's/"read": 100,/"read": 99999999999999999999,/ too big' \
	's/"read": 100,/&&/ duplicate object key'; do
	sed "${edit%% [a-z]*}" good.json >bad
	cmp -s good.json bad && ok 1 "$edit changes something"
	run report good.json bad
	is "$status $(grep -c "bad: not JSON: .*${edit##*/ }" "$err")" '65 1' "$edit"
done

# ---- lists as long as they may be ----
# takes PERL EXPRESSION WANTED DESCRIPTION: passes if the expression of the output is so
takes()
{
	printf 'full\n\tdelete $r->{attached}; delete $r->{devices}; %s\n' "$1" | changes
	changed 1 --json @ $([ -z "${5-}" ] || echo @2)
	is "$status $(of_json "$2")" "0 $3" "$4"
	cp "$out" merged.json
	run report --json merged.json
	cmp -s "$out" merged.json
	ok $? 'and can be read again'
}

takes '$r->{slowest} = [($s->[1]) x 100]' 'scalar @{$r->{slowest}}' 100 'as many slow I/Os as I/Os'
takes '$r->{counter}{reasons} = [map +{ code => "c$_", text => "x" }, 101 .. 164]' \
	'@{$r->{counter}{reasons}} . " $r->{counter}{reasons}[63]{code}"' '64 c164' 'reasons' 2
done_testing
