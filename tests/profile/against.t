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
static BARE uint64_t chain(uint64_t x, int steps)
{
	while (steps--)
		__asm__ volatile("imul %0, %0" : "+r"(x));
	return x;
}
BARE uint64_t three(uint64_t x);
BARE uint64_t one(uint64_t x);
BARE __attribute__((no_instrument_function)) uint64_t bare(uint64_t x);
uint64_t three(uint64_t x) { return chain(x, 30000) + 1; }
uint64_t one(uint64_t x) { return bare(x) + 1; }
uint64_t bare(uint64_t x)
{
	for (int i = 0; i < 1000; i++)
		__asm__ volatile("imul %0, %0" : "+r"(x));
	return x;
}
int main(void)
{
	uint64_t x = 3;

	for (int i = 0; i < 100; i++)
		x = one(three(x));
	return x == 0;
}
END
record '' "$scratch/program"
is "$program_status $status" '0 0' 'recorded'

# samples FUNCTION+OFFSET,FUNCTION+OFFSET... ...: innermost first, of one process
# that has the program mapped; "kernel" first is the kernel. Into $scratch/perf.
samples() {
	nm "$scratch/program" >"$scratch/nm"
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

# row FUNCTION: what the table has in its line after our share and its error
row() {
	awk -v name="$1" '$NF == name { $1 = $2 = ""; sub(/^ +/, ""); print }' "$out"
}

# The chain has 30 times the steps of the bare loop: nearly all of the time.
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
is "$(row chain | awk '{ print $1, $(NF - 1) }')" "75.000 $((3 * mixed_count))" \
	"chain has its own and those of the kernel that it called"
is "$(row one | awk '{ print $1, $(NF - 1) }')" "25.000 $mixed_count" \
	'one has those of bare, which has no hooks'
is "$(row bare)" '' 'bare is in no row'
is "$(row three | awk '{ print $1, $(NF - 1) }')" '0.000 0' \
	'three only called'
# One took 1/31 of the time: 3.2 %. A thousand samples are off by 1.4 %; a busy
# machine may have disturbed the time itself, but not up to a quarter of it all.
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
