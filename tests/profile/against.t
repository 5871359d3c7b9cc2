#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: core/profile core/profile/command
#
# --against compares a sampling profile with ours. Samples count for the innermost
# function with hooks, by name, and a difference that sampling can't explain is
# marked. The test makes the samples, as text that perf prints, and the perf that
# reads a file of perf record. Fails if a sample counts for the wrong function, or
# if what runs without hooks does not count for its caller. Fails also if what perf
# could not read is taken for samples.

. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/profile.sh"

# One has a name as a function of C++ would: outer::one(int).
compile gcc program -no-pie <<'END'
#define BARE __attribute__((noinline))
BARE int chain(int x);
BARE int three(int x);
BARE int one(int x) __asm__("_ZN5outer3oneEi");
int chain(int x) { return x * x * x * x; }
int three(int x) { return chain(x) + 1; }
int one(int x) { return x + 1; }
int main(void) { return one(three(3)) == 0; }
END
nm "$scratch/program" >"$scratch/nm"
address() {
	awk -v name="$1" '$3 == name { print $1 }' "$scratch/nm"
}

# A profile of it as the library writes one, of known times, which no disturbance
# can change. Hooks took nothing; 97 % of the time is chain's.
cat >"$scratch/profile" <<END
tickwise-profile 1
program $scratch/program
pid 1
rate 1000000000 0 MONOTONIC_RAW kernel
fence full
cost 0.000 0.010 0.000 0.000 0.000 0.000 0.000 1 0.000
wall 0 1000000
map 400000 500000 0 $scratch/program
node 1 0 $(address main) 1 0 1000000 1000000 1000000 0 0 0
node 2 1 $(address three) 100 0 970000 9700 9700 0 0 0
node 3 2 $(address chain) 100 0 970000 9700 9700 0 0 0
node 4 1 $(address _ZN5outer3oneEi) 100 0 30000 300 300 0 0 0
end
END

# samples FUNCTION,FUNCTION...[xTIMES] ...: writes samples into $scratch/perf,
# innermost function first; "kernel" is in the kernel
samples() {
	echo "$@" | tr ' ' '\n' | awk '{
		times = 1
		if (split($0, repeated, /x/) == 2 && repeated[2] ~ /^[0-9]+$/)
			times = repeated[2]
		count = split(repeated[1], names, ",")
		while (times-- && count) {
			print "    250000 cpu-clock: "
			for (i = 1; i <= count; i++)
				if (names[i] == "kernel")
					print "\tffffffff81000000 chain+0x1 ([kernel.kallsyms])"
				else
					printf "\t%16x %s+0x1c (/some/plain)\n", 4096 + i, names[i]
			print ""
		}
	}' >"$scratch/perf"
}

# row FUNCTION [COLUMN...]: prints columns of its line of the table
row() {
	awk -v name="$1" -v wanted="${2:-}" '$NF == name {
		count = split(wanted, columns, " ")
		for (i = 1; i <= count; i++)
			printf "%s ", $(columns[i] > 0 ? columns[i] : NF + columns[i])
		if (!count)
			print
	}' "$out"
}

one=_ZN5outer3oneEi
run profile --csv "$scratch/profile"
# Take the name as it is where libstdc++ is missing.
shown=$(sed -n 's/^"\([^"]*one[^"]*\)".*/\1/p' "$out")
# bare has no hooks. What the compiler split off or copied counts as the function.
part="bare,$one.part.0,main"
mixed=
while [ "${#mixed}" -lt 20000 ]; do
	mixed="$mixed chain,three,mainx2 $part kernel,chain.cold,three"
done
# shellcheck disable=SC2086
set -- $mixed
mixed_count=$(($# / 3))
samples "$@" kernelx7 nowherex5
run profile --against="$scratch/perf" --exclude='x' "$scratch/profile"
is "$status $(wc -c <"$err")" '0 0' 'shown'
tr '\n' ' ' <"$out" >"$scratch/flat"
has "$scratch/flat" "$((4 * mixed_count + 12)) samples of cpu-clock; $((4 * mixed_count)) of functions in the profile, 5 of others and 7 of the kernel" \
	'all are counted, also those of nobody'
is "$(row chain '1 2 3 5 -1')" "97.000 0.000 75.000 -22.000 $((3 * mixed_count)) " \
	"chain has its own and those of the kernel that it called"
is "$(row "$shown" '1 3 5 -1')" "3.000 25.000 +22.000 $mixed_count " \
	'one has those of bare, which has no hooks'
is "$(row bare)" '' 'bare is in no row'
is "$(row three '1 3 -1')" '0.000 0.000 0 ' \
	'three only called'
# A thousand samples have an error of 1.4 %.
row "$shown" | grep -q ' ! '
ok $? 'the difference is marked'
row "$shown" | grep -q '~'
is $? 1 'the samples do not come in runs'

# Suppose the hooks were known to 1000 ticks a call. Then chain's 97 % could be off
# by 3 % of its own 100 calls' and by 97 % of the 201 others', of 1000000 ticks.
sed 's/^cost 0.000 0.010/cost 0.000 1000/' "$scratch/profile" >"$scratch/doubtful"
run profile --against="$scratch/perf" "$scratch/doubtful"
is "$(row chain '1 2')" '97.000 19.797 ' 'what the hooks leave in doubt'
row chain | grep -q '!'
is $? 1 'explains the difference'

run profile --json --against="$scratch/perf" "$scratch/profile"
is "$(grep -c '"sampled_share"' "$out")" 4 '--json: a row for each function'
has "$out" '"in_kernel": 7' 'and what is in none'

samples chain,threex750 "bare,${one}x250"
run profile --against="$scratch/perf" "$scratch/profile"
row "$shown" | grep -q ' ~ '
ok $? 'runs of samples are seen, and what they leave in doubt marks nothing'

samples kernelx5
run profile --against="$scratch/perf" "$scratch/profile"
is "$status $(wc -l <"$err") $(wc -c <"$out")" '65 1 0' 'no sample of ours: told'
run profile --against="$scratch/profile" "$scratch/profile"
has "$err" 'line 1: neither a file of perf record nor' 'another text is refused'
run profile --against="$scratch/none" "$scratch/profile"
is "$status $(wc -l <"$err")" '66 1' 'no file: told'
run profile --csv --against="$scratch/perf" "$scratch/profile"
is "$status $(wc -l <"$err")" '64 1' 'not in every form: told'

# ---- a file of perf record ----
printf 'PERFILE2 and more' >"$scratch/perf.data"
for path in "$scratch/none" "$scratch"; do
	PATH=$path "$tickwise" profile --against="$scratch/perf.data" \
		"$scratch/profile" >"$out" 2>"$err"
	is "$? $(wc -l <"$err")" '70 1' 'no perf, or a file that is no program'
	has "$err" 'perf is needed to read it' 'is told, and what to do'
done
samples chain,three
mkdir "$scratch/bin"
cat >"$scratch/bin/perf" <<END
#!/bin/sh
echo "\$@" >'$scratch/arguments'
cat '$scratch/perf'
exit \$(cat '$scratch/code')
END
chmod +x "$scratch/bin/perf"
echo 0 >"$scratch/code"
PATH=$scratch/bin:$PATH
run profile --against="$scratch/perf.data" "$scratch/profile"
is "$status $(row chain '3 -1')" '0 100.000 1 ' 'perf reads it'
is "$(cat "$scratch/arguments")" \
	"script --no-demangle --no-inline -F -comm,-tid,-time,-cpu -i $scratch/perf.data" \
	'with names as linked, and no more fields than are needed'
echo 3 >"$scratch/code"
run profile --against="$scratch/perf.data" -- touch "$scratch/ran"
is "$status $(wc -l <"$err")" '65 1' 'what perf can read in part is refused'
[ ! -e "$scratch/ran" ]
ok $? 'before a program runs'
done_testing
