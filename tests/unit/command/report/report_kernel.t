#!/bin/sh
# SPDX-License-Identifier: MIT
#
# I/Os may be split inside the kernel: submit, blockq, device, complete and reap
# replace the stage kernel, of all I/Os or of some. Fails if one of them is left out
# anywhere, if they are out of order, or if a row of some I/Os is not marked so.
. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/../../../well_formed.sh"
. "$(dirname "$0")/../../../report_files.sh"

all=$scratch/all.json
most=$scratch/most.json
inside='submit blockq device complete reap'

# The slowest I/O is the one that was not split.
write_report "$all" split=all
write_report "$scratch/m.json" split=most thread=2
sed '/^"slowest"/d' "$scratch/m.json" >"$most"
cat >>"$most" <<END
"slowest": [{"job": 0, "offset": 8192, "size": 4096, "ddir": "read", "monotonic_ns": "7000",
"stages": {"queue": 50, "kernel": 750, "deliver": 200, "lat": 1000}},
{"job": 0, "offset": 4096, "size": 512, "ddir": "read", "monotonic_ns": "9000",
"stages": {"queue": 160, "submit": 30, "blockq": 60, "device": 400,
	"complete": 100, "reap": 50, "deliver": 100, "lat": 900}}]}
END

# rows: prints the first words of the table's rows
rows() {
	sed -n '/^stage  /,/^$/p' "$out" | grep -v '^  of which' |
		awk 'NR > 1 { print $1 }' | tr '\n' ' '
}

# ---- the page ----

run report "$all"
is "$status $(rows)" "0 queue $inside deliver lat  " 'rows of the five'
is "$(awk '$1 == "device" { print $2, $3, $9; exit }' "$out")" \
	'40ns 81.90ns 630ns' 'with their numbers'
has_not "$out" 'of 99' 'of all I/Os'
for stage in $inside; do
	grep -qE "^$stage +from .* (until|to) " "$out"
	ok $? "and what $stage is"
done
is "$(awk 'length > 80' "$out")" '' 'nothing wider than 80 columns'

run report "$most"
is "$(rows | sed 's/(of/(of)/g')" "queue $(for stage in $inside; do
	printf '%s (of) ' "$stage"; done)kernel (of) deliver lat  " 'rows of some I/Os'
is "$(sed -n '/^stage /,/^$/s/^ *(of/(of/p' "$out" | tr '\n' ' ')" \
	'(of 99) (of 99) (of 99) (of 99) (of 99) (of 1) ' 'say of how many'
is "$(sed -n '/^slowest/,/^$/p' "$out" | sed -n '3,$p' | tr -s ' \n' ' ')" \
"1.000 us 2 read 4096 8192 kernel 75 %, deliver 20 % \
900 ns 2 read 512 4096 device 44 %, queue 18 % " 'the slowest, with their longest stages'

# ---- missing stamps ----

# $joined has, for some I/Os, the slowest first, what is known of their stages.
joined=$scratch/joined.json
sed '/^"slowest"/,$d' "$most" >"$joined"
cat >>"$joined" <<END
"slowest": [{"job": 0, "offset": 0, "size": 512, "ddir": "read", "monotonic_ns": "1000",
"stages": {"queue": 50, "submit": 100, "kernel": 500, "complete": 100, "reap": 50,
	"deliver": 200, "lat": 1000}},
{"job": 0, "offset": 512, "size": 512, "ddir": "read", "monotonic_ns": "3000",
"stages": {"queue": 50, "submit": 100, "blockq": 25, "kernel": 525, "reap": 100,
	"deliver": 150, "lat": 950}},
{"job": 0, "offset": 1024, "size": 512, "ddir": "read", "monotonic_ns": "5000",
"stages": {"queue": 50, "submit": 50, "kernel": 700, "deliver": 100, "lat": 900}}]}
END
run report --trace="$scratch/trace" --html="$scratch/page" "$joined"
is "$(sed -n '/^slowest/,/^$/p' "$out" | sed -n '3,$s/.* 512  *[0-9]*  *//p')" \
"blockq+device 50 %, deliver 20 %
device+complete 55 %, deliver 16 %
blockq+device+complete+reap 78 %" \
	'a slow I/O without a stamp: the stages around it are named as one'
well_formed "$scratch/page" 'the HTML'
has "$scratch/page" '<td>50 ns</td><td>100 ns</td><td>-</td><td>100 ns</td>'\
'<td>50 ns</td><td>500 ns</td><td>200 ns</td>' 'which is the cell of kernel'

# slices: prints the names of the trace's stages; ! where one does not begin with
# the end of the one before it
slices() {
	perl -MJSON::PP -e 'local $/;
		my $end = 0;
		for (grep { ($_->{cat} // "") eq "stage" }
				@{decode_json(<STDIN>)->{traceEvents}}) {
			print $_->{name}, abs($_->{ts} - $end) < 1e-6 ? " " : "! ";
			$end = $_->{ts} + $_->{dur};
		}' <"$scratch/trace"
}
is "$(slices)" "queue! submit blockq+device complete reap deliver queue! submit blockq \
device+complete reap deliver queue! submit blockq+device+complete+reap deliver " \
	'and has its place in the trace'

# ---- merged ----

run report "$most" "$all"
is "$(sed -n '/^stage /,/^$/s/^ *(of/(of/p' "$out" | tr '\n' ' ')" \
	'(of 199) (of 199) (of 199) (of 199) (of 199) (of 1) ' 'jobs are merged'
run report --json "$most" "$all"
is "$(of_json 'join " ", map { "$_ $r->{stages}{$_}{read}{sum_ns}" } qw(submit blockq
	device complete reap kernel)')" \
	'submit 1510 blockq 3000 device 15750 complete 3830 reap 1920 kernel 750' \
	'their sums'
is "$(grep -oE '"(queue|submit|blockq|device|complete|reap|kernel|deliver|lat)": \{"read"' \
	"$out" | sed 's/: .*//' | tr -d '\n')" \
	'"queue""submit""blockq""device""complete""reap""kernel""deliver""lat"' 'in order'

# ---- files ----

run report --html="$scratch/page" --trace="$scratch/trace" \
	--percentiles="$scratch/p." "$most"
well_formed "$scratch/page" 'the HTML'
for stage in $inside kernel; do
	has "$scratch/page" "<tr><th scope=\"row\" class=\"text\">$stage</th><td>$([ $stage = kernel ] && echo 1 ||
		echo 99)</td>" "has a row for $stage"
done
has "$scratch/page" '<td>50 ns</td><td>-</td><td>-</td><td>-</td><td>-</td><td>-</td>'\
'<td>750 ns</td><td>200 ns</td>' 'a slow I/O without the five'
has "$scratch/page" '<td>160 ns</td><td>30 ns</td><td>60 ns</td><td>400 ns</td>'\
'<td>100 ns</td><td>50 ns</td><td>-</td><td>100 ns</td>' 'and one with them'
: >"$scratch/wrong"
# Colours of the legend: each of its own, and all in the page's style.
grep -o '<path class="s[0-9]*" d="M0 5H28"' "$scratch/page" |
	sed 's/.*class="\(s[0-9]*\)".*/\1/' >"$scratch/colors"
while read -r color; do
	grep -qE "\.$color\{stroke:" "$scratch/page" || echo "$color" >>"$scratch/wrong"
done <"$scratch/colors"
is "$(wc -l <"$scratch/colors") $(sort -u "$scratch/colors" | wc -l) \
$(cat "$scratch/wrong")" '9 9 ' 'each row has a colour of its own'
is "$(cd "$scratch" && echo p.*)" "$(for stage in blockq complete deliver device kernel \
	lat queue reap submit submitting_call; do
	printf 'p.randread.read.%s.hgrm ' $stage; done | sed 's/ $//')" 'percentile files'
is "$(slices)" \
	"queue! kernel deliver queue! $inside deliver " \
	'slices of the trace follow each other'

# ---- kernel_stages ----

# ask FILE...: prints the merged ones and what the jobs have, as JSON
ask() {
	run report --json "$@"
	of_json '+{ %{$r->{kernel_stages} // {}}, jobs => [map { $_->{kernel} // 0 }
		@{$r->{jobs}}], lacks => $r->{lacks} // 0 }' |
		tr -d '"' | sed 's/,\(sync\|trim\|write\):0//g'
}

is "$(ask "$all")" '{jobs:[0],lacks:0}' 'a job that does not tell how it splits'
write_report "$scratch/1" split=most kernel="$(on_or_off)" kernel_stages="$(on_of 99 1 0 0)"
write_report "$scratch/2" split=most thread=2 kernel="$(on_or_off)" \
	kernel_stages="$(on_of 94 0 2 1 | sed 's/61/81/
		s/"sync_write": {"read": 0/"sync_write": {"read": 3/')"
write_report "$scratch/3" thread=3 kernel="$(on_or_off 'no privilege')" \
	kernel_stages="$(on_of 0 0 0 0)"
write_report "$scratch/4" thread=4 kernel="$(on_or_off another)" \
	kernel_stages="$(on_of 0 0 0 0)"
is "$(ask "$scratch/1")" "{clock_error_ns:61,jobs:[{state:on}],lacks:0,negative_beyond:0,\
negative_within:7,not_split:{missing_stamp:{read:0},no_request:{read:1},no_stamps:\
{read:0},sync_write:{read:0}},requests:120,retries:2,split:{read:99}}" 'one job'
is "$(ask "$scratch/2" "$scratch/1")" \
	"{clock_error_ns:81,jobs:[{state:on},{state:on}],lacks:0,negative_beyond:0,\
negative_within:14,not_split:{missing_stamp:{read:2},no_request:{read:1},no_stamps:{read:1},\
sync_write:{read:3}},requests:240,retries:4,split:{read:193}}" 'sums, and the largest error'
is "$(ask "$scratch/4" "$scratch/3" | grep -o 'jobs:.*lacks:0')" \
	'jobs:[{state:off,why:no privilege},{state:off,why:another}],lacks:0' \
	'all of them off, each with its reason'
write_report "$scratch/5" thread=5

# ---- in words ----

# says FILE...: prints the page's sentences about it; the HTML must have them, too
says() {
	run report --html="$scratch/page" "$@"
	tr -s ' \n' ' ' <"$out" >"$scratch/words"
	sed "s|</p>|\n|g; s|<p>|\n|g; s/&#39;/'/g" "$scratch/page" >"$scratch/html"
	grep '^inside the kernel: ' "$scratch/html" >"$scratch/sentences"
	while read -r sentence; do
		grep -qF -e " $sentence " "$scratch/words" || echo "not on the page: "
		echo "$sentence"
	done <"$scratch/sentences"
	[ "$(grep -o 'inside the kernel: ' "$scratch/words" | wc -l)" = \
		"$(wc -l <"$scratch/sentences")" ] || echo 'not in the HTML'
}

split='split into stages'
synced='3 synchronous writes (device and complete are one stage)'
no_request='without a separate block request (page cache, holes, other devices)'
lacking='with a missing stamp (other stages are known)'
unstamped='without stamps (the program in the kernel did not see them)'
is "$(says "$all")" '' 'an older report: no word'
is "$(says "$scratch/1")" "inside the kernel: 99.00 % of 100 I/Os $split; 1 I/O \
$no_request; stamps known to +-61 ns" 'one had no request'
is "$(sed -n '/^lat /,/^$/p' "$out" | sed -n 2p | cut -c 1-24)" \
	'  inside the kernel: 99.' 'the line after the table'
rest='"write": 0, "trim": 0, "sync":'
sed -E "s/\{\"read\": ([0-9]+), $rest 0\}/{\"read\": 0, $rest \1}/g"'
	s/\{"read": \{/{"sync": {/g' "$scratch/1" >"$scratch/sync"
is "$(says "$scratch/sync")" "inside the kernel: 99.00 % of 100 I/Os $split; 1 I/O \
$no_request; stamps known to +-61 ns" 'syncs'
is "$(says "$scratch/2")" "inside the kernel: 94.00 % of 100 I/Os $split; 2 I/Os $lacking, \
$synced, 1 I/O $unstamped; stamps known to +-81 ns" 'other reasons'
write_report "$scratch/7" split=most thread=7 kernel_stages="$(on_of 99 1 0 0)" \
	kernel='"kernel": {"by_helper": true, "state": "on"},'
is "$(says "$scratch/7" | grep -o '; by .*')" '; by tickwise kernel-helper' \
	'stamps of the helper'
for count in 3 8 0; do
	write_report "$scratch/missed$count" split=most thread=$((20 + count)) \
		kernel="$(on_or_off)" \
		kernel_stages="$(on_of 99 1 0 0 | sed "s/\"requests\"/\"missed_runs\": $count, &/")"
done
is "$(says "$scratch/missed3" | grep -o '; the kernel skipped.*')" "; the kernel skipped \
3 runs of the program, so stamps may be missing" 'runs that the kernel skipped'
is "$(says "$scratch/missed0" | grep -c skipped)" 0 'none'
is "$(ask "$scratch/missed3" "$scratch/missed8" "$scratch/missed0" |
	grep -o 'missed_runs:[0-9]*')" missed_runs:8 'the largest of three jobs'
write_report "$scratch/6" split=all kernel="$(on_or_off)" \
	kernel_stages="$(on_of 100 0 0 0)"
is "$(says "$scratch/6")" \
	"inside the kernel: 100 % of 100 I/Os $split; stamps known to +-61 ns" 'all'
write_report "$scratch/6" kernel="$(on_or_off)" kernel_stages="$(on_of 0 100 0 0)"
is "$(says "$scratch/6")" \
	"inside the kernel: none of 100 I/Os $split; 100 I/Os $no_request" 'none'
sed 's/"ios": {"read": 100/"ios": {"read": 412331/; s/"split": {"read": 0/"split": {"read": 412330/
	s/"no_request": {"read": 100/"no_request": {"read": 1/' "$scratch/6" >"$scratch/7"
is "$(says "$scratch/7" | cut -d ' ' -f 4-8)" '99.99 % of 412331 I/Os' \
	'all but one are not 100 %'
is "$(says "$scratch/3")" 'inside the kernel: not split: no privilege' 'off, and why'
is "$(says "$scratch/4" "$scratch/3")" \
	'inside the kernel: not split in 2 of 2 jobs; why in the first: no privilege' \
	'two jobs off'
is "$(says "$scratch/1" "$scratch/3" "$scratch/2")" \
"inside the kernel: 64.33 % of 300 I/Os $split; 1 I/O $no_request, \
2 I/Os $lacking, $synced, 1 I/O $unstamped; stamps known to +-81 ns
inside the kernel: not split in 1 of 3 jobs: no privilege" 'one of several off'
write_report "$scratch/8" thread=3 kernel="$(on_or_off '<b>\u001b[2J&')"
run report --html="$scratch/page" "$scratch/8"
has "$scratch/page" 'not split: &#60;b&#62;?[2J&#38;</p>' 'a reason is text in the HTML'
has "$out" 'not split: <b>?[2J&' 'and moves no cursor'

has_not "$out" WARNING 'no warning'
sed 's/"negative_beyond": 0/"negative_beyond": 4/' "$scratch/1" >"$scratch/9"
run report --html="$scratch/page" "$scratch/9" "$scratch/2"
warning="4 stages inside the kernel came out negative by more than the clocks' error \
(81 ns). A negative stage counts as 0. The stages from submit to reap of their I/Os are wrong; \
their sum and lat are not. Please report this as a bug, with the report's file."
is "$(sed '/^randread/,$d' "$out" | tr -s ' \n' ' ')" "WARNING: $warning " \
	'a negative stage that no error explains is a warning'
has "$scratch/page" "<p class=\"warn\">Warning: $(echo "$warning" | sed "s/'/\&#39;/g")</p>" 'in the HTML, too'
is "$(awk 'length > 80' "$out")" '' 'nothing wider than 80 columns'

# ---- refused ----

{
	sed '/^"reap"/,$d' "$all"
	echo "\"reap\": {\"read\": $(values 5 50 31)},"
	sed -n '/^"deliver"/,$p' "$all"
} >"$scratch/over.json"
run report "$scratch/over.json"
is "$status" 65 'one nanosecond more than lat'
has "$err" 'the parts of stages.lat.read add up to more than it' 'is refused'
sed 's/"deliver": 100, "lat": 900/"deliver": 101, "lat": 900/' "$most" \
	>"$scratch/over.json"
run report "$scratch/over.json"
is "$status" 65 'also in one of the slowest'
# wrong_in SED-SCRIPT TEXT: passes if the report @1, edited, is refused
wrong_in() {
	sed "$1" "$scratch/1" >"$scratch/wrong"
	run report "$scratch/wrong"
	is "$status $(grep -cF "wrong: $2" "$err")" '65 1' "$2"
}
wrong_in 's/"kernel_stages": {/"kernel_stages": 3, "x": {/' \
	'kernel_stages is not an object'
wrong_in 's/"state": "on"//' 'jobs[].kernel.state is missing'
wrong_in 's/"state": "on"/"state": "of"/' 'jobs[].kernel.state is neither on nor off'
wrong_in 's/"state": "on"/"state": "off"/' 'jobs[].kernel.why is missing'
wrong_in 's/"split": {"read": 99/"split": {"read": -1/' 'kernel_stages.split.read is'
wrong_in 's/"no_stamps": {[^}]*}/"no_stamps": 3/' \
	'kernel_stages.not_split.no_stamps is not an object'
wrong_in 's/"no_stamps": {"read": 0/"no_stamps": {"read": 1/' \
	'kernel_stages.not_split.no_stamps.read and the parts before it count more than ios.read'
wrong_in 's/"no_stamps": {"read": 0/"no_stamps": {"read": "18446744073709551516"/' \
	'kernel_stages.not_split.no_stamps.read counts more than ios.read'
wrong_in 's/"requests"/"missed_runs": -1, &/' 'kernel_stages.missed_runs is'
wrong_in 's/"clock_error_ns": 61/"clock_error_ns": -61/' 'kernel_stages.clock_error_ns is not'
sed 's/"no_stamps"/"no_luck"/' "$scratch/1" >"$scratch/new"
run report "$scratch/new"
has "$out" 'kernel_stages.not_split.no_luck' 'a reason of a later version'
sed 's/"requests": 120/"requests": "18446744073709551615"/' "$scratch/1" >"$scratch/new"
run report "$scratch/new" "$scratch/2"
is "$status" 65 'sums beyond 64 bits'

for stage in $inside; do
	sed "/^\"$stage\"/,/^\"sum_ns\"/d" "$most" >"$scratch/less.json"
	run report "$scratch/less.json"
	is "$status $(rows | grep -c "$stage")" '0 0' "without $stage"
done
done_testing
