#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tickwise run --ab: the jobs run with options A and B in turn, and their reports
# are compared. Fails if an option does not count, or if a side runs more often or
# earlier than the other. Fails also if a failed run is compared, or if reports
# overwrite each other.
. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/../../../report_files.sh"
. "$(dirname "$0")/run_fake.sh"

printf '[global]\nioengine=io_uring\niodepth=4\n[a]\nrw=randread\niodepth=8
; the next one\n[b]\n' >job.fio
printf '[c]\nioengine=io_uring\n' >job2.fio

# Each run leaves the reports of two jobs; the first one is slower with a deeper queue.
FAKE_JOBS=
FAKE_DO='. ./write'
for job in a b; do
	write_report $job.made name=$job pid=PID start=START run_ns=RUN_NS \
		thread=$([ $job = a ]; echo $(($? + 1))) run='"run": "RUN-1",'
done
cat >write <<'END'
count=$(($(cat count) + 1))
[ "$count" != "${INTERRUPT-}" ] || { trap '' INT; kill -INT $PPID; }
echo $count >count
cp "$SEEN/1" "seen.$count"
depth=$(sed -n 's/^iodepth=//p' "$SEEN/1" | tail -n 1)
for of in "a $count $depth" "b $((1000 + count)) 10"; do
	set -- $of
	sed "s/PID/$2/; s/RUN_NS/$((1000000000 * $3 + 1000000 * count + ${NOISE:-0} * (count * 37 % 11)))/
		s/START/$((17000 + count))00000000000000/; s/RUN/$$/" \
		$1.made >"${REPORT:-$1.$count.tickwise.json}"
done
END

# ab WHAT WANTED ARGUMENT...: passes if this is the exit code, and this many runs were made
ab()
{
	what=$1 wanted=$2
	shift 2
	rm -f ./*.tickwise.json seen.*
	echo 0 >count
	fio_run "$@"
	is "$status $(cat count)" "$wanted" "$what"
}

ab 'a job without a report is missed in the first run, which is the last' '70 1' \
	--ab=iodepth=16 --ab='--iodepth=32  direct=1' job.fio job2.fio
has "$err" '[c] left no report' 'which one'

ab 'six runs of each side; B is slower' '1 12' \
	--ab='iodepth=16' --ab=' --iodepth=32  direct=1 ' job.fio
is "$(for i in 1 2 3 4 5 6 7 8 9 10 11 12; do tail -n 1 seen.$i; done | sed 's/i.*/A/; s/d.*/B/' |
	xargs)" 'A B B A A B B A A B B A' \
	'A B B A: neither comes first more often'
is "$(sed -e "s|$engine|ENGINE|" seen.2 | xargs -d '\n')" \
	'[global] ioengine=external:ENGINE iodepth=4 [a] rw=randread iodepth=8 ; the next one '\
'iodepth=32 direct=1 [b] iodepth=32 direct=1' \
	'at the end of each job'
is "$(head -n 1 "$out" | cut -d: -f1) $(grep '^Runs: ' "$out" | cut -c 1-20) $(grep -c "fio's output" "$out")" \
	'B is slower Runs: 6 of A, 6 of B 0' \
	"the page of tickwise diff, of all runs, and not fio's own"
is "$(grep -c "fio's errors" "$err") $(grep -c 'run .* of 12: A' "$err") $(grep -c \
	'of 12: B' "$err")" '12 6 6' "fio's errors are shown, and each run is announced"
is "$(grep -cE 'run 1 of 12: A$|run [0-9]+ of 12: [AB], about [0-9]+ (s|min) left$' "$err")" 12 \
	'with the time left, as soon as it is known'
again=$(sed -n 's/^  tickwise diff //p' "$err")
# shellcheck disable=SC2086	# paths without blanks
run diff $again
is "$status $(head -n 1 "$out" | cut -d: -f1)" '1 B is slower' 'the command to compare again'

export INTERRUPT=5
ab 'Ctrl-C in the fifth run: no further run' '2 5' --ab=iodepth=16 --ab=iodepth=32 job.fio
has "$out" 'Runs: 2 of A, 2 of B' 'the runs before it are compared'
has "$err" 'tickwise run: interrupted after 4 of 12 runs' 'and the others named as missing'
INTERRUPT=2
ab 'Ctrl-C in the first run of B' '2 2' --ab=iodepth=16 --ab=iodepth=32 job.fio
is "$(cat "$out")$(grep -c 'after 1 of 12 runs: nothing to compare' "$err")" 1 \
	'nothing to compare, which is told'
INTERRUPT=
ab '--until: B is slower, which is sure after eight pairs' '1 16' \
	--ab=iodepth=16 --ab=iodepth=32 --until=5% job.fio
has "$err" 'tickwise run: 8 pairs: ' 'the interval is told'
has "$err" 'tickwise diff --level=1.25%' 'the level of four comparisons, in the command'
tr -s ' \n' ' ' <"$out" | grep -q 'a false alarm anywhere on the page: at most 1.25 %'
ok $? 'and on the page' "$out"
# The time of a run varies by up to 1 % of that of job b, then by up to 10 %.
export NOISE=10000000
ab '--until: A and B are alike, and well known' '0 16' --ab= --ab= --until=5% job.fio
NOISE=100000000
ab '--until: more pairs are needed than --most' '0 24' --ab= --ab= --until=0.5% --most=12 job.fio
is "$(grep -cE '^tickwise run: (8|12) pairs: .* %; about [0-9]+ more pairs would do$' "$err")" 2 \
	'about how many are missing is told after each comparison'
is "$(grep -oE 'run (1|17|24) of about [0-9]+: [AB](, about [0-9]+ (s|min) left)?$' "$err" |
	sed 's/, about.*/, left/' | xargs)" \
	'run 1 of about 16: A run 17 of about 24: A, left run 24 of about 24: A, left' \
	'each run is announced, of as many as are expected, with the time left'
unset NOISE
ab 'two runs a side, the same options: undecided' '2 4' --ab= --ab= --runs=2 job.fio

ab 'an option counts as if it were in the file' '65 0' \
	--ab=ioengine=libaio --ab= --dry-run job2.fio
has "$err" 'ioengine=libaio: not converted' 'and is named'
ab '--dry-run runs nothing' '0 0' --ab=iodepth=1 --ab=iodepth=2 --dry-run job.fio
is "$(grep -c '^iodepth=1$' "$out") $(grep -c '^iodepth=2$' "$out")" '2 2' \
	'it shows the files of both sides'
FAKE_EXIT=3 ab 'fio fails: its exit code, and an end' '3 1' \
	--ab=iodepth=1 --ab=iodepth=2 job.fio

printf '[b]\nioengine=io_uring\niodepth=1\ntw_report=report.json\n' >fixed.fio
REPORT=report.json
export REPORT
ab 'a report that each run would overwrite' '65 2' --ab= --ab= fixed.fio
has "$err" '--ab: report.json: each run would write the same report' 'which one'
printf '[a]\nioengine=io_uring\ntw_report=none\n' >none.fio
FAKE_DO= ab 'no report' '65 0' --ab= --ab= none.fio
has "$err" '--ab: this run left no report to compare' 'is an error'

two='--ab=iodepth=1 --ab=iodepth=2'
while IFS=/ read -r text arguments; do
	# shellcheck disable=SC2086	# words
	refuses 64 "$text" $arguments </dev/null
done <<CASES
--ab is given twice: for A and for B/--ab=a job.fio
--ab is given twice: for A and for B/--ab=a --ab=b --ab=c job.fio
standard input/$two -
the jobs can't be given by options/$two --name=x --ioengine=io_uring
these options make fio run nothing/$two --parse-only job.fio
--runs takes a whole number, 1 to 32/--runs=0 job.fio
--until is for --ab, in place of --runs/--until=5% job.fio
--until is for --ab, in place of --runs/$two --until=5% --runs=8 job.fio
--most takes a whole number, 8 to 32/--most=7 job.fio
CASES
done_testing
