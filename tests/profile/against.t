#!/bin/sh
# SPDX-License-Identifier: MIT
#
# --against puts a sampling profile beside ours: samples are counted to the
# innermost function with hooks, by the symbols of the object they lie in, and a
# difference that sampling can't explain is marked. The samples are made here: no
# perf is needed. Fails if a sample goes to the wrong function, if what runs
# without hooks is not its caller's, or if a damaged file is taken for samples.

. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/profile.sh"

compile gcc program -no-pie <<'END'
#include <stdint.h>
#define BARE __attribute__((noinline))
BARE uint64_t chain(uint64_t x);
BARE uint64_t three(uint64_t x);
BARE uint64_t one(uint64_t x);
BARE __attribute__((no_instrument_function)) uint64_t bare(uint64_t x);
uint64_t chain(uint64_t x) { return x * x * x * x * x * x * x; }
uint64_t three(uint64_t x) { return chain(x) + 1; }
uint64_t one(uint64_t x) { return bare(x) + 1; }
uint64_t bare(uint64_t x) { return x * x * x * x * x * x * x; }
int main(void) { return one(three(3)) == 0; }
END
nm "$scratch/program" >"$scratch/nm"
address() {
	awk -v name="$1" '$3 == name { print $1 }' "$scratch/nm"
}

# A profile of it as the library writes one, of known times: nobody's run can be
# disturbed. Hooks took nothing; 97 % of the time is chain's.
cat >"$scratch/profile" <<END
tickwise-profile 1
program $scratch/program
pid 1
rate 1000000000 0 MONOTONIC_RAW kernel
fence full
cost 0.000 0.010 0.000 0.000 0.000 0.000 0.000 1
wall 0 1000000
map 400000 500000 0 $scratch/program
node 1 0 $(address main) 1 0 1000000 1000000 1000000 0 0 0
node 2 1 $(address three) 100 0 970000 9700 9700 0 0 0
node 3 2 $(address chain) 100 0 970000 9700 9700 0 0 0
node 4 1 $(address one) 100 0 30000 300 300 0 0 0
end
END

# samples FUNCTION+OFFSET,FUNCTION+OFFSET... ...: innermost first, of one process
# that has the program mapped; "kernel" first is the kernel. Into $scratch/perf.
samples() {
	perl -e '
		my ($file, $nm, $program, @samples) = @ARGV;
		my %at;
		open(my $names, "<", $nm);
		while (<$names>) { $at{$2} = hex $1 if /^(\S+) \S (\S+)/ }
		# IP, TID, TIME, CALLCHAIN; all records have an id behind.
		my $type = 1 | 2 | 4 | 32;
		my ($data, $time) = ("", 100);
		sub record {
			my ($type, $misc, $body) = @_;
			$data .= pack("LSS", $type, $misc, 8 + length $body) . $body;
		}
		my $path = $program . "\0" x (8 - length($program) % 8);
		record(10, 2, pack("LLQQQ", 7, 7, 0x400000, 0x100000, 0) .
			"\0" x 32 . $path . pack("LLQ", 7, 7, 50));
		for my $sample (@samples) {
			my ($text, $times) = $sample =~ /^(.*?)(?:x(\d+))?$/;
			my $kernel = $text =~ s/^kernel,?//;
			my @chain = map { /(\w+)\+(\d+)/; ($at{$1} // 0x10) + $2 }
				split /,/, $text;
			for (1 .. $times // 1) {
				my $ip = $kernel ? 0xffffffff81000000 : $chain[0];
				record(9, $kernel ? 1 : 2, pack("QLLQ", $ip, 7, 7,
					$time++) . pack("Q*", @chain + 1,
					0xfffffffffffffe00, @chain));
			}
		}
		my $attr = pack("LLQQQQQ", 1, 120, 0, 250000, $type, 0, 1 << 18);
		$attr .= "\0" x (120 - length $attr) . pack("QQ", 104, 0);
		open(my $out, ">", $file);
		print $out pack("a8Q*", "PERFILE2", 104, 136, 104, 136, 240,
			length $data, 0, 0, 0, 0, 0, 0), $attr, $data;
	' "$scratch/perf" "$scratch/nm" "$scratch/program" "$@"
}

# row FUNCTION [COLUMN...]: of its line of the table
row() {
	awk -v name="$1" -v wanted="${2:-}" '$NF == name {
		count = split(wanted, columns, " ")
		for (i = 1; i <= count; i++)
			printf "%s ", $(columns[i] > 0 ? columns[i] : NF + columns[i])
		if (!count)
			print
	}' "$out"
}

mixed=
while [ "${#mixed}" -lt 20000 ]; do
	mixed="$mixed chain+8,three+8,main+8x2 bare+8,one+12,main+8 kernel,chain+9,three+8"
done
set -- $mixed
mixed_count=$(($# / 3))
samples "$@" kernelx7 nowhere+0x5
run profile --against="$scratch/perf" --exclude='x' "$scratch/profile"
is "$status $(wc -c <"$err")" '0 0' 'shown'
tr '\n' ' ' <"$out" >"$scratch/flat"
has "$scratch/flat" "$((4 * mixed_count + 12)) samples of cpu-clock; $((4 * mixed_count)) of functions in the profile, 5 of others and 7 of the kernel" \
	'all are counted, also those of nobody'
is "$(row chain '1 2 3 5 -1')" "97.000 0.000 75.000 -22.000 $((3 * mixed_count)) " \
	"chain has its own and those of the kernel that it called"
is "$(row one '1 3 5 -1')" "3.000 25.000 +22.000 $mixed_count " \
	'one has those of bare, which has no hooks'
is "$(row bare)" '' 'bare is in no row'
is "$(row three '1 3 -1')" '0.000 0.000 0 ' \
	'three only called'
# A thousand samples are off by 1.4 %.
row one | grep -q ' ! '
ok $? 'the difference is marked'
row one | grep -q '~'
is $? 1 'the samples do not come in runs'

run profile --json --against="$scratch/perf" "$scratch/profile"
is "$(grep -c '"sampled_share"' "$out")" 4 '--json: a row for each function'
has "$out" '"in_kernel": 7' 'and what is in none'

samples chain+8,three+8x750 bare+8,one+12x250
run profile --against="$scratch/perf" "$scratch/profile"
row one | grep -q ' ~ '
ok $? 'runs of samples are seen, and what they leave in doubt marks nothing'

samples kernelx5
run profile --against="$scratch/perf" "$scratch/profile"
is "$status $(wc -l <"$err") $(wc -c <"$out")" '65 1 0' 'no sample of ours: said'
head -c 300 "$scratch/perf" >"$scratch/half"
run profile --against="$scratch/half" "$scratch/profile"
is "$status $(wc -l <"$err")" '65 1' 'half a file is refused'
run profile --against="$scratch/profile" "$scratch/profile"
has "$err" 'not what perf record writes' 'so is another'
run profile --against="$scratch/none" "$scratch/profile"
is "$status $(wc -l <"$err")" '66 1' 'no file: said'
run profile --csv --against="$scratch/perf" "$scratch/profile"
is "$status $(wc -l <"$err")" '64 1' 'not in every form: said'
done_testing
