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
	list='
' end=
	for job; do
		list="$list$end    {
      \"jobname\" : \"${job%:*}\",
      \"groupid\" : ${job#*:},
      \"mean\" : 8152.820313
    }"
		end=',
'
	done
	printf '{\n  "fio version" : "fio-3.33",\n  "jobs" : [%s\n  ],\n' "$list" >own
	printf '  "disk_util" : [\n    {\n      "name" : "vda"\n    }\n  ]\n}\n' >>own
}

# threads FILE: prints the names and threads of the reports that were added, for each
# job of fio's JSON
threads() {
	perl -MJSON::PP -e '
		local $/; open my $f, "<", $ARGV[0] or die;
		my $text = <$f>; $text =~ s/\A.*?(?=\{\n)//ms;
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

# ---- what is added, and what stays ----

# stays WHAT: takes what was added out of the output: passes if the rest is fio's own
stays() {
	sed 1d "$out" | perl -0777 -pe 's/,\n {6}"tickwise" : \[.*?\n {6}\]//gs' | cmp -s - own
	ok $? "$1: each byte of fio's stays"
}

# What fio prints is not always JSON, and a reader would change what is: keys that are there
# twice, numbers, names that are no UTF-8.
cat >own <<'END'
fio: an error, and no end of its line {
{"jobs": []}: (g=0): rw=randread {
fio: once more: {
  "fio version" : "fio-3.33",
  "z" : 1, "a" : [true, null, {}, ""],
  "numbers": [0.1, 5.000000, 1e300, 18446744073709551616, nan, -inf],
  "jobs" : [
    {
      "jobname" : "a",
      "groupid" : 0,
      "job options" : {
        "filename" : "n0 \" \\ } ] {",
        "filename" : "n1",
        "description" : "NO"
      }
    },
    {
      "groupid" : 0,
      "jobname" : "b",
      "jobname" : "b"
    }
  ],
  "disk_util" : [
    {
    }
  ]
}
a: (groupid=0, jobs=1): err= 0: {
and last
END
perl -pi -e 's/NO/\xff\xe9/; s/once/\0/' own
added $json
stays 'what is no JSON, around it and in it'
sed -n '/"description"/,/"tickwise"/p' "$out" | sed 1d >begin
is "$(cat begin)" '      },
      "tickwise" : [' 'the key is the last one of its job'
is "$(grep -c '^      "tickwise" : \[' "$out") $(wc -l <"$err")" '2 5' 'and nothing is missed'
canonical='my ($j) = JSON::PP->new->utf8->decode_prefix($_);
	print JSON::PP->new->canonical->encode($j->{jobs} && $j->{"fio version"} ?
		$j->{jobs}[1]{tickwise}[0] : $j)'
own a:0 b:0
added $json
stays 'JSON'
is "$(perl -MJSON::PP -0777 -ne 's/\A.*?^(?=\{)//ms; '"$canonical" "$out")" \
	"$("$tickwise" report --json b.2.9.tickwise.json |
		perl -MJSON::PP -0777 -ne "$canonical")" \
	'a job has what tickwise report --json prints'
has "$err" '2 reports. To read them' 'the reports are named as ever'

# named NAME IN-JSON: passes if the job's report gets to the one of two that has its name
named() {
	left a:0:2
	cp left/a.2.9.tickwise.json one
	NAME=$1 perl -pe 's/"name": "a"/"name": "$ENV{NAME}"/' one >left/a.2.9.tickwise.json
	own other:0 NAME:0 third:0
	NAME=$2 perl -pi -e 's/NAME/$ENV{NAME}/' own
	added $json
	stays "$2"
	is "$(sed -n '/^      "tickwise" : /=' "$out")" 14 "$1: to its job"
}
named '{x}, \"y\" \\ ]' '{x}, \"y\" \\ ]'
named '\ufffdb' "$(printf '\377')b"
named "$(printf 'n%0200d' 1)" "$(printf 'n%0126d' 0)"

left a:0:1 b:0:2
own a:0 b:0
cp own one
{
	cat one one
	printf 'some text {\n  "z": {\n}'
} >own
added $json
stays 'several documents'
sed 1d "$out" | cmp -s -n "$(wc -c <one)" - one
is "$? $(grep -c '^      "tickwise" : \[' "$out")" '0 2' 'only the last of them is changed'
own a:0 b:0

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
is "$(threads "$out") $(grep -c '^a, b on .*: 2 groups' "$out")" 'a 1 | b 2 1' \
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
document='{\n  "fio version" : "x",\n'
while IFS=/ read -r what text; do
	# shellcheck disable=SC2059	# escapes
	printf "$text" >own
	same "$nothing: it is not there, or not complete" "$what"
done <<CASES
no JSON/no JSON\n
nothing/
a list of others/$document  "disk_util" : [\n    {\n    }\n  ]\n}\n
jobs that are no list/$document  "jobs" : {\n  }\n}\n
a list without an end/$document  "jobs" : [\n    {\n    }
CASES
own a:0 b:0
cp own one
head -c 150 one >>own
same "$nothing: it is not" 'the last document is cut'
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
