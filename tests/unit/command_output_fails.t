#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Output that does not arrive is an error: exit code 74 and a line on stderr.
# Fails if a full disk or a reader that went away ends in success, or in a
# silent death by SIGPIPE.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/report_files.sh"

write_report "$scratch/a.json"
write_report "$scratch/b.json" pid=101

# lost STATUS DESCRIPTION: after a command whose stderr is in $err
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

# The reader is gone before the first byte is written.
mkfifo "$scratch/fifo" "$scratch/gone"
(
	exec 3>"$scratch/fifo"
	read -r _ <"$scratch/gone"
	"$tickwise" report "$scratch/a.json" >&3 2>"$err"
	echo $? >"$scratch/status"
) &
exec 4<"$scratch/fifo"
exec 4<&-
echo >"$scratch/gone"
wait
lost "$(cat "$scratch/status")" 'a closed pipe'

"$tickwise" report "$scratch/a.json" >&- 2>"$err"
lost $? 'no stdout at all'
done_testing
