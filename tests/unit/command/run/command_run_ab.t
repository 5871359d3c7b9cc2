#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tickwise run --ab: the jobs run with options A and B in turn, and their reports
# are compared. Fails if an option does not count, or if a side runs more often or
# earlier than the other. Fails also if a failed run is compared, or if reports
# overwrite each other.
. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/run_fake.sh"

cat >job.fio <<'END'
[global]
ioengine=io_uring
iodepth=4
[a]
rw=randread
iodepth=8
; the next one
[b]
END
cat >job2.fio <<'END'
[c]
ioengine=io_uring
END

# Each run leaves the reports of two jobs; the first one is slower with a deeper queue.
FAKE_JOBS=
FAKE_DO='. ./write'
cat >write <<END
. '$root/tests/report_files.sh'
count=\$((\$(cat count) + 1))
[ "\$count" != "\${INTERRUPT-}" ] || { trap '' INT; kill -INT \$PPID; }
echo \$count >count
cp "\$SEEN/1" "seen.\$count"
depth=\$(sed -n 's/^iodepth=//p' "\$SEEN/1" | tail -n 1)
run="run=\"run\": \"\$\$-1\","
start=\$((1700000000 + 100 * count))000000000
noise=\$((\${NOISE-0} * (count * 7 % 10)))
write_report "\${REPORT:-a.\$count.tickwise.json}" "\$run" name=a pid=\$count \\
	start=\$start run_ns=\$((1000000000 * depth + 1000000 * count + noise))
write_report "\${REPORT:-b.\$count.tickwise.json}" "\$run" name=b thread=2 \\
	pid=\$((1000 + count)) start=\$start
END

# ab ARGUMENT...: runs it, counting from the first run
ab()
{
	rm -f ./*.tickwise.json seen.*
	echo 0 >count
	fio_run "$@"
}

ab --ab='iodepth=16' --ab='--iodepth=32  direct=1' job.fio job2.fio
is "$status" 70 'a job without a report is missed in the first run'
is "$(cat count)" 1 'and no other run is made'
has "$err" '[c] left no report' 'which one'

ab --ab='iodepth=16' --ab=' --iodepth=32  direct=1 ' job.fio
is "$status $(cat count)" '1 10' 'five runs of each side; B is slower'
is "$(for i in 1 2 3 4 5 6 7 8 9 10; do tail -n 1 seen.$i; done | xargs)" \
	'iodepth=16 direct=1 direct=1 iodepth=16 iodepth=16 direct=1 direct=1 iodepth=16 iodepth=16 direct=1' \
	'A B B A: neither comes first more often'
is "$(sed -e "s|$engine|ENGINE|" seen.2 | xargs -d '\n')" \
	'[global] ioengine=external:ENGINE iodepth=4 [a] rw=randread iodepth=8 ; the next one iodepth=32 direct=1 [b] iodepth=32 direct=1' \
	'at the end of each job'
is "$(head -n 1 "$out")" 'B is slower than A.' 'the page of tickwise diff'
has "$out" 'Runs: 5 of A, 5 of B' 'of all runs'
has_not "$out" "fio's output" "and not fio's own"
has "$err" "fio's errors" 'but its errors'
is "$(grep -c 'run .* of 10: A' "$err") $(grep -c 'of 10: B' "$err")" '5 5' \
	'each run is announced'
again=$(sed -n 's/^  tickwise diff //p' "$err")
# shellcheck disable=SC2086	# paths without blanks
run diff $again
is "$status $(head -n 1 "$out")" '1 B is slower than A.' 'the command to compare again'

NOISE=3000000000
export NOISE
ab --ab='iodepth=16' --ab='iodepth=20' job.fio
is "$status $(cat count)" '2 10' 'runs that differ too much: no verdict'
has "$out" 'Too noisy: a change of up to' 'and not "no change"'
unset NOISE
ab --ab='iodepth=16' --ab='iodepth=16' job.fio
is "$status $(head -n 1 "$out")" \
	'0 No change from A to B above 0.1 % in I/Os per second or mean latency.' \
	'no change: how much is excluded'

INTERRUPT=5
export INTERRUPT
ab --ab=iodepth=16 --ab=iodepth=32 job.fio
is "$status $(cat count)" '2 5' 'Ctrl-C in the fifth run: exit code 2, no further run'
has "$out" 'Runs: 2 of A, 2 of B' 'the runs before it are compared'
has "$err" 'tickwise run: interrupted after 4 of 10 runs' 'and the others named as missing'
INTERRUPT=1
ab --ab=iodepth=16 --ab=iodepth=32 job.fio
is "$status $(cat count) $(cat "$out")" '2 1 ' 'Ctrl-C in the first run: nothing to compare'
has "$err" 'interrupted after 0 of 10 runs: nothing to compare' 'which is told'
INTERRUPT=
ab --ab= --ab= --runs=2 job.fio
is "$status $(cat count)" '2 4' 'two runs a side, the same options: undecided'

ab --ab=ioengine=libaio --ab= --dry-run job2.fio
is "$status $(cat count)" '65 0' 'an option counts as if it were in the file'
has "$err" 'ioengine=libaio: not converted' 'and is named'
ab --ab=iodepth=1 --ab=iodepth=2 --dry-run job.fio
is "$status $(cat count)" '0 0' '--dry-run runs nothing'
is "$(grep -c '^iodepth=1$' "$out") $(grep -c '^iodepth=2$' "$out")" '2 2' \
	'it shows the files of both sides'

FAKE_EXIT=3
ab --ab=iodepth=1 --ab=iodepth=2 job.fio
is "$status $(cat count)" '3 1' 'fio fails: its exit code, and an end'
FAKE_EXIT=0

REPORT=report.json
export REPORT
printf '[b]\nioengine=io_uring\niodepth=1\ntw_report=report.json\n' >fixed.fio
ab --ab= --ab= fixed.fio
is "$status $(cat count)" '65 2' 'a report that each run would overwrite'
has "$err" '--ab: report.json: each run would write the same report' 'which one'
FAKE_DO=
printf '[a]\nioengine=io_uring\ntw_report=none\n' >none.fio
ab --ab= --ab= none.fio
is "$status" 65 'no report'
has "$err" '--ab: this run left no report to compare' 'is an error'

for given in '--ab=a job.fio' '--ab=a --ab=b --ab=c job.fio'; do
	# shellcheck disable=SC2086	# words
	refuses 64 '--ab is given twice: for A and for B' $given
done
refuses 64 "standard input" --ab=iodepth=1 --ab=iodepth=2 - </dev/null
refuses 64 "the jobs can't be given by options" --ab=iodepth=1 --ab=iodepth=2 \
	--name=x --ioengine=io_uring
refuses 64 'these options make fio run nothing' --ab=iodepth=1 --ab=iodepth=2 --parse-only job.fio
refuses 64 '--runs takes a whole number, 1 to 32' --runs=0 job.fio
done_testing
