#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: every job in plugin/examples tells what it shows and how to run it.
# This fio understands it, runs it (shortened, on a small file), and leaves a report
# of each of its jobs. None can write to a device. Defect: an example that fio
# refuses, that was never run, or that destroys the data of a user who tries it.
. "$(dirname "$0")/fio_tap.sh"

export FIO
examples=$root/plugin/examples

# The device of all examples. It has no holes: those are no reads.
head -c 4194304 /dev/urandom >data
DEV=data
NG=data
export DEV NG
unset ENG

# example FILE [ARGUMENT...]: runs it
example()
{
	rm -f ./*.tickwise.json ./*.memory.json
	file=$1
	shift
	timeout -s KILL $hung_s "$tickwise" run --engine="$TICKWISE_SO" "$file" "$plain_clock" \
		--output-format=json --output=out.json "$@" >out 2>err
	status=$?
}

direct='s/a/a/'
if ! has_direct data; then
	direct='s/^direct=1/direct=0/'
	echo "# this file system has no O_DIRECT: direct=0"
fi

# shortened NAME [SED-EXPRESSION]: runs the example on a small file, shortened
shortened()
{
	sed -e 's/^runtime=.*/runtime=50ms/' -e 's/^size=.*/size=4m/' \
		-e "$direct" -e "${2:-s/a/a/}" "$examples/$1.fio" >short.fio
	example short.fio
}

for file in "$examples"/*.fio; do
	name=$(basename "$file")
	sed -n '/^[^#]/q; p' "$file" >header
	grep -q "tickwise run $name" header &&
		grep -q '^# SPDX-License-Identifier: GPL-2.0$' header
	ok $? "$name says how to run it, and its license"
	example "$file" --parse-only
	is "$status" 0 'fio understands it'

	# A job that may write names a file of its own, in the current directory.
	if grep -qE '^rw=.*(write|rw|trim)' "$file"; then
		is "$(grep '^filename=' "$file" | grep -c '[/$]') $(grep -c 'It writes' header)" \
			'0 1' 'it writes, to no device, and says so'
	else
		grep -qE '^rw=(rand)?read$' "$file"
		ok $? 'it only reads'
	fi
done

for name in depth-sweep etcd mixed postgres-wal qd1-read randread rated; do
	shortened $name
	is "$status $(ls ./*.tickwise.json | wc -l)" \
		"0 $(grep '^\[' short.fio | grep -vc global)" \
		"$name runs, with a report of each job"
	works 'that can be read' "$tickwise" report ./*.tickwise.json
	case $name in
	depth-sweep)
		is "$(from_json out.json 'print join " ", map { $_->{groupid} . ":" .
			$_->{"job options"}{iodepth} } @{$j->{jobs}}')" \
			'0:1 1:2 2:4 3:8 4:16 5:32 6:64 7:128' 'one depth after another' ;;
	etcd)
		json etcd.1.*.tickwise.json '$j->{ios}{sync} >= $j->{ios}{write} - 1'
		ok $? 'a sync after each write' ;;
	postgres-wal)
		json fdatasync.1.*.tickwise.json '$j->{ios}{sync} >= $j->{ios}{write} - 1'
		ok $? 'a sync after each write, or none'
		json open-datasync.2.*.tickwise.json '!$j->{ios}{sync}'
		ok $? 'as the job says' ;;
	rated)
		# The number of I/Os of a Poisson process is chance, and a busy machine may
		# leave no time for any. The check is what the example promises of each one.
		json rate-1000.1.*.tickwise.json '!$j->{ios}{read} ||
			$j->{stages}{backlog}{read}{count} == $j->{ios}{read}'
		ok $? 'it is known how late each read of a rate was' ;;
	esac
done

# On a busy machine a job may get no turn for 50 ms.
shortened memory-beside-reads 's/^startdelay=.*/startdelay=0/
	s/^runtime=.*/runtime=1/'
is "$status $(ls ./*.memory.json | wc -l) $(ls ./*.tickwise.json | wc -l)" '0 2 1' \
	'memory-beside-reads runs, with a report of each job'
json memory-beside-reads.2.*.memory.json '$j->{load}{batches} +
	$j->{load}{disturbed} > 0'
ok $? 'of loads during the reads'

# Where nothing polls, and where there is no NVMe, the half that needs neither runs.
# The other half is refused, with what it needs.
shortened polled-read
[ "$status" -eq 0 ] || grep -q 'Operation not supported' err out.json
ok $? 'polled-read: polls, or is refused by the device'
[ "$(ls interrupts.1.*.tickwise.json)" ]
ok $? 'and the job next to it runs'
shortened passthrough
has err 'external:'"${TICKWISE_SO%.so}-cmd.so" \
	'passthrough: on the engine for commands'
has err 'not a character device of an NVMe namespace' \
	'which takes no file for a drive'
[ "$(ls block-device.2.*.tickwise.json)" ]
ok $? 'and the job next to it runs'
done_testing
