#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: core/command/analysis
#
# Whichever allocation fails, a report is shown as it is, or the program says in one line
# that it lacked memory, exits with 70, and leaves no file that lacks a part. Fails if an
# output lacks a part without a message, if the file is blamed, or if the program crashes.
. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/../../../report_files.sh"

if [ -n "${TW_SANITIZE:-}" ]; then
	echo '1..0 # SKIP the sanitizer has its own malloc()'
	exit 0
fi
cd "$scratch" || exit 1
write_report a.json
write_report b.json pid=101

# once FILE NUMBER ARGUMENT...: runs the program without allocation NUMBER; FILE is
# what it writes
once()
{
	file=$1
	number=$2
	shift 2
	rm -f "$file"
	NO_MEMORY=$number LD_PRELOAD=${TW_BUILD:-$root/build}/tests/preload/no_memory.so \
		"$tickwise" "$@" -o "$file" 9>was 2>"$err"
	status=$?
}

# is_good: passes if the last run was as with memory, or told the truth
is_good()
{
	if [ "$status" -eq "$whole_status" ]; then
		cmp -s "$file" whole
	else
		# Memory may lack only for a file that is written after the output.
		[ "$status" -eq 70 ] && { [ ! -e "$file" ] || cmp -s "$file" whole; } &&
			[ "$(cat "$err")" = 'tickwise: out of memory' ] &&
			! ls tickwise-*.part >/dev/null 2>&1
	fi
}

# Look at each of the first allocations, then at more and more distant ones.
all_or_nothing() # DESCRIPTION ARGUMENT...
{
	what=$1
	shift
	once out 1000000000 "$@"
	whole_status=$status
	mv out whole
	number=0
	runs=0
	bad=
	refused=0
	while :; do
		once out "$number" "$@"
		[ "$(cat was)" = failed ] || break
		is_good || bad="$bad $number:$status:$(head -c 200 "$err")"
		[ "$status" -ne 70 ] || refused=$((refused + 1))
		runs=$((runs + 1))
		number=$((number + 1 + number / 20))
	done
	[ -z "$bad" ] && [ "$refused" -gt 0 ]
	ok $? "$what: $runs of some $number allocations fail, $refused runs end"
	[ -z "$bad" ] || echo "# not so:$bad"
}

all_or_nothing 'a page' report --html=page --trace=trace a.json
all_or_nothing 'JSON' report --json --percentiles=p a.json b.json
all_or_nothing 'CSV' report --csv a.json b.json
all_or_nothing 'a comparison' diff --json a.json b.json
done_testing
