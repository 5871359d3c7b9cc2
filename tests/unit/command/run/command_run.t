#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tickwise run changes in a job file what its jobs need to run on the engine and do
# the same, and nothing else. Fails if it misses a line that fio obeys, if it
# changes one that means something else, or if a job of an engine unlike io_uring is
# converted without --convert.

. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/run_fake.sh"

to=external:ENGINE
ring="< ioengine=io_uring > ioengine=$to"

# job PRINTF-TEXT: writes job.fio
job() {
	# shellcheck disable=SC2059	# escapes
	printf "$1" >job.fio
}

# changes WHAT JOB ARGUMENT WANTED [TEXT]: passes if these lines change, and TEXT is told
changes() {
	job "$2"
	# shellcheck disable=SC2086	# none or one
	is "$(changed $3)" "$4" "$1"
	[ -z "${5-}" ] || has "$err" "$5" 'which is reported'
}

# ---- which engines ----

changes io_uring '[a]\nioengine=io_uring\nrw=read\n' '' "$ring" \
	'job.fio:2: [a] ioengine=io_uring: changed'
for name in libaio aio linuxaio posixaio sync psync vsync pvsync pvsync2; do
	changes "$name" "[a]\nioengine=$name\nrw=read\n" --convert \
		"< ioengine=$name > ioengine=$to" "job.fio:2: [a] ioengine=$name: changed"
	refuses 65 'no job here would run' job.fio
	is "$(sed 's/^tickwise run: //' "$err" | head -n 1)" \
		"job.fio:2: [a] ioengine=$name: not converted; --convert would" \
		"$name without it is left"
done
for name in mmap splice net cpuio null sg external:/x/other.so libaiox; do
	changes "$name is left" "[a]\nioengine=$name\n[b]\nioengine=io_uring\n" --convert \
		"$ring" "[a] ioengine=$name: not converted; tickwise's engine does no"
done
for name in external:/elsewhere/tickwise.so /elsewhere/tickwise-cmd.so \
		external:/x/tickwise-memory.so; do
	changes "$name is ours already" "[a]\nioengine=$name\n" '' ''
	is "$(wc -c <"$err")" 0 'nothing is reported'
done

# ---- one line for each engine that is left ----

changes 'a job that is left keeps its options' '[global]\nioengine=libaio
userspace_reap=1\n[a]\niodepth=4\n[b]\n[c]\nioengine=psync\niodepth=4\n[d]\n[e]
ioengine=io_uring\n[f]\nioengine=psync\n' '' "$ring"
is "$(sed 's/^tickwise run: //' "$err" | grep -v changed)" \
"job.fio:2: [a] ioengine=libaio: not converted (and 2 more jobs); --convert would
job.fio:8: [c] ioengine=psync: not converted (and 1 more job); --convert would" \
	'one line for each engine, which counts its jobs'
FAKE_JOBS=e fio_run job.fio
is "$status" 0 'no report is asked of a job that is left'
cp job.fio other.fio
FAKE_JOBS=e fio_run job.fio other.fio
is "$(grep -c 'not converted' "$err") $(grep -c '5 more jobs' "$err")" '2 1' \
	'also over several job files'
changes 'an engine that no job is on' '[global]\nioengine=libaio\n[a]\nioengine=io_uring\n' '' \
	"$ring"
has_not "$err" libaio 'is not reported'
changes 'a job without ioengine stays with psync' '[a]\nrw=read\n[b]\nioengine=io_uring\n' '' \
	"$ring" 'job.fio: [a] no ioengine, so psync: not converted; --convert would'
job '[a]\nrw=read\n[b]\nioengine=libaio\n'
refuses 65 "no job here would run on tickwise's engine" --section=b job.fio
is "$(grep -c 'not converted' "$err")" 1 'a job that fio leaves out is not reported'

# ---- a file that another engine needs ----

for engine_of in io_uring_cmd:tickwise-cmd.so tickwise-memory:tickwise-memory.so; do
	file=${engine_of#*:} name=${engine_of%:*}
	job "[a]\nioengine=$name\n"
	refuses 65 "[a] ioengine=$name: there is no $file next to $engine" job.fio
	: >"built/$file"
	is "$(changed)" "< ioengine=$name > ioengine=external:$scratch/built/$file" \
		"$name with that file"
done

# ---- how fio reads a line ----

for line in '  ioengine=io_uring' '\tioengine=io_uring\t' 'ioengine \t=io_uring' \
		'ioengine=io_uring # comment' 'ioengine=io_uring;#;' \
		'ioengine=io_uring\r' 'ioengine=io_uring\001'; do
	job "[z]\nioengine=null\n  [a] ; one\n$line\n"
	changed >/dev/null
	is "$(sed 1,3d now)" ioengine=$to "read by fio as ours: $line"
done
job '[a]\nioengine=io_uring\nioengine=null\n'
refuses 65 'no job here would run' job.fio
changes 'the last of two lines holds' '[a]\nioengine=null\nioengine=io_uring\n' '' "$ring"
for line in '#ioengine=io_uring' '; ioengine=io_uring' 'ioengines=libaio' \
		'io=libaio' 'description=ioengine=io_uring'; do
	changes "$line is no ioengine" "[b]\nioengine=io_uring\n[a]\nioengine=null\n$line\n" '' \
		"$ring"
done
# shellcheck disable=SC2016	# fio puts it in
{
variable='[a]\nioengine=${ENG}\n' replaced='< ioengine=${ENG} > ioengine='$to
changes 'a variable that is not set' "$variable" '' "$replaced" 'ioengine=(empty): changed'
ENG=external:/x/tickwise.so changes 'set to ours' "$variable" '' ''
ENG=io_uring changes 'set to one that is changed' "$variable" '' "$replaced"
}
ENG=mmap refuses 65 'no job here would run' job.fio
has "$err" 'ioengine=mmap: not converted' 'set to one that is left alone'

# ---- with --convert: no ioengine line ----

changes 'without one it is added' '; mine\n[global]\nrw=read\n[a]\n[b]\nrw=write\n' --convert \
	"> ioengine=$to" 'job.fio: no ioengine, which is psync'
is "$(sed -n 3p now)" ioengine=$to 'to [global]'
changes 'or to one before all' '; mine\n[a]\nrw=read\n[global]\nrw=read\n' --convert \
	"> [global] > ioengine=$to > "
is "$(head -n 1 now)" '[global]' 'in front'
job '[global]\nrw=read\n[a]\nioengine=null\n[b]\nioengine=mmap\n'
refuses 65 "no job here would run on tickwise's engine" --convert job.fio
changes 'one in [global] serves all' '[global]\nioengine=libaio\n[a]\n[b]\nioengine=null\n' \
	--convert "< ioengine=libaio > ioengine=$to"
changes 'and every name that begins so is [global]' '[globals]\nioengine=libaio\n[a]\n' \
	--convert "< ioengine=libaio > ioengine=$to"
job '[a]\nrw=read\n[global]\nioengine=libaio\n[b]\nrw=read\n'
is "$(changed --convert | grep -c global)" 1 'but not the jobs before it'

# ---- with --convert: options of the old engine, and one I/O in flight ----

changes 'what only the old engine knows is left out' \
	'[a]\nioengine=libaio\nuserspace_reap\nhipri=1\nrw=read\n' --convert \
	"< ioengine=libaio < userspace_reap > ioengine=$to > # left out: userspace_reap" \
	'job.fio:3: [a] userspace_reap: left out, an option of libaio'
changes 'in [global] and where it is inherited' \
	'[global]\nioengine=libaio\nuserspace_reap=1\n[a]\nuserspace_reap=1\n' --convert \
	"< ioengine=libaio < userspace_reap=1 > ioengine=$to > # left out: userspace_reap=1 \
< userspace_reap=1 > # left out: userspace_reap=1"
changes 'a job that is left alone keeps its options' \
	'[a]\nioengine=mmap\nthp=1\n[b]\nioengine=psync\n' --convert \
	"< ioengine=psync > ioengine=$to"
job '[a]\nioengine=pvsync2\nhipri_percentage=3\niodepth=32\n'
changed --convert >now.text
is "$(tail -n 3 now | xargs -d '\n')" "ioengine=$to # left out: hipri_percentage=3 iodepth=1" \
	'a synchronous engine has one I/O in flight, and keeps that'
has "$err" 'job.fio:4: [a] iodepth=32: changed to 1, as pvsync2' 'and it is reported'
job '[global]\niodepth=32\n[a]\nrw=read\n[b]\nioengine=libaio\n'
changed --convert >now.text
is "$(xargs -d '\n' <now)" \
	"[global] ioengine=$to iodepth=32 [a] iodepth=1 rw=read [b] ioengine=$to" \
	'also where it is inherited, and for that job alone'
changes 'iodepth=1 is that already' '[a]\nioengine=psync\niodepth=1\n' --convert \
	"< ioengine=psync > ioengine=$to"
has_not "$err" 'iodepth' 'and nothing is reported'
job '[a]\nioengine=libaio\niodepth=32\n[b]\nioengine=psync\n'
changed --convert >now.text
has_not now iodepth=1 "another job's iodepth is not inherited"

# ---- options of the engine ----

all='--causes --trigger=5ms --interval=1s --kernel=off --kernel-every=8'
changes 'options of the engine go to the end of each job on it' \
	'[global]\nioengine=io_uring\ntw_trigger=1s\n[a]\ntw_trigger=2s\n; a\n[b]\nioengine=null\n[c]\n' \
	"$all" "< ioengine=io_uring > ioengine=$to > tw_causes=1 > tw_trigger=5ms > tw_interval=1s \
> tw_kernel=off > tw_kernel_every=8 > tw_causes=1 > tw_trigger=5ms > tw_interval=1s \
> tw_kernel=off > tw_kernel_every=8"
is "$(xargs -d '\n' <now | sed 's/tw_interval.*every=8 \[b/.. [b/; s/tw_interval.*//')" \
	"[global] ioengine=$to tw_trigger=1s [a] tw_trigger=2s ; a tw_causes=1 tw_trigger=5ms .. \
[b] ioengine=null [c] tw_causes=1 tw_trigger=5ms " \
	'where they come after its own, and to no other job'
changes 'also of a job that has ours already' '[a]\nioengine=external:/x/tickwise.so\n' --causes \
	'> tw_causes=1'
changes 'not of the memory engine' '[a]\nioengine=external:/x/tickwise-memory.so\n' --causes ''
changes 'also with --convert' '[a]\nrw=read\n' '--convert --kernel=off' \
	"> [global] > ioengine=$to >  > tw_kernel=off"
for option in trigger interval kernel kernel-every; do
	refuses 64 "--$option needs a value" --$option job.fio
done
done_testing
