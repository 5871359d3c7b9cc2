#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: of 24 devices the one that is 10 % slower is the first in the table of
# devices, and is named: for one job with all of them, and for 24 jobs with one
# each. Defect: I/Os that count for another device, a verdict without a difference
# or a difference without a verdict.
. "$(dirname "$0")/boot.sh"

# Two processors would wait for one another's virtual time for ever.
cpus=1
accel=tcg,thread=single
seconds=400
slow=null17

boot slow_device -icount shift=0,sleep=off
ok $? "the machine ran"
tar -x -C "$shared" -f "$shared/results.tar"
for name in each one; do
	is "$(cat "$shared/$name.status")" 0 "$name: fio succeeds" ||
		sed 's/^/# /' "$shared/$name.err"
done
# of NAME PERL: prints an expression; $d are the devices, $r the order, of all
# groups or the only one
of()
{
	value "$shared/$1-merged.json" '
		my $of = $j->{devices} ? $j : $j->{groups}[0];
		our $d = $of->{devices} // []; our $r = $of->{slow_devices}{read} // {};
		my %name = map { $_->{device} => $_->{name} } @$d;
		'"$2"
}
for name in each one; do
	is "$(of $name 'scalar @$d')" 24 "$name: there are 24 devices"
	is "$(of $name '$r->{percent}')" 99 "$name: they are in order of p99"
	is "$(of $name '$name{$r->{order}[0]{device}}')" $slow \
		"$name: the slow one is the first"
	is "$(of $name 'join " ", map { $name{$_->{device}} } @{$r->{slow}}')" $slow \
		"$name: and is named"
	echo "# $name: $(of $name '$r->{text}')"
	sed -n 's/^/# /; /devices by p99/,/^$/p' "$shared/$name.txt" | head -n 12
done

row "24 null_blk devices of 1 ms, one of 1.1 ms, in one job and in 24; virtual time" \
	"the slow one is first by p99 and is named" \
	"$slow; $(of one '$r->{text}')" "has no devices"
done_testing
