# SPDX-License-Identifier: MIT
#
# For the tests of other processors, to be sourced after tap.sh. They were
# built beforehand (make check-cross) and run in user-mode emulation.

build=$root/build

skip_all() {
	echo "1..0 # SKIP $*"
	exit 0
}

# emulator PROCESSOR: sets $qemu, by qemu's name for the processor
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

# emulated PROGRAM ARGUMENT...: sets $status, $out and $err (files)
emulated() {
	"$qemu" "$@" >"$out" 2>"$err"
	status=$?
}

# passes PROGRAM: one check for a whole test program; what it printed follows
# if it failed
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

# processor QEMU TRIPLE: its own test, and the unit tests named in $TW_CROSS_UNIT
processor() {
	emulator "$1"
	cross_compiler "$2"
	programs=$build/cross/${2%%-*}/tests
	passes "$programs/cross/processor.t"
	for name in ${TW_CROSS_UNIT-}; do
		passes "$programs/unit/$name.t"
	done
	done_testing
}
