#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: core/command/output
#
# Lost output is an error: exit code 74 and a line on stderr. A reader that went
# away ends the program by SIGPIPE, quietly, as it ends other programs; where
# SIGPIPE is ignored, with the error. Fails if any of these ends in success.
. "$(dirname "$0")/../../tap.sh"
. "$(dirname "$0")/../../report_files.sh"

write_report "$scratch/a.json"
write_report "$scratch/b.json" pid=101

# lost STATUS DESCRIPTION: checks a command whose stderr is in $err
lost() {
	is "$1" 74 "$2: exit code 74"
	is "$(wc -l <"$err")" 1 'one line'
	has "$err" "can't write the output" 'which says so'
}

if [ -w /dev/full ]; then
	for arguments in --help --version 'report --help' \
		"report $scratch/a.json" "report --json $scratch/a.json" \
		"diff $scratch/a.json $scratch/b.json" \
		"diff --json $scratch/a.json $scratch/b.json"; do
		# shellcheck disable=SC2086
		"$tickwise" $arguments >/dev/full 2>"$err"
		lost $? "a full disk, $arguments"
	done
else
	tap_count=$((tap_count + 1))
	echo "ok $tap_count # SKIP no /dev/full"
fi

# The reader goes away before the first byte is written. SIGNAL is what the program
# does with SIGPIPE.
mkfifo "$scratch/fifo" "$scratch/gone"
into_closed_pipe() # SIGNAL
{
	(
		exec 3>"$scratch/fifo"
		read -r _ <"$scratch/gone"
		perl -e '$SIG{PIPE} = shift; exec @ARGV' "$1" \
			"$tickwise" report "$scratch/a.json" >&3 2>"$err"
		echo $? >"$scratch/status"
	) &
	exec 4<"$scratch/fifo"
	exec 4<&-
	echo >"$scratch/gone"
	wait
}
into_closed_pipe IGNORE
lost "$(cat "$scratch/status")" 'a closed pipe, SIGPIPE ignored'
into_closed_pipe DEFAULT
is "$(cat "$scratch/status") $(wc -c <"$err")" '141 0' 'a closed pipe: SIGPIPE, no message'

"$tickwise" report "$scratch/a.json" >&- 2>"$err"
lost $? 'no stdout at all'
done_testing
