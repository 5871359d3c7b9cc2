#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: core/command/run
#
# Behaviour: tickwise run with a real fio. With --convert, jobs of every engine that
# ours replaces run on ours, as fio's own JSON shows, and do the same I/O. Where fio
# reads a job file in its own way, both read it alike. Without --convert, only jobs
# of io_uring do. Defect: a job that still runs on its old engine; one that fio ends
# over an option; other I/Os than before; another engine's job converted unasked.
. "$(dirname "$0")/fio_tap.sh"

export FIO
engine="--engine=$TICKWISE_SO"

# tool ARGUMENT...: out.json is fio's output
tool()
{
	rm -f ./*.tickwise.json out.json
	timeout -s KILL $hung_s "$tickwise" run --convert "$engine" --output-format=json \
		--output=out.json "$@" >out 2>err
	status=$?
}

# engines: prints the engines of fio's jobs
engines()
{
	from_json out.json 'print join(" ", map {
		$_->{"job options"}{ioengine} //
		$j->{"global options"}{ioengine} // "none" } @{$j->{jobs}})'
}

ours=external:$TICKWISE_SO
known=$("$FIO" --enghelp | tr -d '\t')
for old in io_uring libaio posixaio sync psync vsync pvsync pvsync2; do
	if ! echo "$known" | grep -qx "$old"; then
		skip "this fio has no $old"
		continue
	fi
	cat >job.fio <<-END
	[a]
	ioengine=$old
	rw=randwrite
	bs=4k
	size=256k
	iodepth=4
	verify=crc32c
	END
	tool job.fio
	is "$status $(engines)" "0 $ours" "a job of $old runs on ours"
	depth=4
	case $old in *sync*) depth=1 ;; esac
	json a.1.*.tickwise.json '$j->{ios}{write} == 64 &&
		$j->{ios}{read} == 64 && $j->{jobs}[0]{iodepth} == '$depth
	ok $? "with all its I/Os, at its depth of $depth"
done

# Every option of an old engine either stays or is left out: no job is lost.
for old in libaio pvsync2 io_uring; do
	echo "$known" | grep -qx "$old" || continue
	"$FIO" --enghelp="$old" | sed -n 's/^\([a-z_0-9]*\) *:.*/\1/p' >names
	[ -s names ]
	ok $? "$old has options: $(xargs <names)"
	# These need a device, CPU or right that may be missing, or more options.
	grep -vE '^(hipri|sqthread_poll|cmdprio|uncached|nowait|md_per_io_size)' names |
		grep -vE '^(cmd_type|write_mode|verify_mode|read_mode|pi_chk)$' |
		sed 's/$/=0/' >values
	{
		printf '[a]\nioengine=%s\nrw=read\nsize=64k\n' "$old"
		cat values
	} >job.fio
	tool job.fio
	is "$status $(engines)" "0 $ours" "they don't stop the job"
done

# ---- without --convert ----

cat >job.fio <<'END'
[global]
rw=read
size=64k
[psync]
ioengine=psync
iodepth=4
[none]
[ring]
ioengine=io_uring
END
rm -f ./*.tickwise.json
timeout -s KILL $hung_s "$tickwise" run "$engine" --output-format=json \
	--output=out.json job.fio >out 2>err
is "$? $(engines)" "0 psync none $ours" 'jobs of other engines stay there'
is "$(ls ./*.tickwise.json | wc -l) $(grep -c '; --convert would$' err)" '1 2' \
	'which is reported, and no report is missed'

# ---- fio reads it in the same way ----

mkdir -p sub
cat >sub/tail.inc <<'END'
; an included line
ioengine = none of these
ioengine=libaio
END
cat >sub/odd.fio <<'END'
; comment
[global] # one
	rw=read
size =64k
  [first] ; two
#ioengine=null
include tail.inc
iodepth=2
[global_too]
bs=8k
[second]
; ioengine=null
description=ioengine=null
[nothing]
ioengine=null
END
tool sub/odd.fio
is "$status $(engines)" "0 $ours $ours null" 'comments, blanks, include, [global_too]'
is "$(ls | grep -c '^second.2.*tickwise.json')" 1 'the report is of the second job'
json second.2.*.tickwise.json '$j->{ios}{read} == 8'
ok $? 'which has the size and block size of both [global]'

tool --section=second sub/odd.fio
is "$status $(engines)" "0 $ours" '--section'

printf '[one]\nioengine=psync\nrw=read\nsize=64k\n' >one.fio
printf '[two]\nrw=read\nsize=64k\n' >two.fio
tool one.fio two.fio
is "$status $(engines)" "0 $ours $ours" 'two job files'
tool --ioengine=libaio two.fio one.fio
is "$status $(ls ./*.tickwise.json | wc -l)" '0 2' 'an engine on the command line'
tool --rw read --size 64k --name=a --ioengine libaio --name=b
is "$status $(engines)" "0 $ours $ours" 'jobs of the command line'
tool --thread=1 --numjobs=3 --group_reporting one.fio
is "$status $(ls ./*.tickwise.json | wc -l) $(tail -n 1 err | wc -w)" '0 3 5' \
	'three threads, three reports, all of them named'

# ---- endings ----

printf '[one]\nioengine=psync\nrw=read\nsize=64k\nfilename=missing\nallow_file_create=0\n' \
	>bad.fio
tool bad.fio
is "$status" "$("$FIO" bad.fio >/dev/null 2>&1; echo $?)" "fio's own failure"
tool --parse-only one.fio
is "$status" 0 '--parse-only'
tool --report one.fio
is "$status $(grep -c '^one: ' out)" '0 1' '--report'

printf '[long]\nioengine=psync\nrw=read\nsize=64k\ntime_based=1\nruntime=600\n' \
	>long.fio
echo "exec_prerun=$begin" >>long.fio
mkdir tmp
TMPDIR=$scratch/tmp
export TMPDIR
rm -f ./*.tickwise.json
may_begin
"$tickwise" run --convert "$engine" --output=out.text long.fio >out 2>err &
tool=$!
has_begun 1 $tool
kill -TERM "$tool"
wait "$tool"
is "$?" 128 'SIGTERM: fio ends its jobs'
grep -q 'read: IOPS=' out.text && [ -s "$(ls long.1.*.tickwise.json)" ] &&
	grep -qF '. To read' err
ok $? 'with their report'
is "$(ls tmp)" '' 'and the copy is gone'

# ---- the example of the manual: a variable ----

printf '[v]\nioengine=${ENG}\nrw=read\nsize=64k\n' >v.fio
tool v.fio
is "$status" 0 'ioengine=${ENG}, not set'

# ---- options as fio reads them ----

rm -f v.*.tickwise.json
timeout -s KILL $hung_s "$tickwise" run "$engine" -mFjson -oletters.json -section v --rw read \
	v.fio >out 2>err
is "$? $(from_json letters.json 'print exists $j->{jobs}[0]{tickwise} ? 1 : 0')" '0 1' \
	'letters with values, and values apart'
timeout -s KILL $hung_s "$tickwise" run "$engine" --bogus v.fio >out 2>err
is "$? $(grep "unrecognized option '--bogus'" err | sort -u | wc -l)" '1 1' \
	'fio refuses an option that it does not know'

# ---- without a report: the option is taken by ours ----

printf '[n]\nioengine=psync\nrw=read\nsize=64k\ntw_report=none\n' >n.fio
tool n.fio
is "$status" 0 'tw_report=none, on our engine'
is "$(ls n.*.tickwise.json 2>/dev/null)" '' 'and there is no report'
"$FIO" n.fio >out 2>err
is $? 1 'fio refuses it in a section of an engine of its own'
cat out err | grep -q 'Bad option <tw_report=none>'
ok $? 'and says so'
done_testing
