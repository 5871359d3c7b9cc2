#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: core/profile/command
#
# --against counts samples for a function by its name as linked, and has perf read what perf
# record wrote. The perf is made here, and prints its samples as text. Fails if a name of C++ is
# not found, or if what perf could not read is taken for samples. All else is in
# golden/profile.t.

. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/profile.sh"

# One has a name as a function of C++ would: outer::one(int).
one=_ZN5outer3oneEi
compile gcc program -no-pie <<END
int one(int x) __asm__("$one");
int one(int x) { return x + 1; }
int main(void) { return one(3) == 0; }
END

# A profile of it as the library writes one, of known times, which no disturbance can change.
cat >"$scratch/profile" <<END
tickwise-profile 1
program $scratch/program
pid 1
rate 1000000000 0 MONOTONIC_RAW kernel
fence full
cost 0.000 0.010 0.000 0.000 0.000 0.000 0.000 1 0.000
wall 0 1000000
map 400000 500000 0 $scratch/program
node 1 0 $(nm "$scratch/program" | sed -n "s/ T $one//p") 100 0 30000 300 300 0 0 0
end
END
printf '    250000 cpu-clock: \n\t%16x %s+0x1c (/some/plain)\n\n' 4097 "$one.part.0" >"$scratch/perf"

# sampled: prints exit code and samples of one, whose name is as linked without libstdc++
sampled() {
	run profile --against="$1" "$scratch/profile"
	echo "$status $(awk '$NF ~ /one/ { print $(NF - 1) }' "$out")"
}
is "$(sampled "$scratch/perf")" '0 1' 'found by its name as linked'

# ---- a file of perf record ----
printf 'PERFILE2 and more' >"$scratch/perf.data"
for path in "$scratch/none" "$scratch"; do
	PATH=$path "$tickwise" profile --against="$scratch/perf.data" "$scratch/profile" \
		>"$out" 2>"$err"
	is "$? $(grep -c 'perf is needed to read it' "$err")" '70 1' \
		'no perf, or a file that is no program: told'
done
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
is "$(sampled "$scratch/perf.data")" '0 1' 'perf reads it'
is "$(cat "$scratch/arguments")" \
	"script --no-demangle --no-inline -F -comm,-tid,-time,-cpu -i $scratch/perf.data" \
	'with names as linked, and no more fields than are needed'
echo 3 >"$scratch/code"
run profile --against="$scratch/perf.data" -- touch "$scratch/ran"
is "$status $(wc -l <"$err") $(ls "$scratch/ran" 2>/dev/null)" '65 1 ' \
	'what perf can read in part is refused before a program runs'
done_testing
