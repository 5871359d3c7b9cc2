#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: core/profile/command
#
# --against compares a sampling profile with ours. Samples count for the innermost function with
# hooks, by name, and a difference that sampling can't explain is marked. The test makes the
# samples, as text that perf prints, and the perf that reads a file of perf record. Fails if a
# sample counts for the wrong function, or if what runs without hooks does not count for its
# caller. Fails also if what perf could not read is taken for samples. Messages are in
# golden/profile.t.

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
address() {
	nm "$scratch/program" | awk -v name="$1" '$3 == name { print $1 }'
}

# A profile of it as the library writes one, of known times, which no disturbance can change.
# Hooks took nothing; 97 % of the time is chain's.
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

# samples TIMES FUNCTION,FUNCTION... ...: writes each sample TIMES times into $scratch/perf,
# all in turn, innermost function first; "kernel" is in the kernel
samples() {
	seq "$1" | while read -r _; do echo "$@" | cut -d ' ' -f 2- | tr ' ' '\n'; done | awk -F, '{
		print "    250000 cpu-clock: "
		for (i = 1; i <= NF; i++)
			if ($i == "kernel")
				print "\tffffffff81000000 chain+0x1 ([kernel.kallsyms])"
			else
				printf "\t%16x %s+0x1c (/some/plain)\n", 4096 + i, $i
		print ""
	}' >"$scratch/perf"
}

# row FUNCTION: prints its line of the table, without spaces that align
row() {
	awk -v name="$1" '$NF == name { $1 = $1; print }' "$out"
}

one=_ZN5outer3oneEi
run profile --csv "$scratch/profile"
# Take the name as it is where libstdc++ is missing.
shown=$(sed -n 's/^"\([^"]*one[^"]*\)".*/\1/p' "$out")
# bare has no hooks. What the compiler split off or copied counts as the function.
samples 400 chain,three,main "bare,$one.part.0,main" chain,three kernel,chain.cold,three
printf '    1 cpu-clock: \n\tffffffff81000000 x+0x1 ([kernel])\n\n' >>"$scratch/perf"
printf '    1 cpu-clock: \n\t1000 nowhere+0x1 (/else)\n\n' >>"$scratch/perf"
run profile --against="$scratch/perf" --exclude='x' "$scratch/profile"
is "$status $(wc -c <"$err")" '0 0' 'shown'
has "$out" '1602 samples of cpu-clock; 1600 of functions in the' 'all are counted'
# 1600 samples have an error of 1.1 %.
is "$(row chain)" '97.000 0.000 75.000 1.082 -22.000 ! 1200 chain' \
	'chain has its own and those of the kernel that it called: marked'
is "$(row "$shown")" "3.000 0.000 25.000 1.082 +22.000 ! 400 $shown" \
	'one has those of bare, which has no hooks'
is "$(row bare) $(row three | cut -d ' ' -f 1,3)" ' 0.000 0.000' 'bare is in no row'

# Suppose the hooks were known to 1000 ticks a call. Then chain's 97 % could be off by 3 % of
# its own 100 calls' and by 97 % of the 201 others', of 1000000 ticks.
sed 's/^cost 0.000 0.010/cost 0.000 1000/' "$scratch/profile" >"$scratch/doubtful"
run profile --against="$scratch/perf" "$scratch/doubtful"
is "$(row chain)" '97.000 19.797 75.000 1.082 -22.000 1200 chain' \
	'what the hooks leave in doubt explains the difference'

samples 750 chain,three
cp "$scratch/perf" "$scratch/first"
samples 250 "bare,$one"
cat "$scratch/first" "$scratch/perf" >"$scratch/runs"
run profile --against="$scratch/runs" "$scratch/profile"
row "$shown" | grep -q ' ~ '
ok $? 'runs of samples are seen, and what they leave in doubt marks nothing'

# ---- a file of perf record ----
printf 'PERFILE2 and more' >"$scratch/perf.data"
for path in "$scratch/none" "$scratch"; do
	PATH=$path "$tickwise" profile --against="$scratch/perf.data" "$scratch/profile" \
		>"$out" 2>"$err"
	is "$? $(grep -c 'perf is needed to read it' "$err")" '70 1' \
		'no perf, or a file that is no program: told'
done
samples 1 chain,three
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
is "$status $(row chain | cut -d ' ' -f 3)" '0 100.000' 'perf reads it'
is "$(cat "$scratch/arguments")" \
	"script --no-demangle --no-inline -F -comm,-tid,-time,-cpu -i $scratch/perf.data" \
	'with names as linked, and no more fields than are needed'
echo 3 >"$scratch/code"
run profile --against="$scratch/perf.data" -- touch "$scratch/ran"
is "$status $(wc -l <"$err") $(ls "$scratch/ran" 2>/dev/null)" '65 1 ' \
	'what perf can read in part is refused before a program runs'
done_testing
