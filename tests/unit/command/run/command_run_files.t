#!/bin/sh
# SPDX-License-Identifier: MIT
#
# fio gets copies of the job files, which no other user can change, and which mean the same,
# with the files that they include. They are in memory: a folder for them could be another
# user's, as su keeps TMPDIR. What can't be copied so is refused before fio runs. Fails
# if a path in a job file leads somewhere else, if an included file is lost, if
# the user's own file is written to, or if a long line costs much memory.

. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/run_fake.sh"

# given N: prints the file that fio got
given() {
	sed "s|$engine|ENGINE|" "$seen/$1" | xargs -d '\n'
}

printf '[a]\nioengine=io_uring\nfilename=data\n' >job.fio
cp job.fio before
fio_run job.fio
is "$status $(given 1)" '0 [a] ioengine=external:ENGINE filename=data' \
	'fio reads the copy'
cmp -s before job.fio
ok $? "the user's file is as it was"
is "$(cat "$out") $(grep -c "^fio's errors" "$err") $(ls tmp)" "fio's output 1 " \
	"fio's stdout has nothing of ours, its stderr is passed on, and the copy is gone"
FAKE_DO='readlink "$argument"' fio_run job.fio
is "$(sed 1d "$out")" '/memfd:job (deleted)' 'which has no name that others could change'
printf '[a]\nioengine=%s\n' "$engine" >ours.fio
fio_run ours.fio
is "$(cat "$seen/arguments")" ours.fio 'a file with nothing to change is not copied'

# ---- several, standard input ----

mkdir x
printf '[b]\nioengine=io_uring\n' >x/job.fio
FAKE_JOBS='a b' fio_run job.fio x/job.fio --output=o
is "$(given 1) $(given 2) $(sed -n 3p "$seen/arguments")" \
	'[a] ioengine=external:ENGINE filename=data [b] ioengine=external:ENGINE --output=o' \
	'two job files of one name, and another argument'
fio_run - <job.fio
is "$status $(given 1)" '0 [a] ioengine=external:ENGINE filename=data' 'standard input'

# ---- include ----

printf '[a]\ninclude x/one.inc ; comment\nrw=read\n' >job.fio
printf '# inside\nbs=4k\ninclude two.inc\n' >x/one.inc
printf 'ioengine=io_uring\niodepth=4\n' >x/two.inc
fio_run job.fio
is "$status $(given 1)" '0 [a] # include x/one.inc: # inside bs=4k # include two.inc: '\
'ioengine=external:ENGINE iodepth=4 rw=read' \
	'what is included is put in, found next to the file that names it'
has "$err" 'x/two.inc:1: [a] ioengine=io_uring: changed' 'named by its own place'
printf 'ioengine=null\n' >two.inc
fio_run job.fio
has "$err" 'two.inc:1: [a] ioengine=null' \
	'but the current directory comes first'
rm two.inc

# ---- what is no job file: golden/run.t has more ----

refuses 64 "$scratch/x: no job file, so it is to be read" "$scratch/x" job.fio
refuses 66 "$scratch/x: Is a directory" job.fio "$scratch/x"
printf '[b]\n' >x/section.inc
printf 'include round.inc\n' >x/round.inc
while IFS=/ read -r code text job; do
	# shellcheck disable=SC2059	# escapes
	printf "$job" >job.fio
	refuses "$code" "$text" job.fio
done <<'CASES'
65/job.fio:2: include without a file/[a]\ninclude\n
65/section.inc:1: a section in a file that is included/[a]\ninclude x\057section.inc\n
65/files that include each other too deep/[a]\ninclude x\057round.inc\n
65/job.fio:2: not a job file: a byte of 0/[a]\n\0rw=read\n
65/job.fio:2: fio would cut this line in two/[a]\ndescription=%08179d\n
65/job.fio:2: a section without a name/[a]\n[\n
CASES

# ---- long lines ----

# 50 lines of characters and 50 of variables, each of some 8000 bytes. Copies for
# each character would take 8000 * 8000 / 2 bytes a line, 1.6 GB for the first 50,
# and for each variable 0.4 GB. The limit is on address space, of which the program
# and its libraries take some 20 MB. A sanitizer takes all that there is.
awk 'BEGIN {
	print "[a]"; print "ioengine=io_uring"
	for (i = 0; i < 8000; i++) x = x "x"
	for (i = 0; i < 2000; i++) v = v "${V}"
	for (i = 0; i < 50; i++) { print "description=" x; print "comment=" v }
}' >job.fio
V=abcd
export V
is "$([ -n "${TW_SANITIZE-}" ] || ulimit -S -v 200000; changed | cut -c 1-200)" \
	'< ioengine=io_uring > ioengine=external:ENGINE' \
	'in 200 MB of address space, with one line changed'
is "$(cut -c 1-200 "$err" | grep -vc ': changed to ')" 0 'and nothing reported'
# shellcheck disable=SC2016
printf '[a]\nioengine=i${A}u${NOTHING}r${EMPTY}${B}\n' >job.fio
A=o_ B=ing EMPTY='' fio_run --dry-run job.fio
has "$err" '[a] ioengine=io_uring: changed' 'the values in place of the variables'
# shellcheck disable=SC2016
printf '[a]\nioengine=io_${A\n' >job.fio
A=uring fio_run --dry-run job.fio
has_not "$err" io_uring 'and what is not closed is none'

# ---- sections ----

printf '[a]\nioengine=io_uring\n[c]\nioengine=io_uring_cmd\n' >job.fio
fio_run --section=a job.fio
is "$status $(given 1)" \
	'0 [a] ioengine=external:ENGINE [c] ioengine=io_uring_cmd' \
	'a section that fio leaves out is left alone'
fio_run job.fio --section a
is "$status" 0 'also with its value apart'
refuses 65 '--section=x: job.fio has no such section' --section=x job.fio
is "$(wc -l <"$err")" 1 'one line'
fio_run job.fio --section=x --section=a
is "$status $(grep -c 'no such section' "$err")" '0 1' 'also if another one is there'

# ---- places ----

printf '[a]\nioengine=io_uring\n' >job.fio
mkdir 'odd ,name'
: >'odd ,name/tickwise.so'
: >built/silent.so
engine="$scratch/odd ,name/tickwise.so" \
	refuses 64 "fio can't load an engine from a path" job.fio
engine=built/silent.so refuses 70 \
	"$FIO can't load $scratch/built/silent.so: is it built for this fio?" job.fio
FAKE_LACKS='failed to map a library' engine=built/silent.so refuses 70 \
	"$FIO does not run: failed to map a library" job.fio
FIO=true engine=built/silent.so refuses 70 'true is no fio: it prints nothing' job.fio
TMPDIR=$scratch/nowhere fio_run job.fio
is "$status" 0 'it needs no folder for temporary files'
cp "$FIO" other
FIO=$scratch/nowhere fio_run --fio="$scratch/other" job.fio
is "$status" 0 '--fio comes before FIO'
long=$(perl -e 'print "x" x 254')
cp job.fio "$long"
fio_run "$long"
is "$status" 0 'a job file whose copy has no longer name'

# Next to the program, where it was built; and as installed, wherever the whole tree is.
mkdir -p tree/bin tree/lib/tickwise
cp "$tickwise" built/
cp "$tickwise" tree/bin/
: >tree/lib/tickwise/tickwise.so
for place in built:built tree/bin:tree/lib/tickwise; do
	"${place%:*}/tickwise" run --dry-run job.fio >"$out" 2>"$err"
	has "$out" "ioengine=external:$scratch/${place#*:}/tickwise.so" \
		"the engine of a program in ${place%:*}"
done
done_testing
