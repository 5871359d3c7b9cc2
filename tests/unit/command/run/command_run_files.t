#!/bin/sh
# SPDX-License-Identifier: MIT
#
# fio gets copies of the job files in another folder, which mean the same, with the
# files that they include. What can't be copied so is refused before fio runs. Fails
# if a path in a job file leads somewhere else, if an included file is lost, or if
# the user's own file is written to.

. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/run_fake.sh"

# given N: prints the file that fio got
given() {
	sed "s|$engine|ENGINE|" "$seen/$1" | xargs -d '\n'
}

printf '[a]\nioengine=io_uring\nfilename=data\n' >job.fio
cksum job.fio >before
fio_run job.fio
is "$status $(given 1)" '0 [a] ioengine=external:ENGINE filename=data' \
	'fio reads the copy'
cksum job.fio >after
cmp -s before after
ok $? "the user's file is as it was"
is "$(cat "$out")" "fio's output" "fio's stdout has nothing of ours"
is "$(grep -c "^fio's errors" "$err")" 1 'and its stderr is passed on'
is "$(ls tmp)" '' 'the copy is gone'
FAKE_DO='stat -c %A "$argument" "${argument%/*}"' fio_run job.fio
is "$(sed 1d "$out" | xargs)" '-rw------- drwx------' \
	'nobody else could have written to it'

printf '[a]\nioengine=%s\n' "$engine" >ours.fio
fio_run ours.fio
is "$(cat "$seen/arguments")" ours.fio 'a file with nothing to change is not copied'

# ---- several, standard input ----

mkdir x
printf '[b]\nioengine=io_uring\n' >x/job.fio
FAKE_JOBS='a b' fio_run job.fio x/job.fio --output=o
is "$(given 1) $(given 2)" \
	'[a] ioengine=external:ENGINE filename=data [b] ioengine=external:ENGINE' \
	'two job files of one name'
is "$(sed -n 3p "$seen/arguments")" --output=o 'and the other arguments'
fio_run - <job.fio
is "$status $(given 1)" '0 [a] ioengine=external:ENGINE filename=data' \
	'standard input'

# ---- include ----

printf '[a]\ninclude x/one.inc ; comment\nrw=read\n' >job.fio
printf '# inside\nbs=4k\ninclude two.inc\n' >x/one.inc
printf 'ioengine=io_uring\niodepth=4\n' >x/two.inc
printf 'ioengine=null\n' >x/null.inc
fio_run job.fio
is "$status $(given 1)" '0 [a] # include x/one.inc: # inside bs=4k # include two.inc: ioengine=external:ENGINE iodepth=4 rw=read' \
	'what is included is put in, found next to the file that names it'
has "$err" 'x/two.inc:1: [a] ioengine=io_uring: changed' 'named by its own place'
printf 'ioengine=null\n' >two.inc
fio_run job.fio
has "$err" 'two.inc:1: [a] ioengine=null' \
	'but the current directory comes first'
rm two.inc
printf '[a]\ninclude missing.inc\n' >job.fio
refuses 66 'job.fio:2: include missing.inc: No such file' job.fio
printf '[a]\ninclude\n' >job.fio
refuses 65 'job.fio:2: include without a file' job.fio
printf '[a]\ninclude x/one.inc\n' >job.fio
printf '[b]\n' >x/two.inc
refuses 65 'x/two.inc:1: a section in a file that is included' job.fio
printf 'include one.inc\n' >x/two.inc
refuses 65 'files that include each other too deep' job.fio

# ---- what is no job file ----

refuses 66 'missing.fio: No such file or directory' missing.fio
refuses 66 "$scratch/x: Is a directory" "$scratch/x"
: >job.fio
refuses 65 'job.fio: not a job file: no [section]' job.fio
printf '; c\n\nrw=read\n[a]\n' >job.fio
refuses 65 'job.fio:3: an option before the first [section]' job.fio
printf '[a]\n\0rw=read\n' >job.fio
refuses 65 'job.fio:2: not a job file: a byte of 0' job.fio
printf '[a]\ndescription=%08200d\n' 0 >job.fio
refuses 65 'job.fio:2: fio would cut this line in two' job.fio
printf '[a]\n[\n' >job.fio
refuses 65 'job.fio:2: a section without a name' job.fio

# ---- sections ----

printf '[a]\nioengine=io_uring\n[c]\nioengine=io_uring_cmd\n' >job.fio
fio_run --section=a job.fio
is "$status $(given 1)" \
	'0 [a] ioengine=external:ENGINE [c] ioengine=io_uring_cmd' \
	'a section that fio leaves out is left alone'
fio_run job.fio --section a
is "$status" 0 'also with its value apart'
refuses 65 "no job here would run" --section=x job.fio

# ---- places ----

printf '[a]\nioengine=io_uring\n' >job.fio
engine=$scratch/missing.so
refuses 66 "$engine: No such file" job.fio
mkdir 'odd ,name'
: >'odd ,name/tickwise.so'
engine="$scratch/odd ,name/tickwise.so"
refuses 64 "fio can't load an engine from a path" job.fio
: >built/refuses.so
engine=$scratch/built/refuses.so
refuses 70 "$FIO can't load $engine: built for another fio" job.fio
: >built/silent.so
engine=$scratch/built/silent.so
refuses 70 "$FIO can't load $engine: is it built for this fio?" job.fio
engine=$scratch/built/tickwise.so
FIO=$scratch/nowhere refuses 70 "can't run $scratch/nowhere: No such file" job.fio
TMPDIR=$scratch/nowhere refuses 74 "$scratch/nowhere/tickwise-run" job.fio
cp "$FIO" other
FIO=$scratch/nowhere fio_run --fio="$scratch/other" job.fio
is "$status" 0 '--fio comes before FIO'

long=$(perl -e 'print "x" x 254')
cp job.fio "$long"
fio_run "$long"
is "$status" 0 'a job file whose copy has no longer name'

# Next to the program, where it was built.
cp "$tickwise" built/
TICKWISE=built/tickwise
"$TICKWISE" run --dry-run job.fio >"$out" 2>"$err"
has "$out" "ioengine=external:$scratch/built/tickwise.so" \
	'the engine next to the program'
# And as installed, wherever the whole tree is.
mkdir -p tree/bin tree/lib/tickwise
cp "$tickwise" tree/bin/
: >tree/lib/tickwise/tickwise.so
tree/bin/tickwise run --dry-run job.fio >"$out" 2>"$err"
grep -q '^ioengine=external:.*/lib/tickwise/tickwise.so$' "$out"
ok $? 'the engine as it is installed'
done_testing
