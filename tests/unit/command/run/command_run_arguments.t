#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tickwise run reads fio's command line as fio does: which words are job files,
# which are values of options, which options make jobs. All else reaches fio
# unchanged. Fails if a value is taken for a job file, or if a job of the command
# line runs on another engine. Fails also if fio gets another argument than the user
# gave.

. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/run_fake.sh"

# gives WHAT WANTED ARGUMENT...: passes if fio gets WANTED, where COPY is the copy, and
# ENGINE is ioengine=external: with its path
gives() {
	what=$1 wanted=$2
	shift 2
	fio_run "$@"
	is "$status $(sed -e "s|^/proc/self/fd/[0-9]*$|COPY|" \
		-e "s|ioengine=external:$engine|ENGINE|" "$seen/arguments" 2>&1 | xargs -d '\n')" \
		"0 $wanted" "$what"
}

# cases: does so for each line "WHAT | ARGUMENTS | WANTED" of standard input. Without WANTED,
# fio gets the arguments with COPY in place of the last one
cases() {
	while IFS='|' read -r what arguments wanted; do
		arguments=$(echo $arguments)
		[ "$wanted" ] || wanted="${arguments% *} COPY"
		# shellcheck disable=SC2086	# words
		gives "$(echo $what)" "$(echo $wanted)" $arguments </dev/null
	done
}

printf '[a]\nioengine=io_uring\n' >job.fio
: >read
: >4

# ---- job files among options ----

cases <<'CASES'
options pass			| --output=o job.fio --minimal	| --output=o COPY --minimal
a value apart is no job file	| --output job.fio job.fio
nor one of a short option	| -o job.fio job.fio
an option without a value	| --minimal job.fio
a short one			| -m job.fio
a value right behind its letter	| -oout.txt job.fio
also of several letters		| -mroout.txt job.fio
or apart from them		| -mo job.fio job.fio
letters alone			| -mr job.fio
a letter that fio lacks		| -mz job.fio
a name that begins with a letter| -offset_a 4 job.fio
an unknown option takes no job file | --bogus job.fio
nor does one like another	| --descriptoin job.fio
nor does a letter		| -z job.fio
nor one that fio finds ambiguous| --off job.fio
a name cut short takes its value| --filen job.fio job.fio
or has none			| --thr job.fio
a second name			| --readwrite read job.fio
a second name of one dash	| -iomem shm job.fio
a value that begins with a dash	| --description -m job.fio
fio's own name cut short	| --output-f job.fio job.fio
behind --			| --output=o -- -- job.fio	| --output=o -- COPY
one dash is as good as two	| -output=o job.fio
a flag of a job			| --thread job.fio
a flag of the engine		| --hipri job.fio
a job file that is not there	| --thread missing job.fio
options of all jobs		| --bs 4 --rw read job.fio
nothing of ours behind --	| -- --report=1 job.fio		| --report=1 COPY
CASES
# By these letters fio would run nothing (--showcmd, --enghelp).
for option in -ss=iops:10% -io_limit=512k -iodepth_batch_submit=2 -iodepth_batch_sub=2 \
		-iomem=shm; do
	fio_run $option job.fio
	has "$err" '1 report. To read it' "$option: no letter, so a job runs"
done
for option in -s -i -ihelp -sm; do
	fio_run $option job.fio
	has_not "$err" '1 report. To read it' "$option: letters"
done
gives 'ours anywhere before' '--minimal COPY' --minimal job.fio --fio="$FIO"
gives 'blanks in them' '--description=a b COPY' '--description=a b' job.fio
cp job.fio ./-odd.fio
fio_run -- --output=o -- -odd.fio
is "$status $(grep -c ^/proc/self/fd/ "$seen/arguments")" '0 1' \
	'behind -- all else is a job file'
FAKE_JOBS= fio_run --thread - <job.fio
is "$status $(sed -n 2p "$seen/1")" "70 ioengine=external:$engine" \
	'standard input behind a flag, not read by the fio that is asked'

# ---- jobs of the command line ----

cases <<'CASES'
a job without an engine	| --convert --name=a --rw=read		| --ENGINE --name=a --rw=read
with one	| --name=a --ioengine=io_uring --rw=read	| --name=a --ENGINE --rw=read
its value apart	| --name a --ioengine io_uring --rw read	| --name=a --ENGINE --rw=read
a name cut short| --name=a --ioeng=io_uring			| --name=a --ENGINE
with one dash	| -name=a -ioengine=io_uring			| --name=a --ENGINE
name cut short	| --na=a --ioengine=io_uring			| --name=a --ENGINE
for all		| --ioengine=io_uring --name=a			| --ENGINE --name=a
in a job of its own | --name=global --ioengine=io_uring --name=a | --name=global --ENGINE --name=a
one in flight | --convert --iodepth=4 --name=a | --ENGINE --iodepth=4 --name=a --iodepth=1
of its own	| --convert --name=a --iodepth=4		| --ENGINE --name=a --iodepth=1
left| --na=b --ioengine=net --name=a --ioengine=io_uring | --name=b --ioengine=net --name=a --ENGINE
old options | --convert --name=a --ioengine=libaio --userspace_reap=1	| --name=a --ENGINE
CASES
has "$err" 'command line: [a] userspace_reap: left out' 'are left out, and reported'
gives 'one of another engine next to it' \
	'--name=b --ioengine=libaio --name=c --name=a --ENGINE' \
	--name=b --ioengine=libaio --name=c --name=a --ioengine=io_uring
is "$(grep 'not converted' "$err")" \
	"tickwise run: command line: [b] ioengine=libaio: not converted; --convert would
tickwise run: command line: [c] no ioengine, so psync: not converted; --convert would" \
	'is reported, and so is one without an engine'

gives 'options of the engine follow those of each job, as fio has to know its engine' \
	'--name=a --rw=read --ENGINE --tw_causes=1 --tw_kernel=off -H command --name=b --ioengine=null' \
	--causes --name=a --rw=read --ioengine=io_uring -H command --name=b --ioengine=null \
	--kernel=off

# ---- both ----

gives 'an engine for all, but a job file has its own' \
	'--ioengine=libaio COPY' --ioengine=libaio job.fio
has_not "$err" libaio 'which no job is on'
printf '[a]\nrw=read\n' >job.fio
gives 'an engine for a job file that has none' '--ENGINE job.fio' --ioengine=io_uring job.fio
cp job.fio other.fio
FAKE_JOBS=a fio_run --convert --ioengine=libaio job.fio other.fio
is "$(grep -c ioengine= "$seen/1") $(grep -c ioengine= "$seen/2")" '0 1' \
	'fio forgets it after the first file, so the second has its own'
has "$err" 'other.fio: no ioengine, which is psync' 'and it is reported'
gives 'and without --convert stays with psync' '--ENGINE job.fio other.fio' \
	--ioengine=io_uring job.fio other.fio
has "$err" 'other.fio: [a] no ioengine, so psync: not converted' 'which is reported'

# ---- refused ----

refuses 64 'no job given'
for option in --server --server=,1 --daemonize=p --remote-config=x; do
	refuses 64 "$option: not with run" "$option" job.fio
done
refuses 64 '--engine needs a value' --engine job.fio
refuses 64 '--fio needs a value' --fio
for arguments in --minimal '--rw=read --bs=4k' '--name=a --ioengine=null' \
		'--name=a --ioengine=libaio' '--ioengine=posixaio job.fio'; do
	# shellcheck disable=SC2086	# words
	refuses 65 "no job here would run on tickwise's engine" $arguments
done

# ---- what options do, however they are given ----

printf '[a]\nioengine=io_uring\n[b]\nioengine=io_uring\n' >job.fio
for option in -xa '-x a' --sect=a '-section a'; do
	# shellcheck disable=SC2086	# one or two words
	fio_run $option job.fio
	is "$status" 0 "$option: the job that is not run owes no report"
done
printf '[a]\nioengine=io_uring\n' >job.fio
for option in -Fjson '-mFjson' '--output-f=json'; do
	page= fio_run --report "$option" job.fio
	has "$err" "nothing was added to fio's JSON" "$option: the reports go into fio's JSON"
done

# ---- nothing is run ----

for option in --parse-only --showcmd -P -ms --pars; do
	FAKE_JOBS='' gives "$option leaves no report, and needs none" \
		"$option COPY" "$option" job.fio
done
run run --engine="$engine" --dry-run --convert --name=a '--description=x y'
is "$(sed "s|$engine|ENGINE|" "$out")" \
	"$FIO --ioengine=external:ENGINE --name=a '--description=x y'" \
	'--dry-run of a command line is a command line'
done_testing
