#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests: plugin
#
# Behaviour: what can go wrong around a job ends in one clear line and a failing
# exit, and leaves nothing. A set-up that fails ends the job as with fio's own engine, in a
# process and in a thread. Defect: a silent success, a crash, half a report; a clean-up that
# uses what was not set up yet, so that a signal kills the job or, with threads, all of fio.
. "$(dirname "$0")/fio_tap.sh"

# fails WHAT TEXT: passes if the last run failed without a signal and printed TEXT.
# (fio adds lines of its own; ours are counted below.)
fails()
{
	[ "$status" -ne 0 ] && [ "$status" -lt 128 ]
	ok $? "$1: failing exit ($status)"
	[ "$(cat out err out.json 2>/dev/null | grep -cF "$2")" -ge 1 ] ||
		{ sed 's/^/# /' err; false; }
	ok $? "$1: says \"$2\""
	[ -z "$(ls | grep -E '\.part$')" ]
	ok $? "$1: no half-written file"
	rm -f out err out.json
}

# one_line WHAT: passes if exactly one line is ours
one_line()
{
	[ "$(messages | grep -c '^tickwise: ')" -eq 1 ]
	ok $? "$1: one line of ours"
}

run_fio --name=a --filename=missing --allow_file_create=0 --rw=read \
	--size=1m >out
status=$?
fails "a missing file" "file creation disallowed"

run_fio --name=a --tw_nonsense=1 --rw=read --size=1m >out
status=$?
fails "an unknown option" "tw_nonsense"

run_fio --name=a --tw_digits=9 --rw=read --size=1m >out
status=$?
fails "a value out of range" "tw_digits"

# denied ERROR TEXT ARGUMENT: runs a job where io_uring_setup() fails
denied()
{
	"$TW_BUILD/tests/fio/deny_io_uring" "$1" "$FIO" "$plain_clock" --name=a \
		--ioengine="external:$TICKWISE_SO" --rw=read --size=1m "$3" >out 2>err
	status=$?
	one_line "$1"
	fails "$1" "$2"
	[ -z "$(ls | grep -e tickwise.json -e '^a\.')" ]
	ok $? "$1: no file laid out, no report"
	rm -f a.*
}
denied ENOSYS 'no io_uring' --thread=0
denied EPERM 'io_uring is forbidden' --thread=1

run_fio --name=a --rw=read --size=64k --tw_report=missing/x >out
status=$?
one_line "a report directory that is not there"
has err "missing/x: the latency report was not written here: No such file or directory; it is \
in $(ls a.1.*.tickwise.json)" 'the report is in the current folder instead'
json a.1.*.tickwise.json '$j->{ios}{read} == 16'
ok $? 'all of it'
rm -f a.1.*
fails "a report directory that is not there" "the latency report was not written"

# Root may write anywhere, so it becomes another user for this, with copies that all
# users may read.
mkdir sealed
chmod 500 sealed
user=
as="$scratch"
if touch sealed/probe 2>/dev/null; then
	user='setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs'
	chmod 711 .
	cp "$TICKWISE_SO" anybody.so
	cp "$TW_BUILD/tests/fio/have_io_uring" .
	head -c 65536 /dev/zero >readable
	chmod 644 readable
	chmod 755 anybody.so have_io_uring
	# shellcheck disable=SC2086
	$user ./have_io_uring 2>/dev/null || as=
fi
if [ -n "$as" ]; then
	[ -n "$user" ] || cp "$TICKWISE_SO" anybody.so
	head -c 65536 /dev/zero >readable
	cp "$tickwise" .
	chmod 755 tickwise
	# That user can write to no folder but that of temporary files.
	mkdir temporary
	chmod 777 temporary
	chmod 755 .
	# shellcheck disable=SC2086
	TMPDIR=$PWD/temporary $user ./tickwise run --fio="$FIO" --engine=./anybody.so \
		--no-report --name=a --filename=readable --ioengine=io_uring \
		--rw=read --size=64k --tw_report=sealed/x >out 2>err
	status=$?
	grep -F "tickwise report $PWD/temporary/a.1." err >/dev/null || [ -z "$user" ]
	ok $? 'the report is in the folder of temporary files, and run finds it'
	grep '^tickwise: .*report was not written' err >ours
	mv ours err
	fails "a directory without permission" "Permission denied"
	rm -f a.1.*.tickwise.json
	chmod 711 .
else
	skip "there is no other user with an io_uring: permissions can't be tested"
fi

mkdir small
if mount -t tmpfs -o size=4k none small 2>/dev/null; then
	run_fio --name=a --rw=read --size=1m --tw_report=small/x >out
	status=$?
	one_line "a full disk"
	fails "a full disk" "No space left on device"
	[ -z "$(ls small)" ]
	ok $? "a full disk: nothing left on it"
	umount small
else
	skip "no small file system can be mounted: a full disk can't be tested"
fi

# The shell's limit on file sizes is a full disk for any user.
rm -f ./*.tickwise.json
for action in DEFAULT IGNORE; do
	(
		ulimit -f 1
		perl -e '$SIG{XFSZ} = shift; exec @ARGV' $action \
			"$FIO" "$plain_clock" --name=a --ioengine="external:$TICKWISE_SO" --rw=randread \
			--size=64k --number_ios=200
	) >/dev/null 2>err
	[ "$(grep -c '^tickwise: .*report was not written: File too large$' err)" -eq 1 ]
	ok $? "no room for the report, SIGXFSZ $action: one line of ours"
	[ -z "$(ls | grep -e tickwise.json -e '\.part$')" ]
	ok $? "no room for the report: nothing left"
done

if [ -e /dev/full ]; then
	run_fio --name=a --rw=read --size=64k --tw_report=/dev/full >out
	has err "/dev/full: the latency report was not written here: No space left on device; \
it is in $(ls a.1.*.tickwise.json)" 'a device without room'
	rm -f a.1.*
fi

# Names of jobs, and what they become in the names of the report and of its intervals, for
# jobs of one fio.
head -c 65536 /dev/zero >a.1.0
hundred=$(perl -e 'print "x" x 100')
long=$hundred$hundred$hundred
wide=x$(perl -e 'print "\xc3\xa4" x 150')
rm -f ./*.tickwise.* ./.[!.]*
set --
for name in "$long" "$wide" 'a/../b' '..' '-x' "$(printf 'a\tb\nc\377')"; do
	set -- "$@" "--name=$name" --filename=a.1.0 --rw=read --size=64k --tw_interval=1h
done
run_fio "$@" >out
is "$? $(ls -A | grep -c 'tickwise\.')" '0 12' 'odd names: each has a report and its intervals'
is "$(ls | sed -n 's/\.\([1-6]\)\.[0-9]*\.tickwise\.json$/ \1/p' | sort -k2)" "$hundred 1
x$(perl -e 'print "\xc3\xa4" x 49') 2
a_.._b 3
_. 4
_x 5
a_b_c_ 6" '300 bytes, wide letters, a slash, hidden, like an option, not shown'
is "$(for report in ./*.tickwise.json; do
		from_json "$report" 'print "$j->{jobs}[0]{thread_number} ",
			length $j->{jobs}[0]{name}, "\n"'
	done | sort | tr '\n' ' ')" '1 300 2 301 3 6 4 2 5 2 6 8 ' 'whole in the reports'
works 'which can be read' "$tickwise" report ./*.tickwise.json

many=$(perl -e 'print "y" x 254')
rm -f ./*.tickwise.*
run_fio --name=a --filename=a.1.0 --rw=read --size=64k --tw_report="$many" --numjobs=2 >out
is "$(ls ./*.tickwise.json | wc -l) $(grep -c 'File name too long; it is in' err)" '2 2' \
	'tw_report with a name that the number of the job makes too long'

# A link that another user made leads root nowhere.
rm -f ./*.tickwise.*
echo old >root
if ln -s root theirs && chown -h 65534 theirs 2>/dev/null && [ "$(id -u)" -eq 0 ]; then
	ln -s root theirs.intervals.jsonl
	chown -h 65534 theirs.intervals.jsonl
	run_fio --name=a --filename=a.1.0 --rw=read --size=64k --tw_report=theirs \
		--tw_interval=1h >out
	is "$(cat root) $(grep -c 'a link of another user' err)" 'old 2' \
		'links of another user are not followed'
	is "$(ls a.1.*.tickwise.* | wc -l)" 2 'but nothing is lost'
else
	skip "only root can make links of others"
fi
rm -f theirs* root ./*.tickwise.*

run_fio --name=a --rw=read --size=64k --tw_report=none >out
ok $? "tw_report=none"
[ -z "$(ls ./*.tickwise.json 2>/dev/null)" ]
ok $? "writes no report"

mkfifo pipe
timeout $hung_s cat pipe >from_pipe &
run_fio --name=a --rw=read --size=64k --tw_report=pipe >out
wait
[ -p pipe ] && json from_pipe '$j->{ios}{read} == 16'
ok $? "a pipe is written to, not replaced"
: >target
ln -s target link
run_fio --name=a --rw=read --size=64k --tw_report=link >out
[ -L link ] && json target '$j->{ios}{read} == 16'
ok $? "a link is followed, not replaced"

cpu=$(awk -F'[-,]' '/Cpus_allowed_list/ { print $NF }' /proc/self/status |
	tr -dc 0-9)
for clock in --clocksource=gettimeofday --gtod_cpu="$cpu" \
		--clocksource=clock_gettime; do
	rm -f ./*.tickwise.json
	run_fio --name=a --rw=read --size=64k $clock >out
	"$tickwise" report ./a.1.*.tickwise.json >page 2>&1
	ok $? "$clock: the report can be read back"
done
rm -f ./*.tickwise.json

# A job that dies while it writes its report: the writer is killed when it puts the new file
# in its place. The name has nothing, or what was there before.
dies()
{
	(
		ulimit -c 0
		LD_PRELOAD=$TW_BUILD/tests/fio/preload/dies_at_rename.so \
			run_fio --name=a --filename=a.1.0 --rw=read --size=64k \
			--tw_report=k.json --output=/dev/null
	)
}
echo before >k.json
dies
has err 'got signal' 'a job that is killed while it writes'
is "$(cat k.json) $(ls tickwise-*.part | wc -l)" 'before 1' \
	'leaves an earlier report alone; it had begun, next to it'
rm -f k.json ./*.part
dies
[ ! -e k.json ]
ok $? 'and none where there was none'
rm -f ./*.part

# fio's stdout stays fio's: the output of a job in JSON parses as JSON.
"$FIO" "$plain_clock" --name=a --ioengine="external:$TICKWISE_SO" --rw=read --size=64k \
	--output-format=json >stdout.json 2>err
[ "$(head -c 1 stdout.json)" = "{" ] &&
	json stdout.json '$j->{jobs}[0]{read}{total_ios} == 16'
ok $? "nothing of ours in fio's stdout"
[ -z "$(messages)" ]
ok $? "and nothing on stderr when all is well"

rm -f ./*.tickwise.json
# set_up_fails WORDS TEXT ARGUMENT...: passes if the job fails and prints TEXT
set_up_fails()
{
	words=$1
	text=$2
	shift 2
	for mode in 0 1; do
		timeout -s KILL $hung_s "$FIO" "$plain_clock" --ioengine="external:$TICKWISE_SO" \
			--name=f --filename=f.data --size=64k --bs=4k \
			--rw=randread --thread=$mode "$@" >out 2>&1
		is $? 1 "$words, thread=$mode: exit 1 as with fio's engine"
		has out "$text" 'the reason'
		has_not out 'got signal' 'no signal'
		is "$(ls ./*.tickwise.json 2>/dev/null)" '' 'no report'
	done
}

set_up_fails 'options that contradict each other' 'mutually exclusive' \
	--cmdprio_percentage=10 --cmdprio_bssplit=4k/20
set_up_fails 'a ring larger than the kernel makes them' 'Invalid argument' \
	--iodepth=65536 --bs=512
done_testing
