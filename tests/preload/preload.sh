# SPDX-License-Identifier: MIT
#
# For the tests of libtickwise-preload.so, to be sourced after tap.sh.

build=${TW_BUILD:-$root/build}
preload=$build/libtickwise-preload.so
reader=$build/tests/reader/clock_reader
[ -z "${TW_SANITIZE-}" ] || skip_all 'a sanitized library can not be preloaded'

# under WORDS PROGRAM...: runs it; sets $out, $err
under() {
	words=$1
	shift
	LD_PRELOAD=$preload TICKWISE_PRELOAD=$words "$@" >"$out" 2>"$err"
	status=$?
}

# good DESCRIPTION [BOUND]: passes if no reader of the clock saw it go back, nor off by more ns
good() {
	is "$status" 0 "$1: exit code 0"
	awk -v bound="${2-}" '$4 != 0 || (bound != "" && $6 > bound + 0) { bad = 1 }
		END { exit bad || NR == 0 }' "$out"
	ok $? "$1: $(wc -l <"$out") readers, never backwards${2:+, within $2 ns}"
	sed 's/^/# /' "$out"
}
