#!/bin/sh
# SPDX-License-Identifier: MIT
#
# How tickwise run ends: with fio's exit code; with its own if fio ended well but
# its jobs were not on the engine, which their reports prove; after a signal, which
# it passes on to fio. Fails if a run on another engine passes for one on ours, or
# if copies are left.

. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/run_fake.sh"

printf '[a]\nioengine=io_uring\n' >job.fio

# ---- reports ----

fio_run job.fio
is "$status" 0 'all is well'
has "$err" '1 report. To read it' 'the report is counted'
is "$(tail -n 1 "$err")" '  tickwise report a.1.9.tickwise.json' \
	'and how to read it is told'

# Another run's reports are there, too: older, and of another process.
FAKE_JOBS='' fio_run job.fio
is "$status" 70 'no report of this run: exit code 70'
has "$err" '[a] left no report: it did not run, or not on tickwise' 'is reported'
has_not "$err" '. To read' 'no other report is taken for it'
FAKE_JOBS='' FAKE_DO='cp a.1.9.tickwise.json b.1.9.tickwise.json' fio_run job.fio
is "$status" 70 'nor one of another process'
# shellcheck disable=SC2016
FAKE_JOBS='' FAKE_DO='sed "s/\"run\": \"[0-9]*/\"run\": \"$$/" \
	a.1.9.tickwise.json >b.1.9.tickwise.json
	touch -d "1 hour ago" b.1.9.tickwise.json' fio_run job.fio
is "$status" 70 'nor an old one of a process of that number'
FAKE_JOBS='' FAKE_EXIT=1 fio_run job.fio
is "$status $(grep -c 'left no report' "$err")" '1 0' \
	"where fio failed, that is reported"
rm -f ./*.tickwise.json

printf '[a]\nioengine=io_uring\n[b]\nioengine=io_uring\n[c]\nioengine=null\n' >job.fio
fio_run job.fio
is "$status $(grep -c 'left no report' "$err")" '70 1' \
	'one of two jobs left none'
has "$err" '[b] left no report' 'which one'
FAKE_JOBS='b a' fio_run job.fio
is "$status $(tail -n 1 "$err")" \
	'0   tickwise report b.1.9.tickwise.json a.2.9.tickwise.json' \
	'both, in their order'

printf '[a]\nioengine=io_uring\n[b]\nioengine=io_uring\nexitall\n' >job.fio
fio_run job.fio
is "$status $(grep -c 'left no report: it did not run$' "$err")" '0 1' \
	'exitall may end a job before it began'
FAKE_JOBS='' fio_run job.fio
is "$status" 70 'but not all of them'
printf '[a]\nioengine=io_uring\nname=other\n' >job.fio
FAKE_JOBS=other fio_run job.fio
is "$status" 0 'a job with a name of its own'
for option in tw_report=none create_only=1; do
	printf '[a]\nioengine=io_uring\n%s\n' "$option" >job.fio
	FAKE_JOBS='' fio_run job.fio
	is "$status" 0 "$option: no report is missed"
done

mkdir aux x
printf '[a]\nioengine=io_uring\n' >job.fio
FAKE_REPORT=aux/a.1.9.tickwise.json fio_run --aux-path=aux job.fio
is "$status $(tail -n 1 "$err")" '0   tickwise report aux/a.1.9.tickwise.json' \
	'where --aux-path leads'
for file in x/r x/r.12 "$scratch/x/r.1" r.1; do
	printf '[a]\nioengine=io_uring\ntw_report=%s\n' "${file%.1*}" >job.fio
	FAKE_REPORT=$file fio_run job.fio
	is "$status $(tail -n 1 "$err")" "0   tickwise report $file" \
		"where tw_report leads: ${file#"$scratch"}"
	rm "$file"
done
FAKE_REPORT=r.x fio_run job.fio
is "$status" 70 'but no other file'
printf '[a]\nioengine=io_uring\n' >job.fio
FAKE_REPORT="it's .tickwise.json" fio_run job.fio
is "$(tail -n 1 "$err")" "  tickwise report 'it'\\''s .tickwise.json'" \
	'a name that a shell would read otherwise'
mkfifo pipe.tickwise.json
timeout 300 "$tickwise" run --engine="$engine" --no-report job.fio >"$out" 2>"$err"
is $? 0 'a pipe of such a name is not waited for'
rm -f ./*.tickwise.json

# ---- exit codes ----

for code in 1 2 64 128; do
	FAKE_EXIT=$code fio_run job.fio
	is "$status" "$code" "fio's exit code $code"
done
# shellcheck disable=SC2016
FAKE_DO='kill -KILL $$' fio_run job.fio
is "$status" 137 'fio killed: 128 and the signal'
has "$err" 'fio was killed by signal 9' 'and it is reported'
is "$(ls tmp)" '' 'the copy is gone'

# ---- signals ----

# A shell lets background jobs ignore some signals, and nohup lets them ignore HUP;
# fio would inherit that.
heeding() {
	exec perl -e '$SIG{$_} = "DEFAULT" for qw(INT QUIT HUP TERM);
		exec @ARGV' "$@"
}

for signal in INT TERM HUP QUIT; do
	rm -f here
	# The trap runs when sleep ends, so sleep is killed.
	FAKE_DO="trap 'echo got-$signal; kill \$!; exit 42' $signal
		sleep 600 & echo \$! >sleeper; echo >here; wait" \
		heeding "$tickwise" run --engine="$engine" job.fio >"$out" \
		2>"$err" &
	tool=$!
	while [ ! -e here ]; do sleep 0.05; done
	kill -s "$signal" "$tool"
	wait "$tool"
	status=$?
	is "$status $(sed 1d "$out")" "42 got-$signal" "SIG$signal goes on to fio"
	is "$(ls tmp)" '' 'the copy is gone'
done

# A killed tickwise does not leave fio behind.
rm -f here
FAKE_DO='echo $$ >pid; echo >here; exec sleep 600' \
	"$tickwise" run --engine="$engine" job.fio >"$out" 2>"$err" &
tool=$!
while [ ! -e here ]; do sleep 0.05; done
kill -KILL "$tool"
wait "$tool" 2>/dev/null
# A zombie has ended, too, if no process has waited for it yet.
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
grep -qE '^SigBlk:[[:space:]]*0+$' "$out"
ok $? 'no signal is blocked in fio'
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
fio_run job.fio
is "$status" 0 'the page'
is "$(head -n 1 "$out")" "fio's output" "fio's output first"
grep -q '^a: iodepth 32' "$out"
ok $? 'then the page of tickwise report'
is "$(tail -n 1 "$err")" '  tickwise report a.1.9.tickwise.json' 'and the files last'
FAKE_EXIT=3 fio_run job.fio
is "$status" 3 "and still fio's exit code"
for arguments in --no-report '--no-report --report' --output-format=json --minimal \
		'--output-format normal,json' --output-format=terse; do
	# shellcheck disable=SC2086	# words
	fio_run $arguments job.fio
	is "$(grep -c '^a: iodepth 32' "$out")" 0 "no page with $arguments"
done
for arguments in '--report --output-format=json' '--minimal --report' \
		'--output-format=json --output-format=normal'; do
	# shellcheck disable=SC2086	# words
	fio_run $arguments job.fio
	is "$(grep -c '^a: iodepth 32' "$out")" 1 "a page with $arguments"
done
done_testing
