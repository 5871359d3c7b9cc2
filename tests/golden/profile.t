#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: core/profile/command
#
# Compares all that tickwise profile prints of recorded profiles. One has addresses
# without names, the other is of a program with threads, events, a histogram and
# lost calls. Fails if a character of it changes.
#
# A program is functions of 64 bytes each at fixed addresses. The assembler makes them from
# directives alone, so that names and addresses are the same on any processor.
. "$(dirname "$0")/golden.sh"

# program FILE NAME...: makes the program, its first function at 401000
program() {
	file=$1
	shift
	echo .text >program.s
	for function in "$@"; do
		printf '.globl "%s"\n.type "%s", %%function\n"%s":\n.skip 64\n.size "%s", 64\n' \
			"$function" "$function" "$function" "$function"
	done >>program.s
	${CC:-gcc} -nostdlib -static -no-pie -Wl,-Ttext=0x401000 -Wl,--build-id=none \
		-o "$file" program.s >log 2>&1
	nm "$file" | grep -q "^0*401040 T $2"
	ok $? 'a program at fixed addresses'
	sed 's/^/# /' log
}
program program _start parse walk compute lookup_a_name_of_some_length

# A tick is half a nanosecond.
cat >profile <<END
tickwise-profile 1
program ./program
pid 4711
rate 2000000000 125 MONOTONIC_RAW kernel
fence rdtscp
cost 12.5 1.25 30 2 3 8.5 4 16 2.5
wall 1000 4001000
usage 1500000 12
dropped 3 0 2 1 4 9 1
map 401000 402000 1000 $scratch/work/program
thread 4711 program
thread 4712 worker
event 4711 401040 2000 900000 1
event 4711 401080 2100 300000 2
event 4711 4010c0 2200 100000 3
event 4712 401100 600000 1234 1
node 1 0 401000 1 0 4000000 3990000 3990000 0 1 0
node 2 1 401040 10 0 900000 50000 200000 0 0 0
node 3 2 401080 200 10 300000 900 4000 5 0 0
node 4 3 4010c0 400 0 100000 100 900 0 0 0
node 5 2 401100 200 0 40000 90 2100 0 0 1
node 6 0 401100 100 0 250000 900 12000 0 0 0
node 7 6 500000 100 0 20000 90 900 0 0 0
histogram 4010c0 2 400 100000 100 900
bin 100 100
bin 200 250
bin 300 50
end
END
# A function called from two others and within itself, calls that were not timed, that were
# left or have not returned. A tick is a nanosecond. Hooks take 10 (+- 1) inside and 20 (+- 2)
# outside, 30 (+- 3) together, and 5 (+- 4) where a call is not timed. 0x10 took 10000 ticks.
# From these, 0x20 (6000), 0x30 (500), 10 inside, 20 for each of 5 timed calls and 5 for each of
# 2 others are subtracted. Its self is 3380, +- 1 + 5 * 2 + 2 * 4.
cat >plain <<'END'
tickwise-profile 1
program <one>&"is"
pid 1
rate 1000000000 2 MONOTONIC_RAW kernel
fence full
cost 10 1 20 2 3 5 4 8 0
wall 1000 21000
thread 1 one
node 1 0 10 1 0 10000 9900 9900 0 1 0
node 2 1 20 4 2 6000 2400 3400 1 0 1
node 3 2 30 1 0 1000 900 900 0 0 0
node 4 1 30 3 0 500 100 150 0 0 0
node 5 4 20 1 0 300 260 260 0 0 0
node 6 5 30 2 1 100 85 85 0 0 0
histogram 30 2 4 550 100 250
bin 100 3
bin 250 1
end
END
# Hooks that were not measured; those whose error covers a self, and the kernel's own rate,
# which has no error to print; a quotation mark in a name, and a node too narrow to be drawn.
sed 's,^cost.*,cost 0 0 0 0 0 0 0 0 0,' plain >unmeasured
sed 's,^cost.*,cost 10 1 20 9000 3 5 4 8 40,; s,1000000000 2,1000000000 0,' plain >doubtful
sed 's,^wall.*,&\nmap 20 30 0 /none/a"b,; s,^node 6.*,node 6 5 30 2 1 11 11 11 0 0 0,' \
	plain >quoted

golden help profile --help
for input in profile plain; do
	golden ${input}_table profile $input
	for form in callers folded csv json trace svg; do
		golden ${input}_$form profile --$form $input
	done
done
golden unmeasured profile --top=1 unmeasured
golden doubtful profile --top=1 doubtful
golden callers_top profile --callers --top=1 doubtful
# Of two functions that one calls, some calls were not timed.
sed 's,^node 4 1 30 3 0,node 4 1 30 3 1,' plain >untimed
golden untimed_csv profile --csv untimed
# A function that calls itself: the inner calls are part of the outer ones.
sed 's,^cost.*,cost 0 0 0 0 0 0 0 8 0,; /^node [3-6]/d; /^node 2/a node 3 2 10 2 0 4000 1900 2100 0 0 0
	s,^node 2 1 20,node 2 1 10,' plain >recursion
golden recursion profile --callers recursion
golden quoted_csv profile --csv quoted
golden quoted_svg profile --svg quoted

# Names may hold any bytes: Latin 1, an escape sequence, which no assembler accepts, and letters
# of three bytes, too many for any frame. All forms print UTF-8 without control characters.
odd=$(printf 'caf\351')
program odd _start "$(printf '\342\202\254%.0s' $(seq 300))" bell_x2J "$odd"
perl -0777 -pe 's/bell_x2J/bell\033[2J/g' odd >"$odd"
cat >names <<END
tickwise-profile 1
program ./$odd
pid 1
rate 1000000000 0 MONOTONIC_RAW$odd kernel$odd
fence full$odd
cost 0 0 0 0 0 0 0 1 0
wall 0 1000000
map 401000 402000 1000 $scratch/work/$odd
event 7 401080 100 20 1
event 7 4010c0 110 5 2
event 7 abcdef 120 5 2
node 1 0 401000 1 0 1000000 1000000 1000000 0 0 0
node 2 1 401040 1 0 1000000 1000000 1000000 0 0 0
node 3 2 401080 1 0 970000 9700 9700 0 0 0
node 4 3 4010c0 1 0 30000 300 300 0 0 0
end
END
for form in callers folded csv json trace svg; do
	golden names_$form profile --$form names
done

# Of 1200 pixels one of these has 24, too few for letters, and the other 26.4.
cat >narrow <<END
tickwise-profile 1
program ./narrow
pid 1
rate 1000000000 0 MONOTONIC_RAW kernel
fence full
cost 0 0 0 0 0 0 0 1 0
wall 0 1000000
node 1 0 401000 1 0 1000000 1000000 1000000 0 0 0
node 2 1 401040 1 0 20000 20000 20000 0 0 0
node 3 1 401080 1 0 22000 22000 22000 0 0 0
end
END
golden narrow_svg profile --svg narrow

head -n 12 profile >cut_off
for cost in '' ' x' ' 40x' ' nan' ' inf' ' 1e400'; do
	sed "s/^cost.*/cost 10 1 20 2 3 0 0 100$cost/" plain >"cost${cost# }"
done
sed 's/1000000000 2/1000000000 nan/' plain >rate
echo 'another text' >text
usage_errors profile <<'LINES'

--jsn profile
--json --no
--top=x profile
--record
profile plain
missing
cut_off
text
cost
costx
cost40x
costnan
costinf
cost1e400
rate
-- /none/program
-- true
LINES
golden_done
