#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A program that can't be run is named in one line, with the reason, by each command
# that runs a program. Fails if a child that could not become that program passes
# for the program.
. "$(dirname "$0")/../../../tap.sh"

cd "$scratch" || exit 1
printf '[a]\nioengine=io_uring\n' >job.fio
: >tickwise.so
: >no_program
none=$scratch/none

# refuses CODE LINE ARGUMENT...: passes if the command prints the line; run first
# prints what it changed
refuses() {
	code=$1 line=$2
	shift 2
	run "$@"
	is "$status $(tail -n 1 "$err")" "$code $line" "$line"
	is "$(wc -c <"$out")" 0 'and nothing else'
}

FIO=$none
export FIO
refuses 70 "tickwise run: can't run $none: No such file or directory" \
	run --engine=tickwise.so job.fio
FIO=$scratch/no_program
refuses 70 "tickwise run: can't run $FIO: Permission denied" \
	run --engine=tickwise.so job.fio

# This program answers for its options, and is gone when it should run.
cat >once <<'END'
#!/bin/sh
echo 'tw_report               : File'
rm -f "$0"
END
chmod +x once
FIO=$scratch/once
run run --engine=tickwise.so job.fio
is "$status $(tail -n 1 "$err")" \
	"70 tickwise run: can't run $FIO: No such file or directory" \
	'tickwise run: gone since it was asked'

refuses 66 "tickwise compare: can't run $none: No such file or directory" \
	compare --fio="$none"
refuses 66 "tickwise compare: can't run $scratch/no_program: Permission denied" \
	compare --fio=none --fio-patched="$scratch/no_program"
refuses 70 "tickwise profile: can't start $none: No such file or directory" \
	profile -- "$none"
refuses 70 "tickwise profile: can't start $scratch/no_program: Permission denied" \
	profile -- "$scratch/no_program"

# A parent may ignore SIGCHLD. The kernel then forgets how a child ended.
env --ignore-signal=CHLD "$tickwise" profile -- true >"$out" 2>"$err"
is "$? $(sed 's/true wrote .*/true wrote/' "$err")" '66 tickwise profile: true wrote' \
	'a parent that ignores SIGCHLD: the end of a program is known'
done_testing
