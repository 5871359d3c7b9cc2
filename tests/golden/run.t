#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: core/command core/command/engine
#
# Compares what tickwise run prints about job files: changed copies, its reports,
# and what it refuses. fio is a script that does no I/O. Fails if a character of it
# changes.
. "$(dirname "$0")/golden.sh"
. "$root/tests/unit/command/run/run_fake.sh"
: >built/tickwise-cmd.so
: >refuses.so

# on NAME ARGUMENT...: runs tickwise run with a file that is no engine
on()
{
	name=$1
	shift
	golden "$name" run --engine="$engine" "$@"
}

cat >job.fio <<'JOB'
; a job file with a bit of everything
[global]
rw=randread
size=64m
iodepth=32	# of all
[fast]
ioengine=io_uring
hipri
[command]
ioengine=io_uring_cmd
cmd_type=nvme
[old]
ioengine=libaio
userspace_reap
[sync]
ioengine=pvsync2
hipri_percentage=3
[memory]
ioengine=mmap
[plain]
include more.inc
JOB
printf 'bs=4k\nioengine=${KIND}\n' >more.inc
KIND=io_uring
export KIND

golden help run --help
on dry_run --dry-run job.fio
on dry_run_convert --dry-run --convert job.fio
on dry_run_options --dry-run --name=a --ioengine=io_uring --rw=read --bs=4k
on dry_run_arguments --dry-run --section=fast job.fio --output-format=json -- --eta=never
printf '[a]\nioengine=io_uring\n[b]\nioengine=io_uring\n' >two.fio
cat >write <<END
. '$root/tests/report_files.sh'
write_report a.1.9.tickwise.json "run=\"run\": \"\$\$-1\"," name=a
write_report b.2.9.tickwise.json "run=\"run\": \"\$\$-1\"," name=b thread=2
END
FAKE_JOBS='' FAKE_DO='. ./write' on two two.fio
FAKE_JOBS='a b' on two_no_report --no-report two.fio
FAKE_JOBS=a on one_left_none --no-report two.fio
FAKE_JOBS='' FAKE_EXIT=3 on fio_fails two.fio
FAKE_JOBS='a b' FAKE_DO='kill -TERM $$' on fio_dies two.fio

printf '[a]\nrw=read\n' >psync.fio
printf 'rw=read\n[a]\n' >no_section.fio
printf '[a]\ninclude missing.inc\n' >include.fio
: >empty.fio
{
	while read -r line; do
		# shellcheck disable=SC2086	# words of a line
		run run --engine="$engine" $line
		echo "\$ tickwise run $line"
		cat "$out" "$err"
		echo "---- exit code $status"
	done <<'LINES'

--dry-run
--no-report --no-such-option=1 job.fio
--engine
--engine=missing.so job.fio
--engine=./refuses.so two.fio
--fio=/none/fio two.fio
missing.fio
empty.fio
no_section.fio
include.fio
psync.fio
--name=a --ioengine=null
LINES
} >errors
golden_file errors.txt errors
golden_done
