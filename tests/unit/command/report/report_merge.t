#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Jobs of one group of one fio run are added up. Other groups, other runs and other
# names stay apart, in any order of the files. A file given twice is refused. Fails
# if anything is counted twice, lost, or mixed.
. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/../../../report_files.sh"

cd "$scratch" || exit 1
case $tickwise in /*) ;; *) tickwise=$OLDPWD/$tickwise ;; esac

write_report a1.json thread=1 slow=901
write_report a2.json thread=2 slow=1023 pid=101 errors=4 fio_ns=-90000.0 \
	fio_ppb=-9000.0 start=1700000000000300000
run report --clocks a2.json a1.json
is "$(grep -c '^randread:' "$out")" 1 'two jobs of a group are one'
has "$out" 'randread: iodepth 32, 2 jobs,' 'and it says so'
has "$out" 'reports  a1.json, a2.json' 'and from where'
has "$out" 'read: 200 I/Os' 'I/Os are added'
has "$out" '4 errors' 'errors are added'
is "$(awk '$1 == "lat" { print $2, $4, $5; exit }' "$out")" \
	'100ns 100ns 900ns' 'one table for both'
has "$out" '1.023us' 'the larger maximum'
has "$out" '-90000' 'the clock farther off'
has_not "$out" '-74390' 'not the other'
has "$out" 'for each clock the one farthest off' 'and it says so'
cp "$out" first
run report --clocks a1.json a2.json
is "$(cat "$out")" "$(cat first)" 'the same in the other order'

# Two errors of one size: the one with the larger uncertainty stands for both,
# whichever comes first.
write_report t1.json thread=1 fio_ppb=9000.0
write_report t2.json thread=2 fio_ppb=-9000.0
sed 's/"uncertainty_ppb": 2.5/"uncertainty_ppb": 7.5/' t1.json >u1.json
sed 's/"uncertainty_ppb": 2.5/"uncertainty_ppb": 7.5/' t2.json >u2.json
run report --clocks t1.json u2.json
is "$(awk '/^fio [(]/ { print $5, $7 }' "$out")" '-9000 7.500' \
	'errors alike: the less well known one'
run report --clocks u1.json t2.json
is "$(awk '/^fio [(]/ { print $5, $7 }' "$out")" '+9000 7.500' \
	'also if that comes first'

# The next run of the same job file, which ended after 10 s, a minute later.
write_report b1.json thread=1 pid=200 start=1700000060000000000
write_report b2.json thread=2 pid=201 start=1700000060000000000
run report b1.json a1.json b2.json a2.json
is "$(grep -c ', 2 jobs,' "$out")" 2 'two runs stay apart'
run report a1.json b2.json
is "$(grep -c 'read: 100 I/Os' "$out")" 2 'also when files are missing'

# A run of 10 s; a job may start up to a second late.
for start in 10900000000 11100000000; do
	write_report late.json thread=2 start=17000000$start
	run report a1.json late.json
	is "$(grep -c 'read: 100 I/Os' "$out")" $((start / 11000000000 * 2)) \
		"a job that began $start ns after the first"
done

write_report a3.json thread=1 pid=300
run report a1.json a3.json
is "$(grep -c 'read: 100 I/Os' "$out")" 2 'also when they ran side by side'

write_report c.json thread=2 name=other
run report a1.json c.json
is "$(grep -c 'read: 100 I/Os' "$out")" 2 'another name stays apart'
write_report d.json thread=2 group=1
run report a1.json d.json
is "$(grep -c 'read: 100 I/Os' "$out")" 2 'another group stays apart'
write_report e.json thread=2
for other in 's/"iodepth": 32/"iodepth": 31/' 's/"fio-3.33"/"fio-3.34"/' \
	's/"engine": "tickwise"/"engine": "tickwise-cmd"/'; do
	sed "$other" e.json >e2.json
	run report a1.json e2.json
	is "$(grep -c 'read: 100 I/Os' "$out")" 2 "$other: stays apart"
done
write_report e2.json thread=2 digits=2
run report a1.json e2.json
is "$(grep -c 'read: 100 I/Os' "$out")" 2 'other digits stay apart'

write_report r1.json run='"run": "7", '
write_report r2.json run='"run": "8", ' thread=2
write_report r3.json run='"run": "7", ' thread=3 start=1700009000000000000
run report r1.json r2.json r3.json
has "$out" 'reports  r1.json, r3.json' 'where runs are named, they decide'

# Two hosts; on the second one, a later run as well.
for file in a1 a2; do
	sed 's/"host": "box"/"host": "bax"/' $file.json >h$file.json
	sed 's/"start": "17000000000/"start": "17000000600/' h$file.json >l$file.json
done
run report a1.json a2.json ha1.json ha2.json
is "$(grep -c ', 2 jobs,' "$out")" 2 'hosts stay apart'
run report --merge-hosts a1.json a2.json ha1.json ha2.json la1.json
is "$(grep -c ', 4 jobs,' "$out")" 1 'unless they shall not'
has "$out" 'and 1 more' 'and it says so'
is "$(grep -c 'read: 100 I/Os' "$out")" 1 'a later run stays apart all the same'
run report --merge-hosts a1.json la1.json
is "$(grep -c 'read: 100 I/Os' "$out")" 2 'also with nothing of its host'
sed 's/"host": "box"/"host": "bax"/; s/"7"/"8"/' r1.json >hr.json
run report --merge-hosts r1.json hr.json r2.json
is "$(grep -c ', 2 jobs,' "$out")" 1 'a host has one run in a group'

cp a1.json copy.json
run report a1.json a2.json copy.json
is "$status" 65 'the same job twice is refused'
is "$(cat "$err")" 'tickwise report: copy.json: the same job as a1.json' \
	'with both names'
is "$(cat "$out")" '' 'and nothing is printed'

# So is each job of a report of five.
for i in 1 2 3 4 5; do
	write_report "of5_$i.json" run='"run": "5",' "thread=$i" "pid=$((500 + i))"
done
run report --json of5_*.json
cp "$out" of5.json
is "$(of_json 'scalar @{$r->{jobs}}')" 5 'a report of five jobs'
for i in 1 2 3 4 5; do
	run report of5.json "of5_$i.json"
	has "$err" "the same job as" "and its job $i again"
done

sed 's/"read": 100,/"read": "18446744073709551615",/' a2.json >huge.json
run report a1.json huge.json
is "$status" 65 'counts beyond 64 bits are refused'
done_testing
