#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: core/profile core/profile/command
#
# Names of functions, of the program and of objects may hold any bytes. Every form
# prints UTF-8 and no control character, and loses no function. A name that is cut
# off in a flame graph is cut between letters. Fails if a function is missing, if the JSON
# library refuses the whole, or
# if half a letter is left.

. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/profile.sh"

# Latin 1, and letters of three bytes, too many for any frame.
long=$(printf '\342\202\254%.0s' $(seq 300))
odd=$(printf 'caf\351')
compile gcc program -no-pie <<END
#define BARE __attribute__((noinline))
BARE int odd(int x) __asm__("$odd");
BARE int bell(int x) __asm__("bell_x2J");
BARE int euros(int x) __asm__("$long");
int odd(int x) { return x * x; }
int bell(int x) { return x + odd(x); }
int euros(int x) { return x - bell(x); }
int main(void) { return euros(3) == 0; }
END
# No assembler accepts an escape sequence.
perl -0777 -pe 's/bell_x2J/bell\033[2J/g' "$scratch/program" >"$scratch/$odd"
nm "$scratch/$odd" >"$scratch/nm"
address() {
	grep -a " T $1" "$scratch/nm" | cut -d ' ' -f 1
}

cat >"$scratch/profile" <<END
tickwise-profile 1
program $scratch/$odd
pid 1
rate 1000000000 0 MONOTONIC_RAW$odd kernel$odd
fence full$odd
cost 0 0 0 0 0 0 0 1 0
wall 0 1000000
map 400000 500000 0 $scratch/$odd
event 7 $(address bell) 100 20 1
event 7 $(address caf) 110 5 2
event 7 abcdef 120 5 2
node 1 0 $(address main) 1 0 1000000 1000000 1000000 0 0 0
node 2 1 $(address "$long") 1 0 1000000 1000000 1000000 0 0 0
node 3 2 $(address bell) 1 0 970000 9700 9700 0 0 0
node 4 3 $(address caf) 1 0 30000 300 300 0 0 0
end
END
for form in --top=0 --callers --folded --csv --json --trace --svg; do
	run profile "$form" "$scratch/profile"
	is "$status $(wc -c <"$err")" '0 0' "$form: printed"
	is "$(perl -0777 -ne 'print utf8::decode($_) ? "" : "bytes",
		/[^\P{Cc}\n]/ ? "control" : ""' "$out")" '' "$form: plain text"
	grep -qF 'bell?[2J' "$out"
	ok $? "$form: the function is there"
	cp "$out" "$scratch/of$form"
done
is "$(perl -MJSON::PP -0777 -ne 'my $j = decode_json($_);
	print join " ", map { length > 20 ? "long" : $_ } sort(map { $_->{name} }
	@{$j->{functions}}), $j->{functions}[0]{object}' "$scratch/of--json")" \
	'bell?[2J caf? main long caf?' '--json: each function, and the object'
is "$(perl -MJSON::PP -0777 -ne 'my $j = decode_json($_);
	print join " ", map { "$_->{name} $_->{ts}" } @{$j->{traceEvents}}' \
	"$scratch/of--trace")" 'bell?[2J 0.1 caf? 0.11 ? 0.12' \
	'--trace: each event has the name of its function'
is "$(perl -ne 'utf8::decode($_); print length $1, " ", $1 =~ /^\x{20ac}+\.\.$/ ?
	"cut" : "wrong" if />([^<a-z]*\.\.)<\/text>/' "$scratch/of--svg")" \
	'178 cut' '--svg: as many letters as there is room for'

printf '    1 %s: \n\t 1000 bell\033[2J (/x)\n' "$odd" >"$scratch/samples$odd"
run profile --json --against="$scratch/samples$odd" "$scratch/profile"
is "$status $(perl -MJSON::PP -0777 -ne 'my $j = decode_json($_)->{against};
	print $j->{event}, " ", $j->{in_functions}' "$out")" '0 caf? 1' \
	'--against: the same names'

done_testing
