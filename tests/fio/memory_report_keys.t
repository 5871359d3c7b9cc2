#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: plugin/memory_engine
#
# What the memory engine writes agrees with tickwise-memory(7), and what it writes
# of the job and the counter agrees with tickwise-report(5). Every key is in the
# manual with its type, and every key that should be there is. Defect: a report that
# grows or loses a key and a manual that does not; a figure that memlat calls
# otherwise.
. "$(dirname "$0")/memory_tap.sh"

keys=$root/tests/report_keys.pl
man=$root/core/man
{
	cat "$man/tickwise-memory.7"
	sed -n '/^\.SS Jobs/,/^\.EE/p' "$man/tickwise-report.5" |
		grep -v '^\.BR jobs ' |
		grep -E '^(\.|run |name|groupid|thread_|subjob_|pid|host|start |fio_|engine)' |
		sed 's/jobs\[\]/job/'
	sed -n '/^\.SS The counter/,/^\.SS Single/p' "$man/tickwise-report.5"
} >page

memory_fio --size=256k --tw_report=report.json
is "$status" 0 'a job'
is "$(perl "$keys" page report.json)" '' 'its report is as in the manual'
memory_fio --size=64k --bs=64k --tw_node=0 --tw_report=report.json
if [ "$status" -eq 0 ]; then
	is "$(perl "$keys" page report.json)" '' \
		'of one I/O on node 0, too: no figures'
	json report.json '!exists $j->{load}{min_ns} && $j->{memory}{node} == 0'
	ok $? 'they are missing, and not 0'
else
	skip "$(cat err)"
fi

# memlat's names for the same figures: those of its points are among ours, whichever
# figures a disturbed point has.
run_calibrated memlat --min=256K --max=256K --pages=small --curves=random \
	--point=1 --json
from_json "$out" 'print "$_\n" for sort grep { !/warm_passes/ }
	keys %{$j->{curves}[0]{points}[0]}' >theirs
sed -n 's/^\.BR load\.\([a-z_0-9]*\) .*/\1/p' "$man/tickwise-memory.7" | sort >ours
[ -s theirs ]
ok $? 'a point of memlat'
is "$(comm -23 theirs ours)" '' "load has a point's names"
done_testing
