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
cp a.json ./--json
echo kept >kept
: >empty.json

# ---- exit codes, and how many lines are on standard error ----

while IFS='|' read -r wanted what line; do
	# shellcheck disable=SC2086	# words of a line
	run $line
	is "$status $(wc -l <"$err" | tr -d ' ')" "${wanted% }" "$what: tickwise $line"
done <<'ROWS'
0 0|3. what is written right|check
64 1|3. an unknown option|check --jsno
64 1|3. an unknown command|chekc
0 0|4. --option=VALUE|bench --seconds=1 --json
0 0|4. --option VALUE|bench --seconds 1 --json
0 0|5. names cut short|bench --sec=1 --js
64 1|5. not where two begin alike|memlat --p=1
64 1|6. each value is looked at|bench --seconds=x --seconds=1
0 0|6. the last one counts|calibrate --json --window=1s --window=500ms
0 0|7. times|bench --seconds=2s
0 0|7. times|bench --seconds=2000ms
0 0|7. sizes|memlat --min=4k --max=16K --steps=1 --json
0 0|7. sizes|memlat --min=4096 --max=16k --steps=1 --json
64 1|7. sizes|memlat --min=0.004m --max=16k --steps=1 --json
0 0|8. what follows -- is a file|report -- --json
66 1|10. FILE stays as it was where there is no output|report none.json -o kept
66 1|10. and none is made|report none.json -o new
74 1|11. a folder for FILE|report a.json -o .
66 1|11. a folder for a report|report .
74 1|11. a folder that is not there|report a.json -o none/file
65 1|12. an empty file|report empty.json
66 1|23. an error: one line|report none.json
0 0|24. no progress where stderr is no terminal|check --time-limit=8s
64 1|25. exit code|check x
ROWS
is "$(cat kept) $(ls new 2>/dev/null)" 'kept ' '10. as those files were'
for row in 'unreliable 1' 'undecided 2' 'disabled 70'; do
	TW_MACHINE=${row% *} run check
	is "$status" "${row#* }" "25. exit code $row"
done
run report none.json
is "$(wc -c <"$out" | tr -d ' ')" 0 '23. an error: nothing on standard output'
run report a.json -o .
has "$err" "tickwise report: can't write .: Is a directory" '11. a folder for FILE'

# ---- output -----------------------------------------------------------------

for command in calibrate check 'memlat --max=16K --steps=1'; do
	# shellcheck disable=SC2086
	run $command --json
	perl -MJSON::PP -0ne 'exit ref(decode_json($_)) ne "HASH"' "$out"
	ok $? "9. ${command%% *} --json: an object"
	sed 's/"took_ns": [0-9]*//' "$out" >wanted
	rm -f got
	# shellcheck disable=SC2086
	run $command --json -o got --html=got.html
	is "$status $(cat "$err" "$out") $(head -n 1 got.html)" '0  <!DOCTYPE html>' \
		"9., 10. ${command%% *} -o FILE --html=FILE: nothing on standard output"
	sed 's/"took_ns": [0-9]*//' got | cmp -s - wanted
	ok $? '10. the same in FILE'
done
for command in 'diff a.json b.json' 'memlat --max=16K --steps=1' 'report a.json b.json'; do
	# shellcheck disable=SC2086
	run $command --csv --html=got.html
	# What has a comma in it is in quotes.
	is "$(head -n 1 got.html)$(sed 's/"[^"]*"//g' "$out" |
		awk -F, 'NR == 1 { n = NF } NF != n { n = -1 }
		END { print (n > 4) (NR > 1) }')" '<!DOCTYPE html>11' \
		"9. ${command%% *} --csv --html: as many columns in each line"
done
run report a.json
cp "$out" wanted
perl -e 'print "old\n" x 9999' >got
run report a.json --output=got
cmp -s wanted got
ok $? '10. report --output=FILE: the same, and no rest of a longer one'
run report a.json -o -
cmp -s wanted "$out"
ok $? '10. -o -: standard output'

# A program that a command runs keeps standard output.
printf '#!/bin/sh\necho its own\n' >program
chmod 755 program
run profile -o got -- ./program
is "$status $(cat "$out")" '66 its own' '10. the output of a PROGRAM is its own'

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
	for row in '0 reliable 32 RELIABLE' '1 unreliable 31 UNRELIABLE'; do
		# shellcheck disable=SC2086
		set -- $row
		on_terminal env TW_MACHINE="$2" "$tickwise" check
		is "$status $(grep -c "^$escape\[$3m$4:$escape\[0m" "$out")" "$1 1" \
			"14. a verdict has a colour on a terminal: $4"
	done
	has "$out" "$escape[33mWARNING:$escape[0m " '14. and warnings'
	on_terminal "$tickwise" diff a.json b.json
	has "$out" "$escape[33mOne$escape[0m $escape[33mrun$escape[0m " \
		'14. a verdict of several words, all of them'
	for without in NO_COLOR=1 TERM=dumb; do
		on_terminal env $without "$tickwise" check
		has_not "$out" "$escape" "14. none with $without"
	done
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
	is "$status $(grep -cE '^  (sudo tickwise run JOB.fio|report         what) ' "$out")" \
		'64 2' '16. no command: an error, with examples on a terminal, and the commands'

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
			is "$(cat got 2>/dev/null)" '' '17. nothing was measured'
		else
			has "$out" "tickwise $name: interrupted: this is what was measured" \
				'17. which says so'
			has got '"interrupted": true' \
				'17. what was measured, marked as interrupted'
		fi
	done
else
	skip "no terminal is to be had: $(cat "$err")"
fi

# A shell's background jobs ignore SIGINT; this one must not. It prints a line each time
# when it waits for a signal (tests/golden/memory.c).
tickwise=$build/tickwise-recorded
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
is "$? $again $more$(ls never 2>/dev/null)" '130 waiting ' \
	'18. a second Ctrl-C ends at once, and leaves no empty file'
exec 3<&-

# ---- closed pipes ----

# 19, Ctrl-C in a run of fio, is in command_run_ab.t and command_run_end.t; 21, a full
# disk, in command_values.t. The reader goes away before the first byte is written.
# SIGNAL is what the program does with SIGPIPE.
mkfifo fifo gone
into_closed_pipe() # SIGNAL
{
	(
		exec 3>fifo
		read -r _ <gone
		perl -e '$SIG{PIPE} = shift; exec @ARGV' "$1" \
			"$tickwise" report a.json >&3 2>"$err"
		echo $? >status
	) &
	exec 4<fifo
	exec 4<&-
	echo >gone
	wait
}
into_closed_pipe IGNORE
is "$(cat status) $(cat "$err")" "74 tickwise report: can't write the output: Broken pipe" \
	'20. a closed pipe, SIGPIPE ignored'
into_closed_pipe DEFAULT
is "$(cat status) $(wc -c <"$err")" '141 0' '20. a closed pipe: SIGPIPE, no message'

# ---- names ----

name=$(printf 'a\377\033b.json')
cp a.json "$name"
run report --json "$name" -o "out$name"
perl -MJSON::PP -0ne 'exit ref(decode_json($_)) ne "HASH"' "out$name"
is "$? $status" '0 0' '22. names that are not UTF-8, and JSON is UTF-8'
run report "none$name"
is "$status $(cat "$err")" \
	'66 tickwise report: nonea??b.json: No such file or directory' \
	'22. in a message nothing that moves the cursor'
done_testing
