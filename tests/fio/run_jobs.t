#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: tickwise run with a real fio. With --convert, jobs of every engine that
# ours replaces run on ours, as fio's own JSON shows, and do the same I/O. Where fio
# reads a job file in its own way, both read it alike. Without --convert, only jobs
# of io_uring do. Defect: a job that still runs on its old engine; one that fio ends
# over an option; other I/Os than before; another engine's job converted unasked.
. "$(dirname "$0")/fio_tap.sh"

export FIO
ours=external:$TICKWISE_SO

# tool ARGUMENT...: runs it; out.json is fio's output
tool()
{
	rm -f ./*.tickwise.json out.json
	timeout -s KILL $hung_s "$tickwise" run --engine="$TICKWISE_SO" \
		--output-format=json --output=out.json "$plain_clock" "$@" >out 2>err
	status=$?
}

# engines: prints the engines of fio's jobs
engines()
{
	from_json out.json 'print join(" ", map {
		$_->{"job options"}{ioengine} //
		$j->{"global options"}{ioengine} // "none" } @{$j->{jobs}})'
}

known=$("$FIO" --enghelp | tr -d '\t')
olds=
for old in io_uring libaio posixaio sync psync vsync pvsync pvsync2; do
	if ! echo "$known" | grep -qx "$old"; then
		skip "this fio has no $old"
		continue
	fi
	olds="$olds $old"
	printf '[%s]\nioengine=%s\nrw=randwrite\nbs=4k\nsize=256k\niodepth=4\nverify=crc32c\n' \
		"$old" "$old" >>job.fio
done
tool --convert job.fio
# shellcheck disable=SC2086
is "$status$(engines | sed "s|$ours|ours|g; s/^/ /")" "0$(printf ' ours%.0s' $olds)" \
	"jobs of$olds run on ours"
for old in $olds; do
	depth=4
	case $old in *sync*) depth=1 ;; esac
	json "$old".*.tickwise.json '$j->{ios}{write} == 64 &&
		$j->{ios}{read} == 64 && $j->{jobs}[0]{iodepth} == '$depth
	ok $? "$old: with all its I/Os, at its depth of $depth"
done

# Every option of an old engine either stays or is left out: no job is lost.
for old in libaio pvsync2 io_uring; do
	echo "$known" | grep -qx "$old" || continue
	"$FIO" --enghelp="$old" | sed -n 's/^\([a-z_0-9]*\) *:.*/\1=0/p' >names
	[ -s names ]
	ok $? "$old has options: $(xargs <names)"
	printf '[a]\nioengine=%s\nrw=read\nsize=64k\n' "$old" >job.fio
	# These need a device, CPU or right that may be missing, or more options.
	grep -vE '^(hipri|sqthread_poll|cmdprio|uncached|nowait|md_per_io_size)' names |
		grep -vE '^(cmd_type|write_mode|verify_mode|read_mode|pi_chk)=' >>job.fio
	tool --convert job.fio
	is "$status $(engines)" "0 $ours" "they don't stop the job"
done

printf '[global]\nrw=read\nsize=64k\n[psync]\nioengine=psync\niodepth=4\n[none]\n[ring]
ioengine=io_uring\n' >job.fio
tool job.fio
is "$status $(engines)" "0 psync none $ours" 'without --convert jobs of other engines stay'
is "$(ls ./*.tickwise.json | wc -l) $(grep -c '; --convert would$' err)" '1 2' \
	'which is reported, and no report is missed'

# ---- fio reads it in the same way ----

mkdir -p sub
printf '; an included line\nioengine = none of these\nioengine=libaio\n' >sub/tail.inc
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
tool --convert sub/odd.fio
is "$status $(engines)" "0 $ours $ours null" 'comments, blanks, include, [global_too]'
json second.2.*.tickwise.json '$j->{ios}{read} == 8'
ok $? 'the second job has the size and block size of both [global]'
tool --convert --section=second sub/odd.fio
is "$status $(engines)" "0 $ours" '--section'

printf '[one]\nioengine=psync\nrw=read\nsize=64k\n' >one.fio
# shellcheck disable=SC2016	# fio puts it in
printf '[two]\nioengine=${ENG}\nrw=read\nsize=64k\n' >two.fio
tool --convert one.fio two.fio
is "$status $(engines)" "0 $ours $ours" 'two job files, and a variable that is not set'
tool --convert --rw read --size 64k --name=a --ioengine libaio --name=b
is "$status $(engines)" "0 $ours $ours" 'jobs of the command line'
tool --convert --thread=1 --numjobs=3 --group_reporting one.fio
is "$status $(ls ./*.tickwise.json | wc -l) $(tail -n 1 err | wc -w)" '0 3 5' \
	'three threads, three reports, all of them named'
timeout -s KILL $hung_s "$tickwise" run --engine="$TICKWISE_SO" -mFjson -oletters.json \
	-section two --rw read two.fio >out 2>err
is "$? $(from_json letters.json 'print exists $j->{jobs}[0]{tickwise} ? 1 : 0')" '0 1' \
	'letters with values, and values apart'
# fio has second names, which look like letters that make it run nothing.
for option in -ss=iops:10% -io_limit=32k -iodepth_batch_sub=2 '-iomem shm'; do
	# shellcheck disable=SC2086	# words
	tool -name=t -filename=second -ioengine=io_uring -rw=read -size=64k $option
	is "$status $(from_json out.json 'print exists $j->{jobs}[0]{tickwise} ? 1 : 0')" '0 1' \
		"$option"
done
mkdir 'a:b'
cp "${TICKWISE_SO%.so}"*.so 'a:b'
timeout -s KILL $hung_s "$tickwise" run --engine="a:b/${TICKWISE_SO##*/}" --rw=read two.fio \
	>out 2>err
is "$?" 0 'the engine in a folder with a colon'
timeout -s KILL $hung_s "$tickwise" run --engine="$TICKWISE_SO" --bogus two.fio >out 2>err
is "$? $(grep "unrecognized option '--bogus'" err | sort -u | wc -l)" '1 1' \
	'fio refuses an option that it does not know'

# ---- endings ----

printf '[one]\nioengine=psync\nrw=read\nsize=64k\nfilename=missing\nallow_file_create=0\n' \
	>bad.fio
tool --convert bad.fio
is "$status" "$("$FIO" bad.fio >/dev/null 2>&1; echo $?)" "fio's own failure"

printf '[long]\nioengine=psync\nrw=read\nsize=64k\ntime_based=1\nruntime=600\n%s\n' \
	"exec_prerun=$begin" >long.fio
mkdir tmp
TMPDIR=$scratch/tmp
export TMPDIR
rm -f ./*.tickwise.json
may_begin
"$tickwise" run --convert --engine="$TICKWISE_SO" --output=out.text long.fio >out 2>err &
tool=$!
has_begun 1 $tool
kill -TERM "$tool"
wait "$tool"
is "$? $(ls tmp)" '128 ' 'SIGTERM: fio ends its jobs, and the copy is gone'
grep -q 'read: IOPS=' out.text && [ -s "$(ls long.1.*.tickwise.json)" ] &&
	grep -q '^tickwise report --all long\.1\.' err
ok $? 'with their report'

printf '[%s]\nioengine=io_uring\nrw=read\nsize=64k\ntime_based=1\nruntime=600\nstonewall\n' \
	one two >long.fio
tool --trigger-timeout=4s -H true long.fio
is "$status $(ls ./*.tickwise.json | wc -l)" '0 1' \
	'a trigger ends all jobs: one that did not begin is not missed'

# Without a report the option proves that ours took it.
printf '[n]\nioengine=psync\nrw=read\nsize=64k\ntw_report=none\n' >n.fio
tool --convert n.fio
is "$status $(ls n.*.tickwise.json 2>/dev/null)" '0 ' 'tw_report=none: no report, on our engine'
"$FIO" n.fio >out 2>&1
is "$? $(grep -c 'Bad option <tw_report=none>' out)" '1 1' \
	'fio refuses it in a section of an engine of its own'
done_testing
