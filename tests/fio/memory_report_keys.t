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

[ -z "$no_schema" ] || { echo "1..0 # SKIP $no_schema"; exit 0; }
man=$root/core/man
{
	cat "$man/tickwise-memory.7"
	sed -n '/^\.SS Jobs/,/^\.EE/p' "$man/tickwise-report.5" | grep -v '^\.BR jobs ' |
		grep -E '^(\.|run |name|groupid|thread_|subjob_|pid|host|start |fio_|engine)'
	sed -n '/^\.SS The counter/,/^\.SS Single/p' "$man/tickwise-report.5"
} >page.7
# A report has no digits apart from texts, and a number may be a whole one.
schema keys page.7 | sed 's/ digits/ string/; s/ count/ number/' | sort -u >known
sed 's/, always//' known | sort -u >types

# as_in_manual DESCRIPTION: compares the keys of report.json
as_in_manual()
{
	schema keys report.json | sed 's/ count/ number/' | sort -u >found
	is "$(comm -23 found types)" '' "$1: its keys and their types are in the manual"
	is "$(sed 's/, always$//' always | sort | comm -23 - found)" '' "$1: none is missing"
}
schema keys "$man/tickwise-memory.7" | sed -n 's/ count/ number/; /, always$/p' |
	sort -u >always

memory_fio --size=256k --tw_report=report.json
is "$status" 0 'a job'
as_in_manual 'its report'
memory_fio --size=64k --bs=64k --tw_node=0 --tw_report=report.json
if [ "$status" -eq 0 ]; then
	as_in_manual 'of one I/O on node 0, without figures'
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
