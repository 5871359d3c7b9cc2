#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: what can go wrong around a job ends in one clear line, a failing
# exit, and nothing left behind.
# Defect: a silent success, a crash, half a report.
. "$(dirname "$0")/fio_tap.sh"

# fails WHAT TEXT: the last run failed without a signal and said TEXT once.
fails()
{
	[ "$status" -ne 0 ] && [ "$status" -lt 128 ]
	ok $? "$1: failing exit ($status)"
	[ "$(cat out err out.json 2>/dev/null | grep -c "$2")" -ge 1 ] ||
		{ sed 's/^/# /' err; false; }
	ok $? "$1: says \"$2\""
	[ -z "$(ls | grep -E '\.part$')" ]
	ok $? "$1: no half-written file"
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
		fails "$error, thread=$mode" "$says"
		[ "$(grep -c '^tickwise: ' err)" -eq 1 ]
		ok $? "$error, thread=$mode: one line of ours"
		[ -z "$(ls | grep tickwise.json)" ]
		ok $? "$error, thread=$mode: no report of a job that never ran"
	done
done

run_fio --name=a --rw=read --size=64k --tw_report=missing/x >out
status=$?
fails "a report directory that is not there" "the latency report was not written"

mkdir sealed
chmod 500 sealed
if touch sealed/probe 2>/dev/null; then
	skip "this user may write anywhere: permissions can't be tested"
else
	run_fio --name=a --rw=read --size=64k --tw_report=sealed/x >out
	status=$?
	fails "a directory without permission" "Permission denied"
fi

mkdir small
if mount -t tmpfs -o size=4k none small 2>/dev/null; then
	run_fio --name=a --rw=read --size=1m --tw_report=small/x >out
	status=$?
	fails "a full disk" "No space left on device"
	[ -z "$(ls small)" ]
	ok $? "a full disk: nothing left on it"
	umount small
else
	skip "no small file system can be mounted: a full disk can't be tested"
fi

run_fio --name=a --rw=read --size=64k --tw_report=none >out
ok $? "tw_report=none"
[ -z "$(ls ./*.tickwise.json 2>/dev/null)" ]
ok $? "writes no report"

# fio's stdout stays fio's: a job in JSON parses as JSON.
"$FIO" --name=a --ioengine="external:$TICKWISE_SO" --rw=read --size=64k \
	--output-format=json >stdout.json 2>err
json stdout.json '$j->{jobs}[0]{read}{total_ios} == 16'
ok $? "nothing of ours in fio's stdout"
[ ! -s err ]
ok $? "and nothing on stderr when all is well"
done_testing
