#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: a job that dies while it writes its report leaves no half report under
# the report's name: the name has nothing, or what was there before. Defect: a
# report that is written in its place, or renamed before it is whole.
. "$(dirname "$0")/fio_tap.sh"

head -c 1048576 /dev/zero >k.data
job()
{
	run_fio --name=k --filename=k.data --bs=512 --size=1m --rw=randread \
		--iodepth=16 --iodepth_batch_submit=4 --tw_digits=4 \
		--tw_report=k.json "$@"
}
is_whole()
{
	json k.json '$j->{schema} eq "tickwise-report" && $j->{slowest}'
}

job
is_whole
ok $? 'a job that lives leaves a whole report'
[ "$(wc -c <k.json)" -gt 16384 ]
ok $? "of $(wc -c <k.json) bytes"

# The writer is killed when it puts the new file in its place.
dies()
{
	(
		ulimit -c 0
		LD_PRELOAD=$TW_BUILD/tests/fio/preload/dies_at_rename.so \
			job --output=/dev/null
	)
}
cp k.json before.json
dies
has err 'got signal' 'a job that is killed while it writes'
cmp -s k.json before.json
ok $? 'leaves the report of an earlier run alone'
ls tickwise-*.part >/dev/null 2>&1
ok $? 'it had begun, next to it'
rm -f k.json ./*.part
dies
[ ! -e k.json ]
ok $? 'and none where there was none'
done_testing
