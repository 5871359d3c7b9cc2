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

# gives WHAT WANTED ARGUMENT...: passes if fio gets WANTED, where COPY is the copy
gives() {
	what=$1 wanted=$2
	shift 2
	fio_run "$@"
	is "$status $(sed -e "s|$scratch/tmp/.*/1-job.fio|COPY|" \
		-e "s|$engine|ENGINE|" "$seen/arguments" 2>&1 | xargs -d '\n')" \
		"0 $wanted" "$what"
}

printf '[a]\nioengine=io_uring\n' >job.fio
: >read
: >4

# ---- job files among options ----

gives 'options pass' '--output=o COPY --minimal' --output=o job.fio --minimal
gives 'a value apart is no job file' '--output job.fio COPY' \
	--output job.fio job.fio
gives 'nor one of a short option' '-o job.fio COPY' -o job.fio job.fio
gives 'an option without a value' '--minimal COPY' --minimal job.fio
gives 'a short one' '-m COPY' -m job.fio
gives 'a value right behind its letter' '-oout.txt COPY' -oout.txt job.fio
gives 'also of several letters' '-mroout.txt COPY' -mroout.txt job.fio
gives 'or apart from them' '-mo job.fio COPY' -mo job.fio job.fio
gives 'letters alone' '-mr COPY' -mr job.fio
gives 'a name with one dash, which begins with a letter' '-offset_a 4 COPY' \
	-offset_a 4 job.fio
gives 'an unknown option takes no job file' '--bogus COPY' --bogus job.fio
gives 'nor does one like another' '--descriptoin COPY' --descriptoin job.fio
gives 'nor does a letter' '-z COPY' -z job.fio
gives 'nor one that fio finds ambiguous' '--off COPY' --off job.fio
gives 'a name cut short takes its value' '--filen job.fio COPY' --filen job.fio job.fio
gives 'or has none' '--thr COPY' --thr job.fio
gives 'a second name' '--readwrite read COPY' --readwrite read job.fio
gives 'a value that begins with a dash' '--description -m COPY' \
	--description -m job.fio
gives "fio's own name cut short" '--output-f job.fio COPY' --output-f job.fio job.fio
gives 'behind --' '--output=o -- COPY' --output=o -- -- job.fio
cp job.fio ./-odd.fio
fio_run -- --output=o -- -odd.fio
is "$status $(grep -c tickwise-run "$seen/arguments")" '0 1' \
	'where all else is a job file'
gives 'one dash is as good as two' '-output=o COPY' -output=o job.fio
gives 'a flag of a job' '--thread COPY' --thread job.fio
gives 'a flag of the engine' '--hipri COPY' --hipri job.fio
gives 'a job file that is not there is for fio to miss' \
	'--thread missing COPY' --thread missing job.fio
FAKE_JOBS= fio_run --thread - <job.fio
is "$status $(sed -n 2p "$seen/1")" "70 ioengine=external:$engine" \
	'standard input behind a flag, not read by the fio that is asked'
gives 'options of all jobs' '--bs 4 --rw read COPY' --bs 4 --rw read job.fio
gives 'nothing of ours behind --' '--report=1 COPY' -- --report=1 job.fio
gives 'ours anywhere before' '--minimal COPY' --minimal job.fio --fio="$FIO"
gives 'blanks in them' '--description=a b COPY' '--description=a b' job.fio

# ---- jobs of the command line ----

gives 'a job without an engine' '--ioengine=external:ENGINE --name=a --rw=read' \
	--convert --name=a --rw=read
gives 'with one' '--name=a --ioengine=external:ENGINE --rw=read' \
	--name=a --ioengine=io_uring --rw=read
gives 'with its value apart' '--name=a --ioengine=external:ENGINE --rw=read' \
	--name a --ioengine io_uring --rw read
gives 'its name cut short' '--name=a --ioengine=external:ENGINE' \
	--name=a --ioeng=io_uring
gives 'with one dash' '--name=a --ioengine=external:ENGINE' \
	-name=a -ioengine=io_uring
gives 'the name of its name cut short' '--name=a --ioengine=external:ENGINE' \
	--na=a --ioengine=io_uring
gives 'for all' '--ioengine=external:ENGINE --name=a' --ioengine=io_uring --name=a
gives 'for all in a job of its own' \
	'--name=global --ioengine=external:ENGINE --name=a' \
	--name=global --ioengine=io_uring --name=a
gives 'options of the old engine' '--name=a --ioengine=external:ENGINE --rw=read' \
	--convert --name=a --ioengine=libaio --userspace_reap=1 --rw=read
has "$err" 'command line: [a] userspace_reap: left out' 'are left out, and reported'
gives 'one I/O in flight' \
	'--ioengine=external:ENGINE --iodepth=4 --name=a --iodepth=1 --rw=read' \
	--convert --iodepth=4 --name=a --rw=read
gives 'of its own' '--ioengine=external:ENGINE --name=a --iodepth=1' \
	--convert --name=a --iodepth=4
gives 'one that is left alone next to it' \
	'--name=b --ioengine=null --name=a --ioengine=external:ENGINE' \
	--name=b --ioengine=null --name=a --ioengine=io_uring
gives 'one of another engine next to it' \
	'--name=b --ioengine=libaio --name=c --name=a --ioengine=external:ENGINE' \
	--name=b --ioengine=libaio --name=c --name=a --ioengine=io_uring
has "$err" 'command line: [b] ioengine=libaio: not converted; --convert would' \
	'is reported'
has "$err" 'command line: [c] no ioengine, so psync: not converted' \
	'so is one without an engine'

# ---- both ----

printf '[a]\nrw=read\n' >job.fio
gives 'an engine for a job file that has none' \
	'--ioengine=external:ENGINE job.fio' --ioengine=io_uring job.fio
cp job.fio other.fio
FAKE_JOBS=a fio_run --convert --ioengine=libaio job.fio other.fio
is "$(grep -c ioengine= "$seen/1") $(grep -c ioengine= "$seen/2")" '0 1' \
	'fio forgets it after the first file, so the second has its own'
has "$err" 'other.fio: no ioengine, which is psync' 'and it is reported'
FAKE_JOBS=a fio_run --ioengine=io_uring job.fio other.fio
is "$(sed "s|$engine|ENGINE|" "$seen/arguments" | xargs -d '\n')" \
	'--ioengine=external:ENGINE job.fio other.fio' \
	'and without --convert stays with psync'
has "$err" 'other.fio: [a] no ioengine, so psync: not converted' \
	'which is reported'
printf '[a]\nioengine=io_uring\n' >job.fio
gives 'an engine for all, but a job file has its own' \
	'--ioengine=libaio COPY' --ioengine=libaio job.fio
has_not "$err" libaio 'which no job is on'
printf '[a]\nrw=read\n' >job.fio

# ---- refused ----

refuses 64 'no job given'
for option in --client=host --client --server --server=,1 --daemonize=p \
		--remote-config=x; do
	refuses 64 "${option%%=*}" "$option" job.fio
done
refuses 64 '--engine needs a value' --engine job.fio
refuses 64 '--fio needs a value' --fio
refuses 65 "no job here would run on tickwise's engine" --minimal
refuses 65 "no job here would run on tickwise's engine" --rw=read --bs=4k
refuses 65 "no job here would run on tickwise's engine" --name=a --ioengine=null
refuses 65 "no job here would run on tickwise's engine" --name=a --ioengine=libaio
refuses 65 "no job here would run on tickwise's engine" --ioengine=posixaio job.fio

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
refuses 64 '-Chost' -Chost job.fio
refuses 64 '--cli=host' --cli=host job.fio

# ---- nothing is run ----

printf '[a]\nioengine=io_uring\n' >job.fio
for option in --parse-only --showcmd -P -ms --pars; do
	FAKE_JOBS='' gives "$option leaves no report, and needs none" \
		"$option COPY" "$option" job.fio
done
run run --engine="$engine" --dry-run --convert --name=a '--description=x y'
is "$(sed "s|$engine|ENGINE|" "$out")" \
	"$FIO --ioengine=external:ENGINE --name=a '--description=x y'" \
	'--dry-run of a command line is a command line'
done_testing
