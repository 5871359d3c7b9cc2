# SPDX-License-Identifier: MIT
#
# For the tests of other processors, to be sourced after tap.sh. The tests were
# built before (make check-cross) and run in user-mode emulation.

build=$root/build

skip_all() {
	echo "1..0 # SKIP $*"
	exit 0
}

# emulator PROCESSOR: sets $qemu, by qemu's name of the processor
emulator() {
	qemu=qemu-$1-static
	command -v "$qemu" >/dev/null ||
		skip_all "no $qemu (package qemu-user-static)"
}

# cross_compiler TRIPLE: sets $cc
cross_compiler() {
	cc=$1-gcc
	command -v "$cc" >/dev/null || skip_all "no $cc (package gcc-$1)"
}

# emulated PROGRAM ARGUMENT...: runs it; sets $status, $out and $err (files)
emulated() {
	"$qemu" "$@" >"$out" 2>"$err"
	status=$?
}

# passes PROGRAM: makes one check of a whole test program; prints its output if it
# failed
passes() {
	emulated "$1"
	name=$(basename "$1" .t)
	checks=$(grep -c '^ok ' "$out")
	[ "$status" -eq 0 ] && [ "$checks" -gt 0 ] && ! grep -q '^not ok' "$out"
	good=$?
	ok "$good" "$name: $checks checks"
	[ "$good" -eq 0 ] || {
		echo "# exit code $status"
		grep -v '^ok ' "$out" | cat - "$err" | sed 's/^/# /'
	}
}

# processor QEMU TRIPLE: runs its own test, and the unit tests named in
# $TW_CROSS_UNIT
processor() {
	emulator "$1"
	cross_compiler "$2"
	programs=$build/cross/${2%%-*}/tests
	passes "$programs/cross/processor.t"
	for name in ${TW_CROSS_UNIT-}; do
		passes "$(find "$programs/unit" -name "$name.t")"
	done
	done_testing
}
