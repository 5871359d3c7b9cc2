#!/bin/sh
# SPDX-License-Identifier: MIT
#
# How the command line behaves, by the rows of the table in tests/README.md, which
# compares it with other programs. A subtest begins with the number of its row.
# Fails if an option means another thing in one command than in the others. Fails
# also if a signal, a disk or a pipe ends a command in another way than users of
# such programs expect.
#
# What the program measures of a machine is recorded (tests/golden/recorded.h).
. "$(dirname "$0")/../../tap.sh"
. "$(dirname "$0")/../../report_files.sh"

build=${TW_BUILD:-$root/build}
tickwise=$build/tickwise-recorded
TW_MACHINE=reliable
TERM=xterm
export TW_MACHINE TERM
unset COLUMNS NO_COLOR
cd "$scratch" || exit 1
write_report a.json
write_report b.json pid=101

# is_run CODE LINES-ON-STDERR DESCRIPTION: checks the last run
is_run()
{
	is "$status $(wc -l <"$err" | tr -d ' ')" "$1 $2" "$3: exit code, lines on stderr"
}

# ---- options ----------------------------------------------------------------

run bench --help
is_run 0 0 '1. --help'
has "$out" 'usage: tickwise bench' '1. on standard output'
run bench -h
has "$out" 'usage: tickwise bench' '1. -h'
run help bench
has "$out" 'usage: tickwise bench' '1. help COMMAND'

run --version
is_run 0 0 '2. --version'
is "$(sed 's/ [0-9][0-9.]*$/ N/' "$out")" 'tickwise N' '2. its name and number'
run -V
is "$(sed 's/ [0-9][0-9.]*$/ N/' "$out")" 'tickwise N' '2. -V'

run check --jsno
is_run 64 1 '3. an unknown option'
has "$err" 'unknown option --jsno (did you mean --json?)' '3. with the one that is near'
run chekc
is_run 64 1 '3. an unknown command'
has "$err" "unknown command 'chekc' (did you mean check?)" '3. with the one that is near'

run bench --seconds=1 --json
is_run 0 0 '4. --option=VALUE'
run bench --seconds 1 --json
is_run 0 0 '4. --option VALUE'
run bench --sec=1 --js
is_run 0 0 '5. names cut short'
run memlat --p=1
is_run 64 1 '5. not where two begin alike'
run bench --seconds=x --seconds=1
is_run 64 1 '6. each value is looked at'
run calibrate --kernel-rate=off --json --kernel-rate=on --window=1s --window=500ms
is_run 0 0 '6. the last one counts'

for seconds in 2 2s 2000ms 2000000us; do
	run bench --seconds=$seconds
	is_run 0 0 "7. a time of $seconds"
done
for size in 4k 4K 4096 0.004m; do
	run memlat --min=$size --max=16k --steps=1 --json
	[ "$size" != 0.004m ] && wanted='0 0' || wanted='64 1'
	# shellcheck disable=SC2086
	is_run $wanted "7. a size of $size"
done

cp a.json ./--json
run report -- --json
is_run 0 0 '8. -- ends the options'
has "$out" 'lat' '8. what follows is a file'

# ---- output -----------------------------------------------------------------

for command in calibrate check 'memlat --max=16K --steps=1'; do
	# shellcheck disable=SC2086
	run $command --json
	cp "$out" wanted
	perl -MJSON::PP -0ne 'exit ref(decode_json($_)) ne "HASH"' wanted
	ok $? "9. ${command%% *} --json: an object"
	rm -f got
	# shellcheck disable=SC2086
	run $command --json -o got
	is_run 0 0 "10. ${command%% *} -o FILE"
	sed 's/"took_ns": [0-9]*//' got >got.same
	sed 's/"took_ns": [0-9]*//' wanted | cmp -s - got.same
	ok $? '10. the same in FILE'
	is "$(wc -c <"$out" | tr -d ' ')" 0 '10. and nothing on standard output'
	# shellcheck disable=SC2086
	run $command --html=got.html
	is "$status $(head -n 1 got.html)" '0 <!DOCTYPE html>' "9. ${command%% *} --html"
done
for command in 'compare --fio=none --load=idle' 'diff a.json b.json' \
	'memlat --max=16K --steps=1' 'report a.json b.json'; do
	# shellcheck disable=SC2086
	run $command --csv --html=got.html
	is "$(head -n 1 got.html)" '<!DOCTYPE html>' "9. ${command%% *} --csv --html"
	# What has a comma in it is in quotes.
	is "$(sed 's/"[^"]*"//g' "$out" | awk -F, 'NR == 1 { n = NF } NF != n { n = -1 }
		END { print (n > 4) (NR > 1) }')" 11 \
		"9. ${command%% *} --csv: as many columns in each line"
done
run report a.json
cp "$out" wanted
run report a.json --output=got
cmp -s wanted got
ok $? '10. report --output=FILE: the same, and no rest of a longer one'
run report a.json -o -
cmp -s wanted "$out"
ok $? '10. -o -: standard output'
echo kept >kept
run report none.json -o kept
is "$status $(cat kept)" '66 kept' '10. FILE stays as it was where there is no output'
run report none.json -o new
is "$status $(ls new 2>/dev/null)" '66 ' '10. and none is made'
run report a.json -o .
is_run 74 1 '11. a folder for FILE'
has "$err" "tickwise report: can't write .: Is a directory" '11. which says so'
run report .
is_run 66 1 '11. a folder for a report'
run report a.json -o none/file
is_run 74 1 '11. a folder that is not there'
: >empty.json
run report empty.json
is_run 65 1 '12. an empty file'

# A program that a command runs keeps standard output.
printf '#!/bin/sh\necho its own\n' >program
chmod 755 program
run profile -o got -- ./program
is "$status $(cat "$out")" '66 its own' '10. the output of a PROGRAM is its own'

# ---- how much is printed ----------------------------------------------------

run report none.json
is_run 66 1 '13. errors are printed'

# ---- terminals --------------------------------------------------------------

# on_terminal ARGUMENT...: runs it on a terminal, see
# tests/reader/on_terminal.c; sets $status and $out, without the carriage
# returns that a terminal adds to lines
on_terminal()
{
	"$build/tests/reader/on_terminal" "$@" >"$scratch/terminal" 2>"$err"
	status=$?
	sed 's/\r$//' "$scratch/terminal" >"$out"
}
escape=$(printf '\033')

on_terminal true
if [ "$status" -eq 0 ]; then
	on_terminal "$tickwise" check
	is "$status $(grep -c "^$escape\[32mRELIABLE:$escape\[0m" "$out")" '0 1' \
		'14. a verdict has a colour on a terminal'
	on_terminal env TW_MACHINE=unreliable "$tickwise" check
	is "$status $(grep -c "^$escape\[31mUNRELIABLE:$escape\[0m" "$out")" '1 1' \
		'14. another one a bad verdict'
	has "$out" "$escape[33mWARNING:$escape[0m " '14. and warnings'
	on_terminal "$tickwise" diff a.json b.json
	has "$out" "$escape[33mNo$escape[0m $escape[33mdifference$escape[0m " \
		'14. a verdict that is a sentence, all of it'
	on_terminal env NO_COLOR=1 "$tickwise" check
	has_not "$out" "$escape" '14. none with NO_COLOR'
	on_terminal env TERM=dumb "$tickwise" check
	has_not "$out" "$escape" '14. none where TERM is dumb'
	run check
	has_not "$out" "$escape" '14. none in a pipe or a file'
	on_terminal -c 40 env NO_COLOR=1 "$tickwise" check
	is "$(awk 'length > 39' "$out")" '' '15. a terminal of 40 columns: shorter lines'
	on_terminal -c 200 env NO_COLOR=1 "$tickwise" check
	run check
	sed 's/\r$//' "$scratch/terminal" | cmp -s - "$out"
	ok $? '15. a wide one: lines as they are in a file'

	on_terminal "$tickwise" check --time-limit=8s
	has "$out" "$(printf '\rtickwise check: [#####---------------]  25 %%, 6 s left, ')" \
		'24. progress on a terminal, with the time left'
	on_terminal -o "$tickwise" check --time-limit=8s -q
	is "$status $(wc -c <"$err")" '0 0' '13. and with -q none'
	on_terminal -c 40 "$tickwise" check --time-limit=8s
	has "$out" "$(printf '\rtickwise check:  25 %%, 6 s left, 4 CPUs')" \
		'15. progress on one of 40 columns: without a bar,'
	is "$(tr '\r' '\n' <"$out" | sed "s/$escape\[K//" | grep ' %, ' |
		awk 'length > 39')" '' '15. and never over its edge'
	on_terminal "$tickwise"
	is "$status" 64 '16. no command: an error'
	has "$out" '  tickwise run --report JOB.fio ' '16. with examples on a terminal,'
	has "$out" '  report         read' '16. and the commands'
	run
	has_not "$err" 'JOB.fio' '16. without examples elsewhere'

	# Press Ctrl-C when the progress is shown for the first time. If others have
	# had the CPU until then, nothing was measured.
	tickwise=$build/tickwise
	for command in 'calibrate --window=60s' 'bench --seconds=20' \
		'check --least-time=10min --time-limit=20min' \
		'memlat --min=4K --max=16M --steps=16 --point=200 --curves=random --pages=small' \
		'compare --fio=none --load=idle --starts=300 --seconds=0.1'; do
		name=${command%% *}
		for try in 1 2 3 4 5 6 7 8 9 10; do
			rm -f got
			# shellcheck disable=SC2086
			on_terminal -i 'left, ' "$tickwise" $command --json -o got
			grep -qE 'Resource temporarily unavailable|too busy' "$out" || break
		done
		is "$status" 2 "17. Ctrl-C, $name: exit code"
		if grep -q 'interrupted: nothing was measured' "$out"; then
			ok 0 '17. which says so'
			is "$(cat got 2>/dev/null)" '' \
				'17. what was measured, marked as interrupted'
		else
			has "$out" "tickwise $name: interrupted: this is what was measured" \
				'17. which says so'
			grep -q '"interrupted": true' got
			ok $? '17. what was measured, marked as interrupted'
		fi
	done
else
	tap_count=$((tap_count + 1))
	echo "ok $tap_count # SKIP no terminal is to be had: $(cat "$err")"
fi

# ---- errors ----

tickwise=$build/tickwise-recorded
# (20, a closed pipe, is in command_output_fails.t; 19, Ctrl-C in a run of fio, in
# command_run_ab.t and command_run_end.t.)
if [ -w /dev/full ]; then
	for command in check 'check --json' bench 'memlat --csv --max=16K' 'report a.json'; do
		# shellcheck disable=SC2086
		"$tickwise" $command >/dev/full 2>"$err"
		is "$? $(wc -l <"$err" | tr -d ' ')" '74 1' "21. a full disk, $command"
		# shellcheck disable=SC2086
		run $command -o /dev/full
		is_run 74 1 "21. the same by -o, $command"
	done
else
	tap_count=$((tap_count + 1))
	echo "ok $tap_count # SKIP no /dev/full"
fi

name=$(printf 'a\377\033b.json')
cp a.json "$name"
run report --json "$name"
is_run 0 0 '22. a name that is not UTF-8'
perl -MJSON::PP -0ne 'exit ref(decode_json($_)) ne "HASH"' "$out"
ok $? '22. and JSON is UTF-8'
run report "$name" -o "out$name"
is "$status $(ls "out$name" | wc -l | tr -d ' ')" '0 1' '22. for output, too'
run report "none$name"
is "$status $(cat "$err")" \
	'66 tickwise report: nonea??b.json: No such file or directory' \
	'22. in a message nothing that moves the cursor'

run report none.json
is_run 66 1 '23. an error: one line on stderr,'
is "$(wc -c <"$out" | tr -d ' ')" 0 '23. and none on standard output'

run check --time-limit=8s
is_run 0 0 '24. no progress where stderr is no terminal'

for row in '0 reliable check' '1 unreliable check' '2 undecided check' '64 reliable check x' \
	'65 reliable report empty.json' '66 reliable report none.json' \
	'70 disabled check' '74 reliable check -o none/file'; do
	# shellcheck disable=SC2086
	set -- $row
	wanted=$1 TW_MACHINE=$2
	shift 2
	run "$@"
	is "$status" "$wanted" "25. exit code $wanted: $*"
done

# A shell's background jobs ignore SIGINT; this one must not. It prints a line each time
# when it waits for a signal (tests/golden/memory.c).
mkfifo waits
TW_WAITS=1 perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' "$tickwise" memlat --max=16K -o never \
	>"$out" 2>waits &
pid=$!
exec 3<waits
read -r _ <&3
kill -INT "$pid"
read -r again <&3
kill -INT "$pid" 2>/dev/null
read -r more <&3
kill -KILL "$pid" 2>/dev/null
wait "$pid"
is "$? $again $more" '130 waiting ' '18. a second Ctrl-C ends at once'
is "$(ls never 2>/dev/null)" '' '18. and leaves no empty file'
exec 3<&-

done_testing
