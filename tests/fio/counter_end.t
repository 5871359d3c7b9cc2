#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: plugin
#
# Behaviour: the engine checks the counter again when a job has ended. After a sleep
# of the machine, or if the system clock and the counter disagree, the job's report
# calls the counter unreliable, with the reason, and stderr does so once. A good run
# prints nothing. Defect: latencies of a clock that went wrong in mid-run, passed
# off as good.
. "$(dirname "$0")/fio_tap.sh"

# job [NAME=VALUE]...: runs two reads, with a pause between them, in which the clock
# goes wrong. If others had the CPU for all of a calibration or of the check at the
# end, there is rightly no verdict; then it runs another job.
job()
{
	for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		rm -f ./*.tickwise.json
		env "$@" "$FIO" --name=end \
			--ioengine="external:$TICKWISE_SO" \
			--filename=end.data --size=1m --bs=4k --rw=randread \
			--number_ios=2 --thinktime=50ms --output-format=json \
			--output=out.json 2>err || return
		json end.*.tickwise.json '!$j->{jobs}[0]{fallback} && !grep {
			$_->{code} eq "end_unchecked" ||
			$_->{code} eq "end_prediction_undecided" }
				@{$j->{counter}{reasons}}' && return
		echo "# try $try: $(from_json end.*.tickwise.json 'print join ", ",
			map { $_->{code} } @{$j->{counter}{reasons}}')$(head -n 1 err)"
	done
}

preload=LD_PRELOAD=$TW_BUILD/tests/fio/preload/clock_fault.so

job A=1
ok $? 'a good run'
json end.*.tickwise.json '!$j->{jobs}[0]{fallback}' || {
	skip "the counter is not used here: $(head -n 1 err)"
	done_testing
}
json end.*.tickwise.json '$j->{counter}{at_end}{checks}[0]{state} eq "good" &&
	!grep { $_->{state} eq "bad" } @{$j->{counter}{at_end}{checks}}'
ok $? 'nothing is bad at its end'
json end.*.tickwise.json '@{$j->{counter}{at_end}{checks}} >= 6 &&
	!grep { !$_->{cannot_see} } @{$j->{counter}{at_end}{checks}}'
ok $? 'and each look says what it cannot see'
is "$(grep -c unreliable err)$(grep -c 'not reliable' err)" 00 \
	'nothing is told on stderr'

bad() # FAULT CHECK
{
	job "$preload" CLOCK_FAULT="$1"
	ok $? "$1: the run itself goes on"
	json end.*.tickwise.json '$j->{counter}{verdict} eq "unreliable" &&
		grep { $_->{code} eq "end_'"$2"'" } @{$j->{counter}{reasons}}'
	ok $? "the report calls the counter unreliable, because of $2"
	is "$(grep -c '^tickwise: end: the counter was not reliable' err)" 1 \
		'told once on stderr'
	"${TICKWISE:-$TW_BUILD/tickwise}" report end.*.tickwise.json >page
	grep -q 'WARNING: the counter is unreliable' page
	ok $? 'and the page begins with a warning'
}
bad boottime suspend
bad raw prediction
done_testing
