#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tickwise run puts the reports of fio's jobs into fio's JSON, and changes nothing
# else of it. Fails if a report gets to another job, or if a value or text of fio's
# changes. Fails also if fio's output is lost when it is not as expected.

. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/../../../report_files.sh"
. "$(dirname "$0")/run_fake.sh"

# The fake prints $print, and leaves the reports in left/ as its own.
FAKE_JOBS=
export FAKE_JOBS FAKE_DO
print=own
keep='for file in left/*.json; do sed "s/RUN/$$/" "$file" >"./${file#left/}"; done'
FAKE_DO='cat "$PRINT"; '$keep
mkdir left

# left NAME GROUP THREAD [variable=value]...: makes fio leave this report
left() {
	file=left/$1.$3.9.tickwise.json name=$1 group=$2 thread=$3
	shift 3
	write_report "$file" name="$name" group="$group" thread="$thread" \
		run='"run": "RUN-1",' pid=$((100 + thread)) "$@"
}

# element NAME GROUP: prints a job in fio's JSON
element() {
	printf '{"jobname": "%s", "groupid": %s, "mean": 8152.820313}' "$1" "$2"
}

# own ELEMENT...: makes fio's JSON
own() {
	list=
	for one; do list=$list${list:+, }$one; done
	printf '{\n"fio version": "fio-3.33",\n"jobs": [%s]\n}\n' "$list" >own
}

# added ARGUMENT...: runs it. Sets $places to the names and threads of the reports
# that were added, for each job of fio's JSON.
added() {
	rm -f ./*.tickwise.json
	PRINT=$print fio_run job.fio "$@"
	places=$(threads "$out" 2>/dev/null)
}

threads() {
	perl -MJSON::PP -e '
		local $/; open my $f, "<", $ARGV[0] or die;
		my $text = <$f>; $text =~ s/\A.*?^(?=\{)//ms;
		my ($json) = JSON::PP->new->decode_prefix($text);
		print join " | ", map {
			my $added = $_->{tickwise};
			$added ? join " ", map { "$_->{jobs}[0]{name} " . join ",",
				map { $_->{thread_number} } @{$_->{jobs}} } @$added :
				"none" } @{$json->{jobs}}' "$1"
}

json=--output-format=json
export PRINT=own
printf '[a]\nioengine=io_uring\n[b]\nioengine=io_uring\n' >job.fio

# ---- which report belongs to which job ----

left a 0 1
left a 0 2
left b 1 3
own "$(element a 0)" "$(element a 0)" "$(element b 1)"
added $json
is "$places" 'a 1 | a 2 | b 3' 'each thread has an element'
is "$status" 0 'all is well'
own "$(element a 0)" "$(element b 1)"
added $json
is "$places" 'a 1,2 | b 3' 'group_reporting: each group has one'
rm left/*
left a 0 1
left b 0 3
own "$(element a 0)" "$(element psync 0)" "$(element b 0)"
added $json
is "$places" 'a 1 | none | b 3' 'a job on another engine has no report'
own "$(element a 0)"
added $json
is "$places" 'a 1 b 3' 'two names in a group of one element: both'
own "$(element a 0)" "$(element b 0)"
added $json
is "$places" 'a 1 | b 3' 'a thread is not counted by fio: the name tells'
has_not "$err" "can't tell" 'which is all'
own "$(element b 7)" "$(element a 0)" "$(element b 0)"
added $json
is "$places" 'none | a 1 | b 3' 'a name counts in its group alone'
own "$(element a 0)" "$(element b 0)" "$(element b 0)" "$(element b 0)"
rm left/b*
left b 0 9
added $json
is "$places" 'a 1 | none | none | none' 'three of one name: no guess'
has "$err" "b.9.9.tickwise.json: not in fio's JSON: can't tell which" 'which is reported'
is "$status" 0 'and no failure'
rm left/b*
left b 0 2
own "$(element b 0)" "$(element c 0)"
added $json
is "$places" 'b 2 | none' 'a report of a thread that fio does not count gets nowhere'
has "$err" "a.1.9.tickwise.json: not in fio's JSON: can't tell which" 'also reported'
rm left/*
left a 0 1
left a 0 2
left a 1 3
own "$(element a 0)" "$(element a 1)" "$(element a 2)"
added $json
is "$places" 'a 1,2 | a 3 | none' 'group_reporting, one name in all groups'
rm left/*
left a 0 1
left b 0 9
own '"text"' '{"jobname": 1, "groupid": "0"}' "$(element a 0)" "$(element b 0)"
PRINT=own fio_run job.fio $json
is "$(grep -c '^      "tickwise": \[' "$out")" 2 'elements that are none of a job are passed over'

# ---- what is added, and what stays ----

rm left/*
left a 0 1
left b 0 2
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
{
	printf "fio's output\nnote: fio may say something first\n"
	cat <<-'END'
	{
	  "fio version": "fio-3.33",
	  "z": 1,
	  "a": [
	    true,
	    false,
	    null,
	    {},
	    [],
	    ""
	  ],
	  "numbers": [
	    0.1,
	    5.0,
	    123456789.123457,
	    1e300,
	    -0.5,
	    9007199254740993,
	    -3
	  ],
	  "text": "é \" \\ \n {",
	  "jobs": [
	    {
	      "jobname": "a",
	      "groupid": 0,
	      "x": 1.1,
	      "tickwise": [
	END
} >wanted
# Versions of the JSON library differ in the last digits.
head -n "$(wc -l <wanted)" "$out" | perl -pe \
	's/(?<![\w.])(\d+(?:\.\d+)?(?:e[-+]?\d+)?)/$x = $1; $x =~ m{^\d+$|\.0$} ? $x :
		sprintf "%.15g", $x/ge; s/1e\+300/1e300/' >begin
is "$(cat begin)" "$(cat wanted)" 'fio'\''s text and keys are there in their order'
is "$(tail -n 2 "$out" | xargs)" '} and last' 'and the text behind it'
report_of() {
	"$tickwise" report --json "$1" |
		perl -MJSON::PP -e 'local $/; print JSON::PP->new->canonical->encode(decode_json(<>))'
}
perl -MJSON::PP -e 'local $/; open my $f, "<", $ARGV[0]; my $t = <$f>; $t =~ s/\A.*?^(?=\{)//ms;
	my ($j) = JSON::PP->new->utf8->decode_prefix($t);
	print JSON::PP->new->canonical->encode($j->{jobs}[1]{tickwise}[0])' "$out" >two
is "$(cat two)" "$(report_of b.2.9.tickwise.json)" 'a job has what tickwise report --json prints'
has "$err" '2 reports. To read them' 'the reports are named as ever'

printf '{\n"jobs": []\n}\n' >first
own "$(element a 0)" "$(element b 0)"
cat own >>first
print=first
added $json
is "$(sed -n '2,4p' "$out" | xargs) $(grep -c '^      "tickwise": \[' "$out")" '{ jobs: [] } 2' \
	'of several only the last is changed'
print=own

# ---- when it is asked for ----

for arguments in '--output-format json' '-F json' --output-format=json+ \
		'--output-format=normal,json' '--minimal --output-format=json' \
		'--output-format=terse --output-format=json'; do
	# shellcheck disable=SC2086
	added $arguments
	is "$places" 'a 1 | b 2' "$arguments"
done
for arguments in '' --output-format=normal '--output-format=json --minimal' \
		'--output-format=json -m' '--output-format=json -F terse'; do
	# shellcheck disable=SC2086
	added $arguments
	is "$places" 'none | none' "unchanged:${arguments:+ }$arguments"
	is "$(sed 1d "$out")" "$(cat own)" 'all of it'
done
added $json --parse-only
is "$(sed 1d "$out")" "$(cat own)" 'nothing runs: unchanged'
page=
added $json --report
unset page
is "$places $(grep -c '^a: iodepth' "$out")" 'a 1 | b 2 1' '--report prints its page behind'

# ---- in a file ----

FAKE_DO='cat "$PRINT" >"$SEEN/../file"; '$keep
: >file
chmod 640 file
ln -s file link
before=$(stat -c '%i %a' file)
added $json --output=other --output=link
is "$(threads file)" 'a 1 | b 2' '--output: the file is changed'
is "$(cat "$out")" "fio's output" 'and nothing more is printed'
is "$(stat -c '%i %a' file) $(readlink link)" "$before file" 'itself, with its mode'
added -o file $json
is "$(threads file)" 'a 1 | b 2' '-o FILE'
added --output=/dev/null $json
is "$status $(grep -c . "$err")" '0 5' 'no file: nothing is reported'
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
	PRINT=own fio_run job.fio $json
	sed 1d "$out" | cmp -s - own
	ok $? "$2: as it is"
	has "$err" "$1" 'and why'
}
nothing="nothing was added to fio's JSON"
echo 'no JSON' >own
same "$nothing: there is none" 'no JSON'
is "$status" 0 "fio's exit code"
: >own
same "$nothing: there is none" 'nothing'
printf '{\n"jobs": [\n' >own
same "$nothing: " 'half of it'
printf '{\n"jobs": {}\n}\n' >own
same "$nothing" 'jobs that are no list'
printf '{\n"a": 18446744073709551616, "jobs": []\n}\n' >own
same "$nothing: too big integer" 'a number that would change'
printf '{\n"a": "\377", "jobs": []\n}\n' >own
same "$nothing: " 'bytes that are no characters'
printf '{\n"a": "x\0y"\n}\n' >own
same "$nothing: " 'a byte of 0'
own "$(element a 0)" "$(element b 0)"
echo '{"schema": "tickwise-report", "version": 99, "jobs": [{"run": "RUN-1", "name": "b"}]}' \
	>left/b.2.9.tickwise.json
same "$nothing" 'a report of another version'
has "$err" 'b.2.9.tickwise.json: ' 'with its path'
rm left/*
left a 0 1
cp left/a.1.9.tickwise.json left/copy.1.9.tickwise.json
own "$(element a 0)"
same "$nothing" 'two reports of one job'
has "$err" 'the same job as' 'and why not'
rm left/*
echo 'fio: it failed' >own
FAKE_DO='cat "$PRINT"'
FAKE_EXIT=1 fio_run job.fio $json
is "$status $(xargs <own) $(sed 1d "$out")" '1 fio: it failed fio: it failed' 'fio failed: its text and its exit code'
has_not "$err" "$nothing" 'and no more is reported'
PRINT=own FAKE_DO='kill -TERM $$' fio_run job.fio $json
is "$status $(cat "$out")" "143 fio's output" 'fio was killed: its text is printed'
left a 0 1
left b 0 2
FAKE_DO='cat "$PRINT"; '$keep
"$tickwise" run --engine="$engine" job.fio $json >/dev/full 2>"$err"
is $? 74 'it can'\''t be printed'
done_testing
