#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tickwise sweep: what it asks of fio, what it finds on a device of known limits, and what it
# refuses. fio is a script that takes no time. Fails if a path could be written to, if a bound is on
# the wrong side, if what gives way or a drift is not named, or if Ctrl-C loses what was measured.
. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/../run/run_fake.sh"

page=
FAKE_JOBS=
model="perl '$root/tests/unit/command/sweep/sweep_fio.pl'"
# shellcheck disable=SC2016	# the fake fio's own variables
FAKE_DO="$model"' "$SEEN/1" "$(sed -n "s/^--aux-path=//p" "$SEEN/arguments")" $$'
export FAKE_DO

# sweeps CODE WHAT ARGUMENT...: passes if it ends like that
sweeps()
{
	code=$1 what=$2
	shift 2
	rm -rf runs takes reports "${seen:?}"/*
	run sweep --engine="$engine" --goal='p99<1ms' --for=62.5 "$@"
	is "$status" "$code" "$what" || shows "$out" "$err"
}

# value EXPRESSION: prints a value of the JSON
value()
{
	perl -MJSON::PP -e 'local $/; my $j = decode_json(<STDIN>); print eval $ARGV[0], "\n"' "$1" <"$out"
}

head -c 1048576 /dev/urandom >data
before=$(cksum <data)

# ---- a path ----

sweeps 0 'a file' --json --reports=reports data
is "$(value '$j->{bears} < 16000 && 16000 < $j->{too_much}')" 1 'the limit is between the bounds'
is "$(value '$j->{too_much} / $j->{bears} < 1.08')" 1 'which are near'
is "$(value '$j->{capacity} > 19900 && $j->{capacity} < 20100')" 1 'the capacity'
is "$(value 'join " ", map { sprintf "%.0f", $_->{rate} / 100 } (@{$j->{loads}})[0 .. 2]')" \
	'20 50 100' 'begins with parts of it'
is "$(value '$j->{gives_way} =~ /^device, which grows from 1\d\d.* us to/ ? 1 : 0')" 1 'what gives way'
is "$(value '!$j->{capacity_drift}{is_named} && !$j->{response_drift}{is_named}')" 1 'no drift'
is "$(find reports -name '*.sweep.*.tickwise.json' | wc -l)" "$(cat runs)" 'all reports are kept'
is "$(value 'join " ", sort map { $_->{rate} =~ s/\..*//r } @{$j->{loads}}')" \
	"$(find reports -name '[0-9]*' | sed 's|.*/||; s|[.].*||' | sort -u | xargs)" 'and have their rates as names'
is "$(head -n 3 "$seen/arguments" | grep -v '^/proc' | xargs)" '--aux-path=reports --readonly' \
	'fio may not write'
is "$(sed "s|external:$engine|ENGINE|; s/direct=1/direct=0/; /invalidate/d" "$seen/1" | xargs)" \
	"[global] ioengine=ENGINE filename=data rw=randread bs=4096 direct=0 allow_file_create=0 \
norandommap=1 randrepeat=0 time_based=1 [sweep] time_based=1 iodepth=512 runtime=750ms \
startdelay=156ms ramp_time=350ms randrepeat=0 tw_arrivals=poisson \
tw_rate_iops=$(value '$j->{loads}[0]{rate} =~ s/\..*//r') [sweep] \
time_based=1 iodepth=128 runtime=150ms startdelay=0 ramp_time=0 tw_report=none \
tw_kernel=off randrepeat=0" 'the last job file'
has "$err" 'as fast as it can, depth 128: 19983 IOPS' 'a line for the first run'
has "$err" 'keeps the goal' 'and for the others'
is "$(cksum <data)" "$before" 'the file has not changed'

sweeps 0 'a page' --html=page.html data
has "$out" 'data: random 4 KiB reads' 'what was read'
grep -qE '^It bears 1[0-9.]+ I/Os a second, and 1[0-9.]+ are too many' "$out"
ok $? 'the bounds' || shows "$out"
has "$out" '1 MiB may fit into a drive' 'a small file'
has page.html 'Response by load' 'plots'
is "$(ls "$TMPDIR")" '' 'no report stays'
SWEEP_SLOWER=0.2 sweeps 0 'a device that becomes slower' data
has "$out" 'at the end of the sweep it was 20 % (+-0.49 %)' 'is named'
SWEEP_OWN=0.9 sweeps 0 'a job without a CPU' data
has "$out" 'Then gives way: the generator' 'is named'
SWEEP_IDLE=1 sweeps 0 'a device that is slow when it is idle, and undecided at the lowest rate' data
has "$out" 'at 4996 I/Os a second the goal is not kept either' 'is named'
SWEEP_BEHIND=12000 sweeps 0 'a backlog that grows' --json data
is "$(value '$j->{bears} < 12000 && 12000 < $j->{too_much}')" 1 'is too much'
SWEEP_BEHIND=12000 sweeps 0 'its page' data
grep -qE '^ +1[2-9][0-9]{3} .* no, late +[a-z]+$' "$out" && grep -q '"late":' "$out"
ok $? 'tells why' || shows "$out"
SWEEP_BLOCK=4k/90:1m/10 sweeps 0 'some large blocks' data
is "$(grep iodepth "$seen/1" | xargs)" 'iodepth=128 iodepth=128' 'fewer are in flight'
sweeps 2 'a goal that no load keeps' --goal='p99<10us' data
has "$out" 'No load that was tried met the goal: the lowest was 60.00 I/Os a second' 'is reported'
has "$out" 'Then gives way: device, which takes 100.0 us' 'with the reason'
SWEEP_SPEED=0.0002 sweeps 2 'a slow device that keeps no goal' --goal='p99<10us' --json \
	--reports=reports --for=20 data
is "$(value '!defined $j->{bears} && $j->{too_much} == $j->{loads}[0]{rate}')" 1 'has its loads'
is "$(find reports -name '*.sweep.*.tickwise.json' | wc -l)" "$(cat runs)" 'and all reports'
# The queue is never long enough for slow I/Os: a rate above 40 a second is known by what is done.
SWEEP_SPEED=0.002 sweeps 0 'a slow device, and a goal of longer than a trial' --goal='p99<1000s' --json data
is "$(value '$j->{bears} > 30 && $j->{bears} < 46 && $j->{too_much} > 40')" 1 \
	'does not bear more than it can do'
SWEEP_SPEED=0.002 sweeps 0 'few I/Os' --goal='p99.9<1ms' --for=25min data
works 'have enough time' test "$(sed 's/\..*//' takes)" -lt $((25 * 60))
SWEEP_WRITES=1 sweeps 0 'reads and writes' --json data
is "$(value 'int $j->{loads}[0]{mean_stages_ns}{device}')" 55000 'have a mean together'
rm -f runs takes
run sweep --engine="$engine" --for=62.5 data
is "$status $(grep -c 'twice the p99 of the lowest' "$out")" '0 1' 'without a goal' || shows "$out" "$err"

# shellcheck disable=SC2016
FAKE_DO="$FAKE_DO"'; [ "$(cat runs)" != 4 ] || kill -INT $PPID' sweeps 2 'Ctrl-C' data
is "$(grep -c 'interrupted' "$out") $(cat runs)" '1 4' 'shows what was measured' || shows "$out" "$err"
has "$out" 'the capacity was measured only once' 'and what was not'
# shellcheck disable=SC2016
FAKE_DO="$FAKE_DO"'; [ "$(cat runs)" != 4 ] || kill -INT $PPID' sweeps 2 'Ctrl-C' --json data
is "$(value 'exists $j->{capacity_drift} && !defined $j->{capacity_drift} && !defined $j->{response_drift}')" \
	1 'a drift that was not measured is null'
# shellcheck disable=SC2016
FAKE_DO="$FAKE_DO"'; [ "$(cat runs)" != 7 ] || kill -INT $PPID' SWEEP_SPEED=0.002 \
	sweeps 2 'a goal of few I/Os' --goal='p99.9<1ms' --json data
is "$(value '$j->{needed_s} > 600 && int(1000 * $j->{wanted_width})')" 141 'needs more time'

# ---- a job ----

printf '[a]\nioengine=io_uring\nrw=randread\nnumjobs=7\n' >seven.fio
sweeps 0 'seven jobs' --json seven.fio
is "$(value 'scalar grep { $_->{rate} % 7 || $_->{rate} != int $_->{rate} } @{$j->{loads}}')" 0 \
	'have the same whole rate, and their sum is the load'

SWEEP_SIZE=268435456 sweeps 0 'a job of small files' seven.fio
has "$out" "512 MiB may fit into a drive's own cache" 'tells that a cache may have them'
SWEEP_SIZE=536870912 sweeps 0 'a job of larger files' seven.fio
is "$(grep -c 'may fit' "$out")" 0 'does not tell that'

printf '[global]\nioengine=io_uring\nnumjobs=2\n[a]\nrw=randread\n[b]\nrw=randwrite\n' >job.fio
FAKE_DO=true sweeps 70 'a job whose fio does nothing' --write job.fio
is "$(grep -c tw_report=none "$seen/1") $(grep -c '^\[[ab]\]' "$seen/1")" '2 4' \
	'each job has a copy without a rate'

# ---- what is refused ----

while IFS='|' read -r code text arguments; do
	rm -f "${seen:?}"/*
	# shellcheck disable=SC2086	# words of a line
	run sweep --engine="$engine" $arguments
	is "$status $(tail -n 1 "$err" | grep -cF -e "$text") $(wc -c <"$out")" "$code 1 0" "$text" ||
		shows "$out" "$err"
	[ ! -e "$seen/arguments" ]
	ok $? 'fio is not run'
done <<'CASES'
64|give one path or job file|
64|give one path or job file|data data
64|--goal takes a percentile and a time, as in p99.9<1ms, not 'p99'|--goal=p99 data
64|--goal takes a percentile and a time|--goal=p99<1 data
64|--goal takes a percentile and a time|--goal=p100<1ms data
64|--for takes seconds, 5 to 86400|--for=1 data
64|[b]: rw=randwrite: it writes; --write allows that|job.fio
66|missing: |missing
74|can't write to data: Not a directory|--reports=data data
CASES
printf '[a]\nioengine=io_uring\nrw=read\nstonewall\n' >wall.fio
printf '[a]\nioengine=io_uring\nrw=read\n[b]\nioengine=null\n' >null.fio
for line in rate=1m rate_iops=100 thinktime=10 latency_target=1ms flow=1; do
	printf '[a]\nioengine=io_uring\nrw=read\n%s\n' "$line" >"${line%=*}.fio"
done
truncate -s 1G holes
while IFS='|' read -r code text arguments; do
	rm -f "${seen:?}"/*
	run sweep --engine="$engine" "$arguments"
	is "$status $(tail -n 1 "$err" | grep -cF -e "$text")" "$code 1" "$text" || shows "$err"
done <<'CASES'
65|[a]: leave out stonewall: all jobs are one load|wall.fio
65|[a]: leave out rate: each trial has a rate of its own|rate.fio
65|[a]: leave out rate_iops: each trial has a rate of its own|rate_iops.fio
65|[a]: leave out thinktime: each trial has a rate of its own|thinktime.fio
65|[a]: leave out latency_target: each trial has a rate of its own|latency_target.fio
65|[a]: leave out flow: each trial has a rate of its own|flow.fio
65|[b]: it is not on tickwise's engine, so it can't have a rate|null.fio
65|holes: it has holes: 0 bytes of 1 GiB were written|holes
CASES
# Not every file system tells which blocks were written.
if fallocate -l 64M empty 2>/dev/null && filefrag -v empty 2>/dev/null | grep -q unwritten; then
	run sweep --engine="$engine" empty
	is "$status $(grep -c 'empty: it has holes: .* of 64 MiB were written' "$err")" '65 1' \
		'a file of blocks to which nothing was written' || shows "$err"
else
	skip 'no file system with unwritten blocks'
fi
done_testing
