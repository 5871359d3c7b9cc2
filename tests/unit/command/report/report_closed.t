#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: a merged report is a report of several jobs. `report --json` prints it again
# as it is. Merging in any order, and merging merged reports, prints the same bytes. A
# thousand jobs take little more than one. Defect: bytes that depend on the order of the
# files, a number that changes when it is read again, a job or a slow I/O that is lost
# in a merge of merges, facts that are there once for each job.
. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/../../../report_files.sh"

cd "$scratch" || exit 1
case $tickwise in /*) ;; *) tickwise=$OLDPWD/$tickwise ;; esac

# merged FILE...: prints what `report --json` does; all are of one group
merged()
{
	"$tickwise" report --json --merge-hosts "$@" || echo "exit code $?"
}

# slow JOB-NUMBER LAT...: prints slow I/Os
slow()
{
	job=$1
	comma=
	shift
	for lat; do
		printf '%s{"job": 0, "offset": %d, "size": 512, "ddir": "read", "monotonic_ns":
			"%d", "stages": {"queue": 10, "lat": %d}}' "$comma" \
			$((4096 * job)) $((1000 * job + lat)) "$lat"
		comma=,
	done
}

# with FILE SLOWEST KEYS [variable=value]...: writes a report with more keys
with()
{
	file=$1 list=$2 keys=$3
	shift 3
	write_report plain.json "$@"
	sed '/^"slowest"/d' plain.json >"$file"
	printf '%s, "slowest": [%s]}\n' "$keys" "$list" >>"$file"
}

# window MS VALUE COUNT...: prints a window that begins MS after the jobs
window()
{
	echo "{\"start\": \"$((1700000000000000000 + $1 * 1000000))\",
	\"read\": $(shift; digits=1; counted "$@"), \"errors\": {\"write\": 2}}"
}

# Four jobs that differ in all that can differ: rows that only some have, clocks,
# reasons, devices, widths of windows, lengths of lists, options, hosts.
facts()
{
	cat <<-END
	"bytes": $(counts 409600 moves),
	"machines": [{"host": "$1", "cpu": "$2", "cpus": 2}],
	"files": [{"host": "$1", "path": "/$3", "device": "8:$3"}], "files_left_out": $3,
	"devices": [{"host": "$1", "device": "8:0", "name": "sda", "size": 4096,
	"scheduler": "$2"}],
	"over_time": {"width_ns": $4, "windows": [$5]}
	END
}
with a.json "$(slow 1 1000 900 900)" "\"options\": {\"bs\": \"4k\", \"rw\": \"read\"},
	$(facts box x 0 1000000 "$(window 3 100 40 900 2), $(window 4 100 1)"),
	$(on_of 60 40 0 0) \"stages_by_lat\": {\"read\": [
	{\"from_ns\": 96, \"to_ns\": 103, \"ios\": 89, \"stages\": {\"queue\": 890}},
	{\"from_ns\": 896, \"to_ns\": 959, \"ios\": 10, \"stages\": {\"queue\": 1600}},
	{\"from_ns\": 960, \"to_ns\": 1023, \"ios\": 1, \"stages\": {}}]},
	\"triggers\": [{\"job\": 0, \"state\": \"on\", \"above_ns\": 5, \"slower\": 3}]" \
	run='"run": "7",' kernel="$(on_or_off) \"options\": {}," \
	reasons='{"code": "b", "text": "two"}, {"code": "a", "text": "y"}' verdict=undecided
with b.json "$(slow 2 950 900)" "\"options\": {\"bs\": \"8k\", \"rw\": \"read\"},
	$(facts box y 0 4000000 "$(window 0 100 90), $(window 200 5000 1)"),
	$(on_of 50 50 0 0 | sed 's/61/80/')
	\"triggers\": [{\"job\": 0, \"state\": \"off\", \"why\": \"x\", \"above_ns\": 5,
	\"slower\": 1}], \"stages_by_lat\": {\"read\": [
	{\"from_ns\": 96, \"to_ns\": 103, \"ios\": 89, \"stages\": {\"queue\": 890}},
	{\"from_ns\": 896, \"to_ns\": 959, \"ios\": 10, \"stages\": {\"queue\": 1600}},
	{\"from_ns\": 960, \"to_ns\": 1023, \"ios\": 1, \"stages\": {}}]}" \
	thread=2 run='"run": "7",' kernel="$(on_or_off) \"options\": {}," errors=3 \
	reasons='{"code": "a", "text": "x"}' fio_ns=90000.0 fio_ppb=9000.0
with c.json "$(slow 3 1000 1000 1000 900)" "\"lunch\": 1, \"options\": {\"rw\": \"read\"},
	$(facts far y 1 1000000 "$(window 130 100 7)"),
	\"fio_lat\": {\"count\": $(counts 100 moves), \"sum_ns\": $(counts 18900 moves)}" \
	thread=3 kernel="$(on_or_off no)" verdict=unreliable fio_ns=-90000.0 fio_ppb=-9000.0
sed -i 's/"host": "box"/"host": "far"/; s/\[{ "name"/[{"run": "8", "name"/' c.json
with d.json "$(slow 4 800 700 600)" "$(facts far y 1 1000000 "$(window 131 100 7)")" \
	thread=4 pid=104 start=1700000000000001000
sed -i 's/"host": "box"/"host": "far"/; s/\[{ "name"/[{"run": "8", "name"/' d.json

all='a.json b.json c.json d.json'
for files in $all; do
	merged "$files" >again.json
	merged again.json >twice.json
	cmp again.json twice.json
	ok $? "a job's report is printed again as it is: $files"
done
# shellcheck disable=SC2086	# the files
merged $all >all.json
is "$(of_json '@r . " " . @{$r->{jobs}} . " $r->{ios}{read}"' all.json)" '1 4 400' \
	'four jobs of two hosts are one report'
merged all.json >again.json
cmp all.json again.json
ok $? 'it is printed again as it is'
is "$(of_json '"$r->{over_time}{width_ns} " . @{$r->{slowest}} . " @{$r->{lacks}}"' all.json)" \
	"4000000 2 $(echo kernel_stages.split kernel_stages.not_split.no_request \
	kernel_stages.not_split.missing_stamp kernel_stages.not_split.sync_write \
	kernel_stages.not_split.no_stamps fio_lat.count fio_lat.sum_ns kernel_stages.requests \
	kernel_stages.retries kernel_stages.negative_within kernel_stages.negative_beyond \
	kernel_stages.clock_error_ns stages_by_lat)" \
	'with wider windows, the shortest list, and names of what only some have'

# Each order, and each way to merge in two steps.
wrong=
tried=0
for order in abcd abdc acbd acdb adbc adcb bacd badc bcad bcda bdac bdca cabd cadb cbad cbda \
	cdab cdba dabc dacb dbac dbca dcab dcba; do
	# shellcheck disable=SC2046	# four names
	set -- $(echo $order | sed 's/./&.json /g')
	merged "$@" >flat.json
	merged "$1" "$2" >pair.json
	merged "$3" "$4" >other.json
	merged pair.json other.json >pairs.json
	merged pair.json "$3" >three.json
	merged "$4" three.json >chain.json
	for file in flat pairs chain; do
		tried=$((tried + 1))
		cmp -s all.json $file.json || wrong="$wrong $order:$file"
	done
done
is "$wrong" '' "the same bytes in $tried orders and groupings"

cat a.json b.json >ab.json
merged c.json ab.json d.json >cat.json
cmp all.json cat.json
ok $? 'reports one after another in a file are merged like files'
run report --merge-hosts all.json a.json
is "$status $(grep -c 'the same job as' "$err")" '65 1' 'a job twice is refused, also in a merge'
# A merge sorts options. The paths are others.
"$tickwise" report --merge-hosts a.json b.json c.json d.json |
	sed '/^options /,/^$/d' >page
"$tickwise" report --merge-hosts all.json | sed '/^options /,/^$/d' >page_again
is "$(diff page page_again)" '' 'the page of a merged report is that of its jobs'

# ---- a comparison ----

for run in 1 2 3 4; do
	for thread in 1 2; do
		write_report before.$run.$thread.json run="\"run\": \"$run\"," thread=$thread \
			pid=$((10 * run + thread))
		write_report after.$run.$thread.json run="\"run\": \"1$run\"," thread=$thread \
			pid=$((100 * run + thread)) slow=2000
	done
done
"$tickwise" diff before.*.json -- after.*.json >page
for side in before after; do
	for run in 1 2 3 4; do
		merged $side.$run.?.json
	done >$side.json
done
is "$(wc -l <before.json)" 4 'four runs are four reports'
"$tickwise" diff before.json -- after.json >page_again
grep -q 'B is 1.053' page
ok $? 'a comparison finds a difference'
is "$(diff page page_again)" '' 'and the same one between merged reports'

# ---- a thousand jobs ----

with job.json "$(slow 1 1000 900)" "$(facts box x 0 1000000 "$(window 3 100 40)"),
	\"options\": {\"bs\": \"4k\", \"rw\": \"randread\", \"filename\": \"/dev/sda\"}" \
	run='"run": "7",' kernel="$(on_or_off) \"options\": {},"
mkdir many
i=1
while [ $i -le 1000 ]; do
	sed "s/\"thread_number\": 1,/\"thread_number\": $i,/; s/\"bs\": \"4k\"/\"bs\": \"${i}k\"/" \
		job.json >many/$i.json
	i=$((i + 1))
done
merged many/1.json >one.json
merged many/*.json >thousand.json
is "$(of_json '@{$r->{jobs}} . " $r->{ios}{read} " . @{$r->{machines}} . " " .
	@{$r->{files}}' thousand.json)" '1000 100000 1 1' \
	'a thousand jobs: the machine and the file once'
each=$((($(wc -c <thousand.json) - $(wc -c <one.json)) / 999))
[ "$each" -le 2048 ]
ok $? "each more takes $each bytes, at most 2048"
merged thousand.json >again.json
cmp thousand.json again.json
ok $? 'they are printed again as they are'
done_testing
