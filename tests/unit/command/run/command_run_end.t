#!/bin/sh
# SPDX-License-Identifier: MIT
#
# How tickwise run ends: with fio's exit code; with its own if fio ended well but
# its jobs were not on the engine, which their reports prove; after a signal, which
# it passes on to fio. Fails if a run on another engine passes for one on ours, or
# if copies are left.

. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/run_fake.sh"

# ends WHAT JOB WANTED [ARGUMENT...]: passes if a run ends with this exit code and last
# line. JOB is a text for printf; "-" is the one before.
ends() {
	what=$1 wanted=$3
	# shellcheck disable=SC2059	# escapes
	[ "$2" = - ] || printf "$2" >job.fio
	shift 3
	fio_run job.fio "$@"
	is "$status$(tail -n 1 "$err" | sed -n 's/^ *tickwise report/ ->/p')" "$wanted" "$what"
}

# ---- reports ----

ends 'all is well' '[a]\nioengine=io_uring\n' '0 -> a.1.9.tickwise.json'
has "$err" '1 report. To read it' 'the report is counted'
# Another run's reports are there, too: older, and of another process.
FAKE_JOBS='' ends 'no report of this run' - 70
has "$err" '[a] left no report: it did not run, or not on tickwise' 'is reported'
FAKE_JOBS='' FAKE_DO='cp a.1.9.tickwise.json b.1.9.tickwise.json' \
	ends 'nor one of another process' - 70
# shellcheck disable=SC2016
FAKE_JOBS='' FAKE_DO='sed "s/\"run\": \"[0-9]*/\"run\": \"$$/" \
	a.1.9.tickwise.json >b.1.9.tickwise.json
	touch -d "1 hour ago" b.1.9.tickwise.json' \
	ends 'nor an old one of a process of that number' - 70
if [ "$(id -u)" -eq 0 ]; then
	# shellcheck disable=SC2016
	planted='sed "s/\"run\": \"[0-9]*/\"run\": \"$$/" a.1.9.tickwise.json >b.1.9.tickwise.json
		chown 65534 b.1.9.tickwise.json'
	FAKE_JOBS='' FAKE_DO=$planted ends 'nor one that another user has put there' - 70
	FAKE_JOBS='' FAKE_DO=$planted ends 'but one of the user that fio becomes for the job' \
		'[a]\nioengine=io_uring\nuid=65534\n' '0 -> b.1.9.tickwise.json'
	rm b.1.9.tickwise.json
	printf '[a]\nioengine=io_uring\n' >job.fio
else
	skip 'only root can make files of another user'
fi
FAKE_JOBS='' FAKE_EXIT=1 ends 'fio failed' - 1
has_not "$err" 'left no report' 'and has printed why'
page='' FAKE_EXIT=1 ends 'it could not open a file: an empty report is not shown' - 1
is "$(cat "$out") $(grep -c report "$err")" "fio's output 0" 'nor named'
rm -f ./*.tickwise.json

ends 'one of two jobs left none' \
	'[a]\nioengine=io_uring\n[b]\nioengine=io_uring\n[c]\nioengine=null\n' \
	'70 -> a.1.9.tickwise.json'
is "$(grep 'left no report' "$err" | cut -d: -f 2)" ' [b] left no report' 'which one'
FAKE_JOBS='b a' ends 'both, in their order' - \
	'0 -> b.1.9.tickwise.json a.2.9.tickwise.json'
ends 'exitall may end a job before it began' \
	'[a]\nioengine=io_uring\n[b]\nioengine=io_uring\nexitall\n' '0 -> a.1.9.tickwise.json'
has "$err" '[b] left no report: it did not run' 'which is reported'
FAKE_JOBS='' ends 'but not all of them' - 70
ends 'exitall=0 ends none' '[a]\nioengine=io_uring\n[b]\nioengine=io_uring\nexitall=0\n' \
	'70 -> a.1.9.tickwise.json'
FAKE_JOBS=other ends 'a job with a name of its own' \
	'[a]\nioengine=io_uring\nname=other\n' '0 -> other.1.9.tickwise.json'
# fio replaces $ncpus, and may compute.
# shellcheck disable=SC2016
FAKE_JOBS='x2 -2' ends 'names that fio changes' \
	'[a]\nioengine=io_uring\nname=x$ncpus\n[b]\nioengine=io_uring\nname=x-$ncpus\n' \
	'0 -> -- x2.1.9.tickwise.json -2.2.9.tickwise.json'
FAKE_JOBS=x2 ends 'one of these two' - '70 -> x2.1.9.tickwise.json'
has "$err" '1 of the jobs left no report: not all ran, or not on tickwise' 'without its name'
FAKE_JOBS='a a/1' ends 'two jobs of numjobs=2, none of the other section' \
	'[a]\nioengine=io_uring\nnumjobs=2\n[b]\nioengine=io_uring\n' \
	'70 -> a.1.9.tickwise.json a.2.9.tickwise.json'
has "$err" '[b] left no report' 'which one'
ends 'one of two of the same name' '[a]\nioengine=io_uring\n[a]\nioengine=io_uring\n' \
	'70 -> a.1.9.tickwise.json'
for trigger in --trigger-timeout=1s '-W file'; do
	# shellcheck disable=SC2086	# words
	ends "$trigger: it may end all" '[a]\nioengine=io_uring\n[b]\nioengine=io_uring\n' \
		'0 -> a.1.9.tickwise.json' $trigger
	has "$err" '[b] left no report: it did not run' 'which is reported'
	# shellcheck disable=SC2086	# words
	FAKE_JOBS='' ends 'but none before it began' - 70 $trigger
done
for option in tw_report=none create_only=1; do
	FAKE_JOBS='' ends "$option: no report is missed" "[a]\nioengine=io_uring\n$option\n" 0
done

mkdir aux x
FAKE_REPORT=aux/a.1.9.tickwise.json ends 'where --aux-path leads' '[a]\nioengine=io_uring\n' \
	'0 -> aux/a.1.9.tickwise.json' --aux-path=aux
for file in x/r x/r.12 "$scratch/x/r.1" r.1; do
	FAKE_REPORT=$file ends "where tw_report leads: ${file#"$scratch"}" \
		"[a]\nioengine=io_uring\ntw_report=${file%.1*}\n" "0 -> $file"
	rm "$file"
done
FAKE_REPORT=r.x ends 'but no other file' - 70
FAKE_REPORT="it's .tickwise.json" ends 'a name that a shell would read otherwise' \
	'[a]\nioengine=io_uring\n' "0 -> 'it'\\''s .tickwise.json'"
mkfifo pipe.tickwise.json
timeout 300 "$tickwise" run --engine="$engine" --no-report job.fio >"$out" 2>"$err"
is $? 0 'a pipe of such a name is not waited for'
rm -f ./*.tickwise.json

# ---- exit codes and signals ----

FAKE_EXIT=128 fio_run job.fio
is "$status" 128 "fio's exit code, whatever it is"
# shellcheck disable=SC2016
FAKE_DO='kill -KILL $$' fio_run job.fio
is "$status $(ls tmp)" '137 ' 'fio killed: 128 and the signal; the copy is gone'
has "$err" 'fio was killed by signal 9' 'and it is reported'

# A shell lets background jobs ignore some signals, and nohup lets them ignore HUP;
# fio would inherit that.
heeding() {
	exec perl -e '$SIG{$_} = "DEFAULT" for qw(INT QUIT HUP TERM);
		exec @ARGV' "$@"
}

# started DO: starts tickwise with a fio that does this, and waits until it does
started() {
	rm -f here pid
	FAKE_DO="$1" heeding "$tickwise" run --engine="$engine" job.fio >"$out" 2>"$err" &
	tool=$!
	while [ ! -e here ] && kill -0 "$tool" 2>/dev/null; do sleep 0.05; done
}

for signal in INT TERM HUP QUIT; do
	# The trap runs when sleep ends, so sleep is killed.
	started "trap 'echo got-$signal; kill \$!; exit 42' $signal
		sleep 600 & echo >here; wait"
	kill -s "$signal" "$tool"
	wait "$tool"
	is "$? $(sed 1d "$out") $(ls tmp)" "42 got-$signal " \
		"SIG$signal goes on to fio, and the copy is gone"
done

# A killed tickwise does not leave fio behind. A zombie has ended, too, if no process
# has waited for it yet.
started 'echo $$ >pid; echo >here; exec sleep 600'
kill -KILL "$tool"
wait "$tool" 2>/dev/null
polls=0
while
	state=$(sed 's/.*) \(.\).*/\1/' "/proc/$(cat pid)/stat" 2>/dev/null)
	[ -n "${state#Z}" ] && [ $polls -lt 600 ]
do
	sleep 0.1
	polls=$((polls + 1))
done
is "${state#Z}" '' 'tickwise is killed: fio ends'
rm -rf tmp/*

# fio gets a pipe's end, and signals, as any program does. A shell would handle its
# own signals first.
cat >shows <<'END'
#!/usr/bin/perl
exec $ENV{FAKE}, @ARGV if $ARGV[0] =~ /help=/;
open my $f, "<", "/proc/self/status";
print grep { /^Sig(Ign|Blk)/ } <$f>;
END
chmod +x shows
FAKE=$FIO
export FAKE
fio_run --fio="$scratch/shows" job.fio
is "$(sed -n 's/^SigBlk:[[:space:]]*0*//p' "$out")" '' 'no signal is blocked in fio'
ignored=$(sed -n 's/^SigIgn:[[:space:]]*//p' "$out")
is "$((0x$ignored >> 12 & 1))" 0 'SIGPIPE is not ignored in fio'

# A parent may ignore SIGCHLD; then waitpid() waits in vain.
printf '#!/bin/sh\nexec timeout 600 env --ignore-signal=CHLD "%s" "$@"\n' "$tickwise" >ignores
chmod +x ignores
FAKE_EXIT=3 tickwise=./ignores fio_run job.fio
is "$status" 3 "the parent ignores SIGCHLD: fio's exit code"

# ---- the page ----

cat >write <<END
. '$root/tests/report_files.sh'
write_report a.1.9.tickwise.json "run=\"run\": \"\$\$-1\"," name=a
END
page=
FAKE_JOBS=
FAKE_DO='. ./write'
export FAKE_JOBS FAKE_DO
ends 'the page' - '0 -> --all a.1.9.tickwise.json'
is "$(head -n 1 "$out") $(grep -c '^a on .*: iodepth 32' "$out")" "fio's output 1" \
	"fio's output first, then the page of tickwise report"
FAKE_EXIT=3 ends "and still fio's exit code" - '3 -> --all a.1.9.tickwise.json'
while read -r pages arguments; do
	# shellcheck disable=SC2086	# words
	fio_run $arguments job.fio
	is "$(grep -c '^a on .*: iodepth 32' "$out")" "$pages" "$pages pages with $arguments"
done <<'CASES'
0 --no-report
0 --no-report --report
0 --output-format=json
0 --minimal
0 --output-format normal,json
0 --output-format=terse
1 --report --output-format=json
1 --minimal --report
1 --output-format=json --output-format=normal
CASES
done_testing
