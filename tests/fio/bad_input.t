#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: what can go wrong around a job ends in one clear line and a failing
# exit, and leaves nothing. Defect: a silent success, a crash, half a report.
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

for error in ENOSYS EPERM; do
	case $error in
	ENOSYS) says="no io_uring" ;;
	EPERM) says="io_uring is forbidden" ;;
	esac
	for mode in 0 1; do
		"$TW_BUILD/tests/fio/deny_io_uring" $error "$FIO" --name=a \
			--ioengine="external:$TICKWISE_SO" --rw=read --size=1m \
			--thread=$mode >out 2>err
		status=$?
		one_line "$error, thread=$mode"
		fails "$error, thread=$mode" "$says"
		[ -z "$(ls | grep -e tickwise.json -e '^a\.')" ]
		ok $? "$error, thread=$mode: no file laid out, no report"
		rm -f a.*
	done
done

run_fio --name=a --rw=read --size=64k --tw_report=missing/x >out
status=$?
one_line "a report directory that is not there"
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
	# shellcheck disable=SC2086
	$user "$FIO" --name=a --ioengine=external:./anybody.so --filename=readable \
		--rw=read --size=64k --tw_report=sealed/x >out 2>err
	status=$?
	grep '^tickwise: .*report was not written' err >ours
	mv ours err
	fails "a directory without permission" "Permission denied"
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
(
	trap '' XFSZ
	ulimit -f 1
	"$FIO" --name=a --ioengine="external:$TICKWISE_SO" --rw=randread \
		--size=64k --number_ios=200
) >/dev/null 2>err
[ "$(grep -c '^tickwise: .*report was not written' err)" -eq 1 ]
ok $? "no room for the report: one line of ours"
[ -z "$(ls | grep -e tickwise.json -e '\.part$')" ]
ok $? "no room for the report: nothing left"

run_fio --name=a --rw=read --size=64k --tw_report=none >out
ok $? "tw_report=none"
[ -z "$(ls ./*.tickwise.json 2>/dev/null)" ]
ok $? "writes no report"

mkfifo pipe
cat pipe >from_pipe &
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

# fio's stdout stays fio's: the output of a job in JSON parses as JSON.
"$FIO" --name=a --ioengine="external:$TICKWISE_SO" --rw=read --size=64k \
	--output-format=json >stdout.json 2>err
[ "$(head -c 1 stdout.json)" = "{" ] &&
	json stdout.json '$j->{jobs}[0]{read}{total_ios} == 16'
ok $? "nothing of ours in fio's stdout"
[ -z "$(messages)" ]
ok $? "and nothing on stderr when all is well"
done_testing
