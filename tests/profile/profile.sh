# SPDX-License-Identifier: MIT
#
# For the tests of the profile, to be sourced after tap.sh: builds small programs
# with hooks, runs them, and reads the profile.

build=${TW_BUILD:-$root/build}
LD_LIBRARY_PATH=$build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
unset TICKWISE_PROFILE

case $(nm -D "$build/libtickwise.so" 2>/dev/null) in
*__asan_* | *__tsan_* | *__ubsan_*)
	echo '1..0 # SKIP a library with sanitizers needs programs with them'
	exit 0
	;;
esac

# compile COMPILER OUTPUT FLAGS...: compiles the program on standard input, with
# hooks. A counter that can't be used here is a reason to skip everything.
compile() {
	compiler=$1 output=$2
	shift 2
	suffix=c
	case $compiler in *++*) suffix=cc ;; esac
	cat >"$scratch/source.$suffix"
	"$compiler" -O2 -g -finstrument-functions -D_GNU_SOURCE \
		-I"$root/core/profile" -o "$scratch/$output" \
		"$scratch/source.$suffix" "$@" -L"$build" -ltickwise-profile \
		-pthread >"$scratch/log" 2>&1
	code=$?
	ok "$code" "$compiler builds $output"
	[ "$code" = 0 ] || sed 's/^/# /' "$scratch/log"
}

# record WORDS PROGRAM ARGUMENT...: records into $scratch/profile, and prints it as
# CSV to $csv
csv=$scratch/csv
record() {
	words=$1
	shift
	rm -f "$scratch/profile"
	TICKWISE_PROFILE="file=$scratch/profile${words:+,$words}" "$@" \
		>"$scratch/program_out" 2>"$scratch/program_err"
	program_status=$?
	if grep -q 'nothing is recorded' "$scratch/program_err"; then
		skip "$(cat "$scratch/program_err")"
		done_testing
	fi
	run profile --csv "$scratch/profile"
	cp "$out" "$csv"
	[ "$status" = 0 ] || sed 's/^/# /' "$err" "$scratch/program_err"
}

# field FUNCTION NUMBER: prints a field of its line of the table (2 object, 3 calls,
# 4 not timed, 5 abandoned, 6 not returned), summed over lines. Give names that have
# a comma without it.
field() {
	perl -ne '
		BEGIN { ($name, $number) = splice(@ARGV, 0, 2); $sum = "none" }
		next unless s/^"([^"]*)"/x/;
		next unless $1 eq $name || $1 =~ /^\Q$name\E\(/;
		@fields = split /,/;
		$sum = 0 if $sum eq "none";
		$sum += $fields[$number - 1];
		END { print "$sum\n" }' "$1" "$2" "$csv"
}

# calls FUNCTION COUNT ...: checks the numbers of their calls
calls() {
	while [ $# -gt 0 ]; do
		is "$(field "$1" 3)" "$2" "$1: $2 calls"
		shift 2
	done
}
