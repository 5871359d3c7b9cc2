#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: a full disk, missing memory, signals and kill -9 end in a reported
# error or have no effect: no crash, no hang, no half report, no wrong number.
# Defect: a NULL that is used, a system call that a signal ends early taken for one
# that worked, a report cut off in the middle.
. "$(dirname "$0")/boot.sh"

seconds=180
boot process_faults
ok $? "the machine ran"

[ "$(cat "$shared/full.status")" -ne 0 ] &&
	[ "$(cat "$shared/full.status")" -lt 128 ]
ok $? "a full disk: a failing exit"
grep -q 'the latency report was not written.*: No space left' "$shared/full.err"
ok $? "a full disk: one line reports it"
is "$(cat "$shared/full.ls")" filler "a full disk: no half report"
json "$shared/full.fio.json" '$j->{jobs}[0]{read}{total_ios} > 0'
ok $? "a full disk: fio's own results are there"
row "no room for the report" "an error, no half report, fio's results whole" \
	"$(tail -n 1 "$shared/full.err")" "has no report"

# A signal's exit is 128 and more; 137 is the end of a hang. With too little memory
# for fio itself, fio may crash, also without our engine.
! awk 'NR == FNR { own[$1] = $2; next } $2 >= 128 && own[$1] < 128' \
	"$shared/memory.io_uring" "$shared/memory.tickwise" | grep .
ok $? "less and less memory: no crash or hang that is not fio's own"
# Where fio's own engine works, ours with its histograms may not, and then reports that.
awk '$2 != 0 && $3 == 0' "$shared/memory.tickwise" >"$scratch/silent"
while read -r kb status told; do
	awk -v kb="$kb" '$1 == kb && $2 == 0' "$shared/memory.io_uring"
done <"$scratch/silent" >"$scratch/silent_alone"
[ ! -s "$scratch/silent_alone" ]
ok $? "where only our engine fails, it tells why"
sed 's/^/# ours (kB, exit, lines): /' "$shared/memory.tickwise"
sed 's/^/# fio: /' "$shared/memory.io_uring"
row "ulimit -v from 460 to 330 MB" \
	"works or tells why; no crash that is not fio's own" \
	"exits: $(awk '{ printf "%s ", $2 }' "$shared/memory.tickwise")" \
	"exits: $(awk '{ printf "%s ", $2 }' "$shared/memory.io_uring")"

for engine in tickwise io_uring; do
	is "$(cat "$shared/storm-$engine.status")" 0 \
		"$engine: a storm of signals, $(cat \
		"$shared/storm-$engine.rounds") stops among them: succeeds"
done
json "$shared/storm-tickwise.report.json" '
	my $t = $j->{stages}{lat}{read};
	print "# $j->{counter}{verdict}: $t->{min_ns} to $t->{max_ns}\n";
	$j->{counter}{verdict} ne "unreliable" && $t->{min_ns} > 0 &&
		$t->{max_ns} < 4e9 && $j->{ios}{read} == $t->{count}'
ok $? "the latencies are whole, the counter is not blamed"
row "$(($(cat "$shared/storm-tickwise.rounds") * 5)) signals in mid-run, \
SIGSTOP among them" \
	"goes on, latencies whole" "exit $(cat "$shared/storm-tickwise.status"), \
$(value "$shared/storm-tickwise.report.json" '$j->{counter}{verdict}')" \
	"exit $(cat "$shared/storm-io_uring.status")"

for engine in tickwise io_uring; do
	[ "$(cat "$shared/killed-$engine.status")" -ne 0 ]
	ok $? "$engine: killed: fails"
done
! grep -q '\.part$' "$shared/killed-tickwise.ls"
ok $? "killed: no part of a report"
row "kill -9 of a job" \
	"no half report (fio 3.33 itself then frees its options twice)" \
	"exit $(cat "$shared/killed-tickwise.status"), no report" \
	"exit $(cat "$shared/killed-io_uring.status")"
done_testing
