#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: tickwise run with --client gets the report of each job from each host. Merged, they
# have the counts, bytes, smallest and largest latencies of the hosts' own files, and the counts
# and bytes of the jobs in fio's output. All else that fio prints stays as it is. Defect: a report
# lost, counted twice or of the wrong host; a byte of fio's output lost or added.
#
# HOSTS=32 tests/fio/client.t: with 32 hosts instead of eight.
. "$(dirname "$0")/fio_tap.sh"
. "$root/tests/fio/server_tap.sh"

# Keeps what fio prints for tickwise run.
cat >fio <<END
#!/bin/sh
case "\$*" in
*--client=*) '$FIO' "\$@" >raw; code=\$?; cat raw; exit \$code ;;
*) exec '$FIO' "\$@" ;;
esac
END
chmod +x fio

: >two
: >all
for number in $(seq "${HOSTS:-8}"); do
	mkdir at$number
	begin_server at$number
	[ $number -gt 2 ] || echo "127.0.0.1,$port" >>two
	echo "127.0.0.1,$port" >>all
done

# on LIST ARGUMENT...: runs job.fio on the hosts of a list; out has what was printed
on()
{
	list=$1
	shift
	rm -f ./*.tickwise.json at*/own.*
	timeout $hung_s "$tickwise" run --no-report --fio="$scratch/fio" --engine="$TICKWISE_SO" \
		--client="$list" "$@" job.fio >out 2>err
}

# is_unchanged DESCRIPTION [FILE]: passes if out is what fio printed, less the marked lines
is_unchanged()
{
	perl -0777 -pe 's/(<[^<>\n]*> )?tickwise-report:[0-9a-f]{32}:[^\n]*\n//g' raw >wanted
	cmp -s out wanted
	ok $? "$1"
}

sums()
{
	perl "$root/tests/fio/report_sums.pl" "$@"
}

cat >job.fio <<END
[global]
ioengine=io_uring
clocksource=clock_gettime
rw=randrw
bs=4k
size=512k
iodepth=4
tw_report=own
[a]
numjobs=2
[b]
stonewall
rw=read
bs=16k
END
for list in two all; do
	hosts=$(wc -l <$list)
	for format in normal json json+ terse; do
		on $list --output-format=$format
		ok $? "$list, $format: the jobs run"
		is_unchanged "$list, $format: fio's output is as it was"
		is "$(grep -c . <out | sed 's/[1-9].*/lines/')" lines 'it is not empty'
		grep -q " $hosts hosts: $((3 * hosts)) reports sent, $((3 * hosts)) received, 0 broken" err
		ok $? 'all reports came'
		is "$(sums ./*.tickwise.json)" "$(sums at*/own.*)" \
			"with the numbers of the hosts' own files"
	done
	"$tickwise" report --json --merge-hosts ./*.tickwise.json >merged
	is "$(sums merged)" "$(sums ./*.tickwise.json)" "$list: merged, they have them, too"
	is "$(perl -MJSON::PP -ne 'print join(",", sort map { $_->{host} }
		@{decode_json($_)->{jobs}}), "\n"' merged | tail -n 1)" \
		"$(sort $list | xargs | tr ' ' ,)" 'of the hosts that were typed'
	on $list --output-format=json
	is "$(sums --fio out)" \
		"$(sums ./*.tickwise.json | grep -v 'min\|max')" "$list: the jobs of fio's output have the same sum"
done

on two --output=file --eta=never
is "$(cat out)" '' 'with --output nothing else is printed'
is "$(grep -c 'tickwise-report' file)/$(grep -c '^All clients' file)" 0/1 \
	"the file has fio's text without reports"

timeout $hung_s "$tickwise" run --fio="$scratch/fio" --engine="$TICKWISE_SO" --client=two \
	job.fio >out 2>err
grep -q '^2 hosts: 6 reports sent, 6 received, 0 broken' out
ok $? 'the page tells how many came'

# Jobs of other kinds. Each prints something else.
kinds='rw=read rw=write rw=trimwrite rw=randread,numjobs=4 rw=randwrite,fsync=8
	rw=read,thread=1,numjobs=2 rw=write,verify=crc32c rw=randrw,group_reporting=1,numjobs=3
	rw=read,rate_iops=200 rw=read,bs=1k-16k rw=write,iodepth=64 rw=read,nrfiles=4
	rw=randread,time_based=1,runtime=1 rw=write,end_fsync=1 rw=read,description=<x>_y
	rw=randread,percentage_random=50 rw=rw,rwmixread=90 rw=read,lat_percentiles=1
	rw=write,tw_report=own rw=read,filename=/none/there'
number=0
for kind in $kinds; do
	number=$((number + 1))
	printf '[kind]\nioengine=io_uring\nclocksource=clock_gettime\nsize=128k\n%s\n' \
		"$(echo "$kind" | tr , '\n')" >job.fio
	case $((number % 4)) in
	0) on two ;;
	1) on two --output-format=json ;;
	2) on two --output-format=terse ;;
	3) on two --output-format=json+,normal ;;
	esac
	is_unchanged "$kind: fio's output is as it was"
done
is "$(find at* -name '*.json')" '' 'without tw_report no report stays on a host'

done_testing
