#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A report of `tickwise attach` shows what it has: a table by ring, file and
# operation, the losses, and a lat that is not fio's. It is never merged. Fails if a
# row or a count is left out, or if the page mentions clocks or a counter, which it
# does not have. Fails also if a name can move the cursor or leave its cell.
. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/../../../well_formed.sh"
. "$(dirname "$0")/../../../report_files.sh"

digits=2

# operation IOS STAGES MORE: prints a JSON object; MORE replaces counts that are 0
operation() {
	counts='"split": 0 "no_request": 0 "missing_stamp": 0 "sync_write": 0 "waited": 0
		"linked": 0 "drained": 0 "empty": 0 "errors": 0 "cancelled": 0 "no_cqe": 0
		"unseen": 0'
	printf '{"ios": %s, "stages": {%s}, %s' "$1" "$2" "$3"
	echo "$counts" | grep -o '"[a-z_]*": 0' | while read -r count; do
		case $3 in *"${count% 0}"*) ;; *) printf ', %s' "$count" ;; esac
	done
	printf '}\n'
}

# split IOS: prints the stages of IOS I/Os
split() {
	echo "\"lat\": $(counted 1000 "$1"), \"blockq\": $(counted 100 "$1"),
		\"device\": $(counted 600 "$1"), \"complete\": $(counted 300 "$1")"
}

# reads COUNT: prints a count by direction
reads() {
	echo "{\"read\": $1, \"write\": 0, \"trim\": 0, \"sync\": 0}"
}

cat >"$scratch/a.json" <<END
{"schema": "tickwise-report", "version": 1, "jobs": [{"run": "", "name": "mariadbd",
	"host": "box", "groupid": 0, "thread_number": 1, "subjob_number": 0, "pid": 4711,
	"start": "1000", "start_monotonic_ns": "5000000000", "first_ns": 0,
	"run_ns": 1000000000, "fio_version": "", "engine": "attach",
	"tickwise_version": "0.1", "iodepth": 0, "event_time": false, "event_wait": false,
	"fallback": true, "kernel": {"state": "on"},
	"causes": {"state": "off", "why": "not asked for"}}],
"machines": [{"host": "box"}], "files": [], "devices": [], "clocks": {},
"counter": {"verdict": "unchecked", "reasons": []},
"ios": $(reads 300), "errors": $(reads 2), "cancelled": $(reads 1),
"stages": {"blockq": {"read": $(counted 100 300)}, "device": {"read": $(counted 600 300)},
	"complete": {"read": $(counted 300 300)}, "lat": {"read": $(counted 1000 300)}},
"kernel_stages": {"split": $(reads 300), "missed_runs": 11},
"slowest": [{"job": 0, "offset": 512, "size": 4096, "ddir": "read", "ring": 2,
	"monotonic_ns": "6500000000", "operation": "readv", "file": "/d/t.ibd",
	"stages": {"blockq": 100, "device": 600, "complete": 300, "lat": 1000}},
	{"job": 0, "offset": 8192, "size": 4096, "ddir": "read", "ring": 1,
	"monotonic_ns": "6500000000", "operation": "read", "file": "/d/a",
	"stages": {"blockq": 100, "device": 600, "complete": 300, "lat": 1000}}],
"attached": {"in_flight": 3, "more_cqes": 0, "lost_records": 5, "lost_ios": 0,
"lost_rings": 1, "lost_names": 6, "lost_processes": 0,
"more_rings": 4,
"others": {"accept": 50, "recv": 8}, "rings": [
	{"ring": 1, "program": "mariadbd", "pid": 4711, "fd": 9, "sq_entries": 128,
		"cq_entries": 256},
	{"ring": 2, "program": "worker", "pid": 4711, "fd": -1, "sq_entries": 64,
		"cq_entries": 128}],
"operations": [
$(operation 100 "$(split 100)" '"ring": 1, "operation": "read", "split": 100,
	"errors": 2, "file": "/d/a\u001b[2J<b>"'),
$(operation 200 "$(split 200)" '"ring": 2, "operation": "readv", "split": 200,
	"file": "/d/t.ibd"'),
$(operation 50 "\"lat\": $(counted 1000 50), \"kernel\": $(counted 1000 50)" '"ring": 1,
	"operation": "write", "no_request": 40, "waited": 4, "sync_write": 6, "linked": 9,
	"drained": 7, "file": "-"')]}}
END

run report "$scratch/a.json"
is "$status $(cat "$err")" '0 ' 'is read'
tr -s ' \n' '  ' <"$out" >"$scratch/words"
has "$scratch/words" 'process 4711 and those it started, 7 rings' \
	'which process and how many rings'
is "$(awk '$1 == 2 && $2 == "readv"' "$out" | tr -s ' ')" \
	' 2 readv 200 1.000us 1.000us 1.000us 100ns 600ns 300ns' 'a row with its stages'
is "$(awk '$2 == "write"' "$out" | tr -s ' ')" \
	' 1 write 50 1.000us - 1.000us - - -' 'a row without'
is "$(awk '/^ring|^ +[12] +(read|write)/ { print $2 }' "$out" | tr '\n' ' ')" \
	'readv read write ' 'the busiest first'
has "$scratch/words" '9 linked I/Os, 7 drained I/Os, 6 synchronous writes' 'what waited'
has "$scratch/words" 'not followed (no I/O on files or block devices): 50 accept, 8 recv' \
	'what was only counted'
has "$scratch/words" '1 ring not followed (too many rings)' 'rings too many'
has "$scratch/words" '6 I/Os on files of unknown names' 'files too many'
has "$scratch/words" '11 events for which the kernel skipped the program' 'runs skipped'
has "$out" '2 errors' 'errors'
has "$out" '/d/a?[2J<b>' 'no name moves the cursor'
has "$out" '5 lost records' 'what was lost'
has "$scratch/words" '3 I/Os in flight at the end' 'and what is not done'
has "$out" 'lat mean 1.000 us = blockq 0.100 + device 0.600 + complete 0.300' 'the sum'
is "$(grep -A 1 ' 2  *readv*  *4096 ' "$out" | tr -s ' \n' ' ')" \
	'1.000 us 1.500000 2 read 4096 512 device 60 %, complete 30 % /d/t.ibd ' \
	"the slowest's ring and file"
has "$scratch/words" \
	'1 stall of 600 ns hit 2 I/Os in device: from 1.500000 s of the run on, offsets 512 to 12288 ' \
	'a stall, in the time of the run'
has_not "$out" 'job' 'without a job'
has_not "$out" 'fio' "nothing of fio's"
has_not "$out" 'clock' 'nor of clocks'
has_not "$out" 'counter' 'nor of the counter'
is "$(awk 'length > 80' "$out")" '' 'nothing wider than 80 columns'

run report --html="$scratch/a.html" "$scratch/a.json"
is "$status" 0 'as HTML'
well_formed "$scratch/a.html" 'which is well-formed'
has "$scratch/a.html" '<td class="words">/d/a?[2J&#60;b&#62;</td>' 'where a name stays a name'
has "$scratch/a.html" '<td>600 ns</td>' 'with the stages'
has_not "$scratch/a.html" 'Clock errors' 'and no clocks'

sed 's/"start": "1000"/"start": "1001"/; s/"thread_number": 1/"thread_number": 2/' \
	"$scratch/a.json" >"$scratch/b.json"
run report --json "$scratch/a.json" "$scratch/b.json"
is "$(of_json 'join " ", map { scalar @{$_->{attached}{operations}} } @r')" '3 3' \
	'two are two reports'

# More rows than the text has room for.
perl -MJSON::PP -0 -ne 'my $r = decode_json($_); my $o = $r->{attached}{operations};
	push @$o, { %{$o->[0]}, ring => 2 + $_ } for 1 .. 600 - @$o;
	print encode_json($r)' "$scratch/a.json" >"$scratch/many.json"
run report "$scratch/many.json"
has "$out" 'and 580 more (--json, --html)' 'of 600 rows, 580 are elsewhere'
run report --html="$scratch/many.html" "$scratch/many.json"
is "$(grep -c '<td class="words">/d/' "$scratch/many.html")" \
	"$(perl -MJSON::PP -0 -ne 'print scalar grep { $_->{file} =~ m(^/d/) }
		@{decode_json($_)->{attached}{operations}}' "$scratch/many.json")" 'all in the HTML'

# refused SED-SCRIPT MESSAGE WHAT
refused() {
	sed "$1" "$scratch/a.json" >"$scratch/c.json"
	run report "$scratch/c.json"
	is "$status $(grep -c "$2" "$err")" '65 1' "refused: $3"
}

refused 's/"operation": "readv", "split"/"operation": 7, "split"/' \
	'attached.operations\[\].operation ' 'a name that is none'
refused 's/"linked": 9/"linked": -9/' 'attached.operations\[\].linked ' 'a count that is none'
refused 's/"fd": 9/"fd": "9"/' 'attached.rings\[\].fd ' 'a ring without its number'
refused 's/"recv": 8/"recv": []/' 'attached.others.recv ' 'completions that are no number'
refused 's/"count": 200, "min_ns": 100,/"count": 200, "min_ns": 101,/' \
	'attached.operations\[\].stages.blockq' 'a histogram that is wrong'
done_testing
