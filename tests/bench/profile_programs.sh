#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Do the times of all functions add up to what a program takes without hooks, and
# are their calls those that callgrind counts? Runs bzip2, zstd, Lua and SQLite,
# from the sources that Debian has, with hooks and without, alternating in one run.
#
#	apt-get source --download-only bzip2 libzstd lua5.4 sqlite3
#	TW_BUILD=build tests/bench/profile_programs.sh calls|times SOURCES WORK
#
# SOURCES has the *.orig.tar.[gx]z files, WORK keeps the programs for the next time.
# Each program is built twice: with gcc, no function inlined, so that every function
# has hooks; and with clang, if there is one, which inserts hooks after inlining. A
# function that a source inlines whatever the flags (zstd, with gcc) has hooks, too,
# and is no call to callgrind. SQLite's amalgamation needs tclsh, `calls` needs
# valgrind.
#
# `times` prints medians of ROUNDS (7) rounds, and of the ratio also the least and
# the most. It prints in how many rounds the time without hooks was within the
# profile's own error. It also prints in how many it was within that error and half
# of the difference of two runs without hooks, one before and one after; and that
# difference.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${TW_BUILD:-$root/build}" && pwd)
case $1 in
calls) what=count ;;
times) what=measure ;;
*) exit 64 ;;
esac
sources=$(cd "$2" && pwd)
mkdir -p "$3"
scratch=$(cd "$3" && pwd)
rounds=${ROUNDS:-7}
LD_LIBRARY_PATH=$build
export LD_LIBRARY_PATH

# unpack NAME: unpacks a source into a directory of that name
unpack() {
	mkdir "$scratch/$1"
	for tar in "$sources/$1"*.orig.tar.[gx]z; do
		tar xf "$tar" -C "$scratch/$1" --strip-components 1
	done
}

# both NAME FLAGS FILES...: builds the two programs with each compiler
both() {
	name=$1
	shift
	gcc -O2 -fno-inline -w -o "$scratch/$name-gcc-plain" "$@" -lm
	gcc -O2 -fno-inline -w -finstrument-functions -o "$scratch/$name-gcc" \
		"$@" -L"$build" -ltickwise-profile -lm
	command -v clang >/dev/null || return 0
	clang -O2 -w -o "$scratch/$name-clang-plain" "$@" -lm
	clang -O2 -w -finstrument-functions-after-inlining \
		-o "$scratch/$name-clang" "$@" -L"$build" -ltickwise-profile -lm
}

build_all() {
	unpack bzip2
	(cd "$scratch/bzip2" && both bzip2 blocksort.c huffman.c crctable.c randtable.c \
		compress.c decompress.c bzlib.c bzip2.c)
	unpack libzstd
	(cd "$scratch/libzstd" && both zstd -Ilib -Ilib/common \
		-DXXH_NAMESPACE=ZSTD_ -DZSTD_DISABLE_ASM -DZSTD_LEGACY_SUPPORT=0 \
		programs/*.c lib/common/*.c lib/compress/*.c \
		lib/decompress/*.c lib/dictBuilder/*.c)
	unpack lua5.4
	# Two runs do the same only at the same addresses: Lua seeds its hash tables
	# with an address, and finds strings in a cache by theirs.
	(cd "$scratch/lua5.4/src" && rm luac.c &&
		both lua -no-pie -fno-pie -DLUA_USE_POSIX \
			'-Dluai_makeseed(L)=0' *.c)
	unpack sqlite3
	(cd "$scratch/sqlite3" && ./configure >/dev/null 2>&1 &&
		make sqlite3.c shell.c >/dev/null 2>&1 &&
		both sqlite -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION \
			sqlite3.c shell.c)
}
[ -x "$scratch/sqlite-gcc" ] || build_all

cat "$root"/core/*/*.c "$root"/core/*/*/*.c >"$scratch/few"
for i in 1 2 3 4 5 6; do cat "$scratch/few"; done >"$scratch/many"
cat >"$scratch/work.lua" <<'END'
local n = tonumber(arg[1])
local t = {}
for i = 1, n do t[#t + 1] = tostring(i % 17) .. string.rep("x", i % 5) end
table.sort(t)
local function f(n) if n < 2 then return n end return f(n - 1) + f(n - 2) end
print(f(15), #table.concat(t))
print(pcall(error, "x"))
END
sql="create table t(a,b); with recursive c(x) as (select 1 union all select x+1
from c where x<N) insert into t select x, x*7%13 from c; create index i on t(b);
select b,count(*),sum(a) from t group by b order by 2;"

# work PROGRAM SIZE: prints the program's arguments, for little or much work
work() {
	program=$scratch/$1
	case $1-$2 in
	bzip2*) set -- -kc "$scratch/$2" ;;
	zstd*few) set -- -kcq --single-thread "$scratch/few" ;;
	zstd*)
		set -- -kcq --single-thread
		for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
			set -- "$@" "$scratch/many"
		done ;;
	lua*few) set -- "$scratch/work.lua" 3000 ;;
	lua*) set -- "$scratch/work.lua" 60000 ;;
	sqlite*few) set -- :memory: "$(echo "$sql" | sed 's/<N/<2000/')" ;;
	*) set -- :memory: "$(echo "$sql" | sed 's/<N/<100000/')" ;;
	esac
	$prefix "$program" "$@" </dev/null
}

# time_plain PROGRAM: prints the nanoseconds without hooks
time_plain() {
	begin=$(date +%s%N)
	work "$1-plain" many >/dev/null
	end=$(date +%s%N)
	echo $((end - begin))
}

# measure PROGRAM: prints how long it takes with hooks and without
measure() {
	rm -f "$scratch/rounds"
	for round in $(seq "$rounds"); do
		before=$(time_plain "$1")
		TICKWISE_PROFILE=file=$scratch/profile work "$1" many >/dev/null
		"$build/tickwise" profile --json "$scratch/profile" >"$scratch/json"
		perl -MJSON::PP -e '
			local $/;
			my $all = decode_json(<STDIN>);
			my $calls = 0;
			$calls += $_->{calls} for @{$all->{functions}};
			print(($ARGV[0] + $ARGV[1]) / 2, " $all->{self_sum}{ns} ",
				"$all->{self_sum}{uncertainty_ns} $calls ",
				abs($ARGV[0] - $ARGV[1]) / 2, "\n");
			' "$before" "$(time_plain "$1")" <"$scratch/json" >>"$scratch/rounds"
	done
	perl -ane '
		BEGIN { $program = pop @ARGV }
		push @wall, $F[0]; push @self, $F[1]; push @doubt, $F[2];
		push @ratio, $F[1] / $F[0]; $calls = $F[3];
		push @noise, 2 * $F[4] / $F[0];
		$covered += abs($F[1] - $F[0]) <= $F[2];
		$nearly += abs($F[1] - $F[0]) <= $F[2] + $F[4];
		sub median { my @s = sort { $a <=> $b } @_; $s[@s / 2] }
		END {
			my @s = sort { $a <=> $b } @ratio;
			printf "%-12s %8d calls of %7.1f ns; without hooks %6.1f ms, " .
				"selves %6.1f +- %.1f ms: %.3f (%.3f to %.3f), " .
				"%d of %d covered, with the noise of those without %d " .
				"(two without: %.1f %%)\n",
				$program, $calls, median(@wall) / $calls,
				median(@wall) / 1e6, median(@self) / 1e6,
				median(@doubt) / 1e6, median(@ratio), $s[0], $s[-1],
				$covered, scalar @ratio, $nearly, 100 * median(@noise);
		}' "$scratch/rounds" "$1"
}

# count PROGRAM: compares its calls, with less work
count() {
	prefix="env TW_BUILD=$build $root/tests/bench/profile_calls.sh"
	echo "$1:"
	work "$1" few | sed 's/^/    /'
}

for program in bzip2-gcc bzip2-clang zstd-gcc zstd-clang lua-gcc lua-clang sqlite-gcc sqlite-clang; do
	prefix=
	[ -x "$scratch/$program" ] && "$what" "$program" || :
done
