#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: plugin
#
# What the engine writes agrees with tickwise-report(5): every key is in the manual
# with its type, and every key that should be there is. Fails if the engine's report
# grows or loses a key and the manual does not.
. "$(dirname "$0")/fio_tap.sh"

keys=$root/tests/report_keys.pl
manual=${TW_BUILD:-$root/build}/man/tickwise-report.5

run_fio --name=schema --filename=data --size=1m --rw=randrw --bs=4k \
	--iodepth=8 --iodepth_batch_submit=4 --fsync=16 --loops=2 \
	--tw_report=report.json
ok $? 'a job of reads, writes and syncs'
is "$(perl "$keys" "$manual" report.json)" '' 'its report is as in the manual'
run report report.json
is "$status" 0 'and is read'
run report --html=page.html --percentiles=p. report.json
is "$status" 0 'as plots and percentiles, too'
[ -s page.html ] && [ -s p.schema.write.lat.hgrm ]
ok $? 'which are there'
done_testing
