#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tickwise run puts the reports of fio's jobs into fio's JSON, and changes nothing
# else of it. Fails if a report gets to another job, or if a value or text of fio's
# changes. Fails also if fio's output is lost when it is not as expected.

. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/../../../report_files.sh"
. "$(dirname "$0")/run_fake.sh"

# The fake prints $PRINT, and leaves the reports in left/ as its own.
FAKE_JOBS=
keep='for file in left/*.json; do sed "s/RUN/$$/" "$file" >"./${file#left/}"; done'
FAKE_DO='cat "$PRINT"; '$keep
PRINT=own
json=--output-format=json
export FAKE_JOBS FAKE_DO PRINT
mkdir left
printf '[a]\nioengine=io_uring\n[b]\nioengine=io_uring\n' >job.fio

# left NAME:GROUP:THREAD...: makes fio leave these reports, and no others
write_report made name=NAME group=GROUP thread=THREAD run='"run": "RUN-1",' pid=10THREAD
left() {
	rm -f left/*
	for report; do
		name=${report%%:*} thread=${report##*:} group=${report#*:}
		sed "s/NAME/$name/; s/GROUP/${group%:*}/; s/THREAD/$thread/g" made \
			>"left/$name.$thread.9.tickwise.json"
	done
}

# own NAME:GROUP...: makes fio's JSON
own() {
	list=
	for job; do
		list="$list${list:+, }{\"jobname\": \"${job%:*}\", \"groupid\": ${job#*:}, "
		list="$list\"mean\": 8152.820313}"
	done
	printf '{\n"fio version": "fio-3.33",\n"jobs": [%s]\n}\n' "$list" >own
}

# threads FILE: prints the names and threads of the reports that were added, for each
# job of fio's JSON
threads() {
	perl -MJSON::PP -e '
		local $/; open my $f, "<", $ARGV[0] or die;
		my $text = <$f>; $text =~ s/\A.*?^(?=\{)//ms;
		my ($json) = JSON::PP->new->decode_prefix($text);
		print join " | ", map {
			my $added = $_->{tickwise};
			$added ? join " ", map { "$_->{jobs}[0]{name} " . join ",",
				map { $_->{thread_number} } @{$_->{jobs}} } @$added :
				"none" } @{$json->{jobs}}' "$1" 2>/dev/null
}

# added ARGUMENT...: runs it, without older reports
added() {
	rm -f ./*.tickwise.json
	fio_run job.fio "$@"
}

# ---- which report belongs to which job ----

while IFS=/ read -r what reports jobs wanted; do
	# shellcheck disable=SC2086	# words
	left $reports
	# shellcheck disable=SC2086
	own $jobs
	added $json
	is "$(threads "$out")" "$wanted" "$what"
done <<'CASES'
each thread has an element/a:0:1 a:0:2 b:1:3/a:0 a:0 b:1/a 1 | a 2 | b 3
group_reporting: each group has one/a:0:1 a:0:2 b:1:3/a:0 b:1/a 1,2 | b 3
a job on another engine has no report/a:0:1 b:0:3/a:0 psync:0 b:0/a 1 | none | b 3
two names in a group of one element: both/a:0:1 b:0:3/a:0/a 1 b 3
a thread that fio does not count: the name tells/a:0:1 b:0:3/a:0 b:0/a 1 | b 3
a name counts in its group alone/a:0:1 b:0:3/b:7 a:0 b:0/none | a 1 | b 3
three of one name: no guess/a:0:1 b:0:9/a:0 b:0 b:0 b:0/a 1 | none | none | none
a report that no element is of/a:0:1 b:0:2/b:0 c:0/b 2 | none
one name in all groups/a:0:1 a:0:2 a:1:3/a:0 a:1 a:2/a 1,2 | a 3 | none
CASES
left a:0:1 b:0:2
own b:0 c:0
added $json
is "$status" 0 'which is no failure'
has "$err" "a.1.9.tickwise.json: not in fio's JSON: can't tell which" 'but is reported'
printf '{\n"jobs": ["text", {"jobname": 1, "groupid": "0"}, {"jobname": "a", "groupid": 0},
	{"jobname": "b", "groupid": 0}]\n}\n' >own
added $json
is "$(grep -c '^      "tickwise": \[' "$out")" 2 'elements that are none of a job are passed over'

# ---- what is added, and what stays ----

cat >own <<'END'
note: fio may say something first
{
"fio version" : "fio-3.33",
"z": 1, "a": [true, false, null, {}, [], ""],
"numbers": [0.1, 5.000000, 123456789.123457, 1e300, -0.5, 9007199254740993, -3],
"text": "\u00e9 \" \\ \n {",
"jobs" : [ {"jobname" : "a", "groupid" : 0, "x": 1.1},
  {"jobname" : "b", "groupid" : 0} ]
}
and last
END
added $json
# Versions of the JSON library differ in the last digits.
perl -0777 -ne 's/\n +/ /g; s/(?<![\w.])(\d+(?:\.\d+)?(?:e[-+]?\d+)?)/$x = $1;
	$x =~ m{^\d+$|\.0$} ? $x : sprintf "%.15g", $x/ge; s/1e\+300/1e300/;
	s/("tickwise": \[).*/$1/s; print' "$out" >begin
is "$(cat begin)" "fio's output
note: fio may say something first
{ \"fio version\": \"fio-3.33\", \"z\": 1, \"a\": [ true, false, null, {}, [], \"\" ], \
\"numbers\": [ 0.1, 5.0, 123456789.123457, 1e300, -0.5, 9007199254740993, -3 ], \
\"text\": \"é \\\" \\\\ \\n {\", \"jobs\": [ { \"jobname\": \"a\", \"groupid\": 0, \"x\": 1.1, \
\"tickwise\": [" 'text and keys of fio are there in their order'
is "$(tail -n 2 "$out" | xargs)" '} and last' 'and the text behind it'
canonical='my ($j) = JSON::PP->new->utf8->decode_prefix($_);
	print JSON::PP->new->canonical->encode($j->{z} ? $j->{jobs}[1]{tickwise}[0] : $j)'
is "$(perl -MJSON::PP -0777 -ne 's/\A.*?^(?=\{)//ms; '"$canonical" "$out")" \
	"$("$tickwise" report --json b.2.9.tickwise.json |
		perl -MJSON::PP -0777 -ne "$canonical")" \
	'a job has what tickwise report --json prints'
has "$err" '2 reports. To read them' 'the reports are named as ever'

own a:0 b:0
{
	printf '{\n"jobs": []\n}\n'
	cat own
} >first
PRINT=first added $json
is "$(sed -n '2,4p' "$out" | xargs) $(grep -c '^      "tickwise": \[' "$out")" '{ jobs: [] } 2' \
	'of several only the last is changed'

# ---- when it is asked for ----

for arguments in '--output-format json' '-F json' --output-format=json+ \
		'--output-format=normal,json' '--minimal --output-format=json' \
		'--output-format=terse --output-format=json'; do
	# shellcheck disable=SC2086
	added $arguments
	is "$(threads "$out")" 'a 1 | b 2' "$arguments"
done
for arguments in '' --output-format=normal '--output-format=json --minimal' \
		'--output-format=json -m' '--output-format=json -F terse' "$json --parse-only"; do
	# shellcheck disable=SC2086
	added $arguments
	is "$(sed 1d "$out")" "$(cat own)" "unchanged:${arguments:+ }$arguments"
done
page= added $json --report
is "$(threads "$out") $(grep -c '^a on .*: iodepth' "$out")" 'a 1 | b 2 1' \
	'--report prints its page behind'

# ---- in a file ----

FAKE_DO='cat "$PRINT" >"$SEEN/../file"; '$keep
: >file
chmod 640 file
ln -s file link
before=$(stat -c '%i %a' file)
added $json --output=other --output=link
is "$(threads file) $(stat -c '%i %a' file) $(readlink link)" "a 1 | b 2 $before file" \
	'--output: the file is changed, itself, with its mode'
is "$(cat "$out")" "fio's output" 'and nothing more is printed'
added -o file $json
is "$(threads file)" 'a 1 | b 2' '-o FILE'
added --output=/dev/null $json
is "$status $(grep -c . "$err")" '0 5' 'no file: nothing is reported'
added --output=file
has_not "$err" "fio's JSON" 'text in a file: not even looked at'
added --output=gone $json
is "$status $(ls gone 2>/dev/null)" '0 ' 'fio made none: nor does tickwise'
cp own small
FAKE_DO= fio_run job.fio $json --output=small
cmp -s own small
ok $? 'no report: the file is as it was'
printf '{\n"jobs": []%100000s\n}\n' '' >large
added --output=large $json
is "$(xargs <large)" '{ jobs: [] }' 'it becomes shorter'
(
	# 512 bytes a block: there is room for each report, not for both in one file.
	trap '' XFSZ
	ulimit -f 10
	"$tickwise" run --engine="$engine" job.fio $json --output=small >/dev/null 2>small.err
	echo $? >code
)
is "$(cat code) $(cmp own small)" '74 ' 'no room: what fio wrote is back'

# ---- nothing that could be changed ----

FAKE_DO='cat "$PRINT"; '$keep
# same TEXT DESCRIPTION: passes if fio's output is unchanged, and TEXT is reported
same() {
	fio_run job.fio $json
	sed 1d "$out" | cmp -s - own
	ok $? "$2: as it is"
	has "$err" "$1" 'and why'
}
nothing="nothing was added to fio's JSON"
while IFS=/ read -r what text why; do
	# shellcheck disable=SC2059	# escapes
	printf "$text" >own
	same "$nothing$why" "$what"
done <<'CASES'
no JSON/no JSON\n/: there is none
nothing//: there is none
half of it/{\n"jobs": [\n/: 
jobs that are no list/{\n"jobs": {}\n}\n/
a number that would change/{\n"a": 18446744073709551616, "jobs": []\n}\n/: too big integer
bytes that are no characters/{\n"a": "\377", "jobs": []\n}\n/: 
a byte of 0/{\n"a": "x\0y"\n}\n/: 
CASES
own a:0 b:0
echo '{"schema": "tickwise-report", "version": 99, "jobs": [{"run": "RUN-1", "name": "b"}]}' \
	>left/b.2.9.tickwise.json
same 'b.2.9.tickwise.json: ' 'a report of another version'
left a:0:1
cp left/a.1.9.tickwise.json left/copy.1.9.tickwise.json
own a:0
same 'the same job as' 'two reports of one job'
rm left/*
echo 'fio: it failed' >own
FAKE_DO='cat "$PRINT"' FAKE_EXIT=1 fio_run job.fio $json
is "$status $(sed 1d "$out") $(grep -c "$nothing" "$err")" '1 fio: it failed 0' \
	'fio failed: its text and its exit code'
FAKE_DO='kill -TERM $$' fio_run job.fio $json
is "$status $(cat "$out")" "143 fio's output" 'fio was killed: its text is printed'
left a:0:1 b:0:2
"$tickwise" run --engine="$engine" job.fio $json >/dev/full 2>"$err"
is $? 74 'it can'\''t be printed'
done_testing
