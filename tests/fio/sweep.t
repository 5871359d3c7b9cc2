#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: tickwise sweep with a real fio, on a device that takes no time: the trials of a job run
# at their rates in an open loop, and their reports are read. Defect: fio or the engine refuses an
# option of the trials, a report is not found, or the trials have no backlog.
. "$(dirname "$0")/fio_tap.sh"

export FIO

# sweeps ARGUMENT...: sets status
sweeps()
{
	rm -rf trials
	timeout -s KILL $hung_s "$tickwise" sweep --engine="$TICKWISE_SO" --for=5 \
		--reports=trials --json "$@" >out 2>err
	status=$?
}

cat >job.fio <<END
[global]
ioengine=io_uring
filename=data
size=1m
tw_kernel=off
tw_test_nop=1
[a]
rw=randread
numjobs=2
[b]
rw=randwrite
END
head -c 1048576 /dev/zero >data
# Rates are whole I/Os of each of three jobs.
# More time than any load takes: the rates are low, as nobody knows how busy this machine is.
sweeps --write --goal='p99<10s' job.fio
case $status in 0 | 2) ok 0 'a job' ;; *) ok 1 'a job' ;; esac || shows err
json out '$j->{capacity} > 0 && @{$j->{loads}} && $j->{loads}[0]{ios} > 0 &&
	abs($j->{loads}[0]{rate} - 0.1 * $j->{capacity}) < 1.51 && $j->{loads}[0]{response}{p50_ns}'
ok $? 'the first load' || shows out err
is "$(find trials -name '*.a.*.tickwise.json' | wc -l)" \
	"$((2 * $(find trials -name '*.b.*.tickwise.json' | wc -l)))" 'each job leaves its reports'
file=$(grep -l 'tw_rate_iops' trials/*.b.*.tickwise.json | head -n 1)
json "$file" '$j->{stages}{backlog}{write}{count} == $j->{ios}{write} && $j->{ios}{write}'
ok $? 'I/Os are due at a rate' || shows "$file"

# What would write is refused, however it is written.
for line in rw=randwrite readwrite=randwrite 'rw=randrw' 'numjobs=$ncpus' exitall; do
	printf '[global]\nioengine=io_uring\nfilename=data\nsize=1m\n[a]\n%s\n' "$line" >bad.fio
	sweeps bad.fio
	works "$line is refused in one line" test "$(tail -n 1 err | grep -c '\[a\]:') $(wc -c <out)" = '1 0'
done
is "$(tr -d '\0' <data | wc -c)" 0 'nothing was written'

printf '[a]\nioengine=io_uring\nrw=read\nsize=1m\ndirectory=.\n' >lay.fio
sweeps lay.fio
is "$status $(tail -n 1 err | grep -c 'make them first: fio --create_only=1 lay.fio$')" '70 1' \
	'a file that is not there yet: what to do' || shows err

sweeps data
case $status in 0 | 2) ok 0 'a file' ;; *) ok 1 'a file' ;; esac || shows err
json out '!$j->{goal}{is_given} && $j->{goal}{ns} > 0'
ok $? 'the goal is of the first load' || shows out
done_testing
