#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tickwise run changes in a job file what its jobs need to run on the engine and do
# the same, and nothing else. Fails if it misses a line that fio obeys, if it
# changes one that means something else, or if a job of an engine unlike io_uring is
# converted without --convert.

. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/run_fake.sh"

# ---- which engines ----

printf '[a]\nioengine=io_uring\nrw=read\n' >job.fio
is "$(changed)" '< ioengine=io_uring > ioengine=external:ENGINE' 'io_uring'
has "$err" 'job.fio:2: [a] ioengine=io_uring: changed' 'which is reported'
for name in libaio aio linuxaio posixaio sync psync vsync pvsync pvsync2; do
	printf '[a]\nioengine=%s\nrw=read\n' "$name" >job.fio
	is "$(changed --convert)" "< ioengine=$name > ioengine=external:ENGINE" \
		"$name with --convert"
	has "$err" "job.fio:2: [a] ioengine=$name: changed" 'which is reported'
	refuses 65 'no job here would run' job.fio
	is "$(sed 's/^tickwise run: //' "$err" | head -n 1)" \
		"job.fio:2: [a] ioengine=$name: not converted; --convert would" \
		"$name without it is left"
done
for name in mmap splice net cpuio null sg external:/x/other.so libaiox; do
	printf '[a]\nioengine=%s\n[b]\nioengine=io_uring\n' "$name" >job.fio
	is "$(changed --convert)" \
		'< ioengine=io_uring > ioengine=external:ENGINE' \
		"$name is left alone even with --convert"
	has "$err" "[a] ioengine=$name: not converted; tickwise's engine does no" \
		'which is reported'
done
for name in external:/elsewhere/tickwise.so /elsewhere/tickwise-cmd.so; do
	printf '[a]\nioengine=%s\n' "$name" >job.fio
	is "$(changed) $(wc -c <"$err")" ' 0' "$name is ours already"
done

# ---- one line for each engine that is left ----

cat >job.fio <<'END'
[global]
ioengine=libaio
userspace_reap=1
[a]
iodepth=4
[b]
[c]
ioengine=psync
iodepth=4
[d]
[e]
ioengine=io_uring
[f]
ioengine=psync
END
is "$(changed)" '< ioengine=io_uring > ioengine=external:ENGINE' \
	'a job that is left keeps its options'
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
printf '[global]\nioengine=libaio\n[a]\nioengine=io_uring\n' >job.fio
changed >/dev/null
has_not "$err" libaio 'an engine that no job is on is not reported'
printf '[a]\nrw=read\n[b]\nioengine=io_uring\n' >job.fio
is "$(changed)" '< ioengine=io_uring > ioengine=external:ENGINE' \
	'a job without ioengine stays with psync'
has "$err" 'job.fio: [a] no ioengine, so psync: not converted; --convert would' \
	'which is reported'
printf '[a]\nrw=read\n' >job.fio
refuses 65 "no job here would run on tickwise's engine" job.fio
printf '[a]\nrw=read\n[b]\nioengine=libaio\n' >job.fio
refuses 65 "no job here would run on tickwise's engine" --section=b job.fio
is "$(grep -c 'not converted' "$err")" 1 'a job that fio leaves out is not reported'

# ---- a file that another engine needs ----

printf '[a]\nioengine=io_uring_cmd\n' >job.fio
refuses 65 "there is no tickwise-cmd.so next to $engine" job.fio
: >built/tickwise-cmd.so
has "$err" 'job.fio:2: [a] ioengine=io_uring_cmd' 'and where it stands'
is "$(changed)" \
	"< ioengine=io_uring_cmd > ioengine=external:$scratch/built/tickwise-cmd.so" \
	'with that it is changed'

printf '[a]\nioengine=tickwise-memory\ntw_pattern=page\n' >job.fio
refuses 65 "there is no tickwise-memory.so next to $engine" job.fio
: >built/tickwise-memory.so
is "$(changed)" "< ioengine=tickwise-memory > ioengine=external:$scratch/built/tickwise-memory.so" \
	'memory by its name'
printf '[a]\nioengine=external:/x/tickwise-memory.so\n' >job.fio
is "$(changed) $(wc -c <"$err")" ' 0' 'and by its file, which is ours already'

# ---- how fio reads a line ----

for line in '  ioengine=io_uring' '\tioengine=io_uring\t' 'ioengine \t=io_uring' \
		'ioengine=io_uring # comment' 'ioengine=io_uring;#;' \
		'ioengine=io_uring\r' 'ioengine=io_uring\001'; do
	printf "[z]\nioengine=null\n  [a] ; one\n$line\n" >job.fio
	changed >/dev/null
	is "$(sed 1,3d now)" ioengine=external:ENGINE "read by fio as ours: $line"
done
printf '[a]\nioengine=io_uring\nioengine=null\n' >job.fio
refuses 65 'no job here would run' job.fio
printf '[a]\nioengine=null\nioengine=io_uring\n' >job.fio
is "$(changed)" '< ioengine=io_uring > ioengine=external:ENGINE' \
	'the last of two lines holds'
for line in '#ioengine=io_uring' '; ioengine=io_uring' 'ioengines=libaio' \
		'io=libaio' 'description=ioengine=io_uring'; do
	printf '[b]\nioengine=io_uring\n[a]\nioengine=null\n%s\n' "$line" >job.fio
	is "$(changed)" '< ioengine=io_uring > ioengine=external:ENGINE' \
		"$line is no ioengine"
done
# shellcheck disable=SC2016	# fio puts it in
printf '[a]\nioengine=${ENG}\n' >job.fio
# shellcheck disable=SC2016
is "$(changed)" '< ioengine=${ENG} > ioengine=external:ENGINE' \
	'a variable that is not set'
has "$err" 'ioengine=(empty): changed' 'and it is reported'
is "$(ENG=external:/x/tickwise.so changed)" '' 'set to ours'
ENG=mmap refuses 65 'no job here would run' job.fio
has "$err" 'ioengine=mmap: not converted' 'set to one that is left alone'
# shellcheck disable=SC2016
is "$(ENG=io_uring changed)" '< ioengine=${ENG} > ioengine=external:ENGINE' \
	'set to one that is changed'

# ---- with --convert: no ioengine line ----

printf '; mine\n[global]\nrw=read\n[a]\n[b]\nrw=write\n' >job.fio
is "$(changed --convert)" '> ioengine=external:ENGINE' 'without one it is added'
is "$(sed -n 3p now)" ioengine=external:ENGINE 'to [global]'
has "$err" 'job.fio: no ioengine, which is psync' 'and it is reported'
printf '; mine\n[a]\nrw=read\n[global]\nrw=read\n' >job.fio
is "$(changed --convert)" '> [global] > ioengine=external:ENGINE > ' \
	'or to one before all, if there is none so far'
is "$(head -n 1 now)" '[global]' 'in front'
printf '[global]\nrw=read\n[a]\nioengine=null\n[b]\nioengine=mmap\n' >job.fio
refuses 65 "no job here would run on tickwise's engine" --convert job.fio
printf '[global]\nioengine=libaio\n[a]\n[b]\nioengine=null\n' >job.fio
is "$(changed --convert)" '< ioengine=libaio > ioengine=external:ENGINE' \
	'one in [global] serves all'
printf '[globals]\nioengine=libaio\n[a]\n' >job.fio
is "$(changed --convert)" '< ioengine=libaio > ioengine=external:ENGINE' \
	'and every name that begins so is [global]'
printf '[a]\nrw=read\n[global]\nioengine=libaio\n[b]\nrw=read\n' >job.fio
is "$(changed --convert | grep -c global)" 1 'but not the jobs before it'

# ---- with --convert: options of the old engine ----

printf '[a]\nioengine=libaio\nuserspace_reap\nhipri=1\nrw=read\n' >job.fio
changed --convert >now.text
has now.text '< userspace_reap > ioengine=external:ENGINE > # left out: userspace_reap' \
	'what only the old engine knows is left out'
has "$err" 'job.fio:3: [a] userspace_reap: left out, an option of libaio' \
	'and it is reported'
printf '[global]\nioengine=libaio\nuserspace_reap=1\n[a]\nuserspace_reap=1\n' \
	>job.fio
changed --convert >now.text
is "$(grep -c '^# left out' now)" 2 'in [global] and where it is inherited'
printf '[a]\nioengine=mmap\nthp=1\n[b]\nioengine=psync\n' >job.fio
is "$(changed --convert)" '< ioengine=psync > ioengine=external:ENGINE' \
	'a job that is left alone keeps its options'

# ---- with --convert: one I/O in flight ----

printf '[a]\nioengine=pvsync2\nhipri_percentage=3\niodepth=32\n' >job.fio
changed --convert >now.text
is "$(tail -n 3 now | xargs -d '\n')" \
	'ioengine=external:ENGINE # left out: hipri_percentage=3 iodepth=1' \
	'a synchronous engine has one I/O in flight, and keeps that'
has "$err" 'job.fio:4: [a] iodepth=32: changed to 1, as pvsync2' 'and it is reported'
printf '[global]\niodepth=32\n[a]\nrw=read\n[b]\nioengine=libaio\n' >job.fio
changed --convert >now.text
is "$(xargs -d '\n' <now)" \
	'[global] ioengine=external:ENGINE iodepth=32 [a] iodepth=1 rw=read [b] ioengine=external:ENGINE' \
	'also where it is inherited, and for that job alone'
printf '[a]\nioengine=psync\niodepth=1\n' >job.fio
is "$(changed --convert)" '< ioengine=psync > ioengine=external:ENGINE' \
	'iodepth=1 is that already'
has_not "$err" 'iodepth' 'and nothing is reported'
printf '[a]\nioengine=libaio\niodepth=32\n[b]\nioengine=psync\n' >job.fio
changed --convert >now.text
has_not now iodepth=1 "another job's iodepth is not inherited"
done_testing
