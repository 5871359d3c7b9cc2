#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: plugin/memory_engine
#
# Behaviour: a memory job and an I/O job of the same job file run at the same time,
# also by `tickwise run`. Each leaves a report of what fio counted of it. Defect: a
# job that waits for the other or takes its options, its files or its report; I/Os
# that the wrong job counts.
. "$(dirname "$0")/memory_tap.sh"

export FIO
head -c 4194304 /dev/urandom >data

cat >mixed.fio <<-END
	[global]
	rw=randread
	norandommap=1
	filename=data
	time_based=1
	runtime=1

	[memory]
	ioengine=tickwise-memory
	size=1m
	bs=64k

	[reads]
	ioengine=io_uring
	size=4m
	bs=4k
	iodepth=4
END

# checks WHAT: passes if both jobs ran in one group, and the report has what fio
# counted. The time ends a job between two readings of fio's clock: nothing is lost
# by that.
checks()
{
	[ "$status" -eq 0 ] || sed 's/^/# /' err
	is "$status $(from_json out.json 'print join " ", map {
		"$_->{jobname}:$_->{groupid}" } @{$j->{jobs}}')" \
		"0 memory:0 reads:0" "$1: both jobs, at the same time"
	counted=$(from_json out.json 'print join " ", map {
		$_->{read}{clat_ns}{N} } @{$j->{jobs}}')
	reported="$(from_json "$(ls memory.1.*.memory.json)" \
			'print $j->{load}{batches} + $j->{load}{disturbed}') \
$(from_json "$(ls reads.2.*.tickwise.json)" 'print $j->{ios}{read}')"
	is "$reported" "$counted" "$1: what fio counted, of each ($counted)"
	[ "${counted% *}" -gt 0 ] && [ "${counted#* }" -gt 0 ]
	ok $? "$1: there were loads and reads"
}

for mode in 0 1; do
	rm -f ./*.json
	timeout -s KILL $hung_s "$tickwise" run --engine="$TICKWISE_SO" mixed.fio \
		--thread=$mode --output-format=json --output=out.json \
		>out 2>err
	status=$?
	checks "thread=$mode"
	has err 'mixed.fio:9: [memory] ioengine=tickwise-memory: changed to' \
		"the memory job's line is changed, and that is told"
	has_not err 'left no report' 'no other report is asked of it'
done

rm -f ./*.json
sed -e "s|=tickwise-memory|=external:$memory_so|" \
	-e "s|=io_uring|=external:$TICKWISE_SO|" mixed.fio >plain.fio
timeout -s KILL $hung_s "$FIO" "$plain_clock" --output-format=json --output=out.json plain.fio \
	>out 2>err
status=$?
checks "fio by itself"
done_testing
