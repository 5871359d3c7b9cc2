# SPDX-License-Identifier: MIT
#
# Sourced by the tests of other processors, after tap.sh. Programs for them were built
# before (make check-cross) and run in user-mode emulation.

# set_up QEMU-NAME COMPILER-NAME: sets $qemu and $programs, or skips a check and fails
set_up() {
	processor=$1
	qemu=qemu-$1-static
	programs=$root/build/cross/$2/tests
	for tool in "$qemu" "$2-linux-gnu-gcc"; do
		command -v "$tool" >/dev/null && continue
		skip "$1: no $tool"
		return 1
	done
}

# emulated PROGRAM ARGUMENT...: runs it; sets $status, $out and $err (files)
emulated() {
	"$qemu" "$@" >"$out" 2>"$err"
	status=$?
}

# passes TEST: one check for all of the checks of a program
passes() {
	emulated "$1"
	checks=$(grep -c '^ok ' "$out")
	[ "$status" -eq 0 ] && [ "$checks" -gt 0 ] && ! grep -q '^not ok' "$out"
	good=$?
	ok "$good" "$processor: $(basename "$1" .t): $checks checks"
	[ "$good" -eq 0 ] || {
		echo "# exit code $status"
		grep -v '^ok ' "$out" | cat - "$err" | sed 's/^/# /'
	}
}
